"""The evening: takes one fact after another, and says why it does not take one."""

from collections.abc import Sequence
from typing import Any

from game.independent.course import Rolled, course
from game.independent.moving import Seats, ghosts_apart, is_ghost
from game.independent.people import People, renamed
from game.independent.prizes import PrizeTie, Word, asked, behind, open_ties, prize_ties, standing_word
from game.independent.rounds import Round, since
from game.independent.ruleset import ruleset
from game.independent.standings import standings
from game.independent.table import Bell, Table
from game.independent.tournament import Event, Numbers, Stages, Tie, fits

AFTER_CLOSE = ("evening_reopen", "tie", "prize", "rolloff", "branch", "clock")
ALWAYS = ("pause", "bypass", "restore", "hand")
OF_AN_EPOCH = (
    "roll", "undo", "turn", "bell", "round_close", "confirm", "faceoff", "decide", "bell_void",
    "round_cancel", "tally",
)  # fmt: skip


class Evening:
    """Everything that is played in one go."""

    def __init__(self, fact: dict[str, Any]) -> None:
        self.fact = fact
        self.rules = ruleset(fact["rules"], fact.get("overrides", {}))
        self.people = People(fact["players"], fact.get("ghosts", []))
        self.groups: list[list[int]] = fact.get("groups") or []
        self.seating: list[Seats] | None = None
        self.finished: list[Round] = []
        self.running: Round | None = None
        self.epoch = 0
        self.line = 0
        self.rang_at = 0
        self.paused = False
        self.closed = False
        self.words: list[Word] = []
        self.book: dict[tuple[Any, ...], list[Event]] = {}
        self.numbers: dict[tuple[Any, ...], int] = {}
        self.open_dice: set[tuple[Any, ...]] = set()
        self.t = self.finished_t = 0
        seed = fact.get("seed")
        self.seed = str(fact.get("id", "") if seed is None else seed)
        self.stages = Stages(self.seed, self.people, self.book) if self.rules["tournament"] else None

    # what it is like now

    def rounds_in_all(self) -> int:
        """How many rounds the sets have."""
        return int(self.rules["evening.sets"]) * len(self.rules["evening.faces"])

    def over(self) -> bool:
        """Whether nothing more can be played."""
        if self.closed or self.stages:
            return self.closed or (self.stages is not None and self.stages.stage == "done")
        return self.running is None and len(self.finished) >= self.rounds_in_all()

    def cards(self) -> Numbers:
        """Of who is here: the groups' rounds, later those of the semi-final."""
        assert self.stages is not None
        first = 0 if self.stages.stage in ("groups", "qualification") else self.stages.first
        found = standings(self.people, self.finished[first:] or self.finished)
        return {name: found[name] for name in self.people.here()}

    def state(self) -> str:
        """As in the answer of `replay --json`."""
        if self.over():
            return "finished"
        if self.running:
            return "after_bell" if self.running.bell else "round_open"
        if self.paused:
            return "break"
        return "between_rounds" if self.finished else "setup"

    def take(self, fact: dict[str, Any], line: int) -> bool:
        """Whether the fact changes something or is kept."""
        self.line, self.t = line, fact["t"]
        kind = fact["kind"]
        if kind == "bell_seen":
            return True
        if self.closed:
            late = kind in AFTER_CLOSE or (kind in ("roll", "undo") and fact.get("tie"))
            return bool(getattr(self, f"_{kind}")(fact)) if late else False
        if kind in ALWAYS:
            return self._always(kind)
        if self._other_epoch(fact) or (self.running and fact.get("tie")):
            return False
        return bool(getattr(self, f"_{kind}")(fact))

    def _other_epoch(self, fact: dict[str, Any]) -> bool:
        epoch = fact.get("epoch")
        if fact["kind"] not in OF_AN_EPOCH or epoch is None:
            return False
        if self.running is None:
            return fact["kind"] not in ("roll", "undo")
        return bool(epoch != self.running.epoch)

    def _always(self, kind: str) -> bool:
        if kind == "pause" and not self.running:
            self.paused = True
        return True

    def _resume(self, fact: dict[str, Any]) -> bool:
        was, self.paused = self.paused, False
        return was

    # the round

    def _round_open(self, fact: dict[str, Any]) -> bool:
        if self.running or self.seating is None or self.over():
            return False
        if self.stages and not self.stages.has_rounds():
            return False
        if any(all(name.startswith("Ghost ") for name in seats) for seats in self.seating):
            return False
        paused, self.paused = self.paused, False
        self.epoch = fact.get("epoch") or self.epoch + 1
        faces = self.rules["evening.faces"]
        set_, place = divmod(len(self.finished), len(faces))
        self.running = Round(
            set_ + 1, place + 1, faces[place], self.epoch, self.seating,
            [Table(at, list(seats), self.rules, faces[place]) for at, seats in enumerate(self.seating, 1)],
            self.groups,
            persons={name: number for number, name in enumerate(self.people.names)},
            paused=paused,
        )  # fmt: skip
        return True

    def _table(self, fact: dict[str, Any]) -> Table | None:
        tables = self.running.tables if self.running else []
        return next((table for table in tables if table.number == fact["table"]), None)

    def _ring(self, t: int, by: str, player: str | None) -> None:
        assert self.running is not None
        self.running.bell = Bell(t, by, player)
        self.rang_at = self.line
        for table in self.running.tables:
            table.bell_rang()

    def _roll(self, fact: dict[str, Any]) -> bool:
        if self.running is None:
            return self._throw(fact)
        table = self._table(fact)
        if table is None:
            return False
        roll = table.roll(fact, self.line, self.running.bell)
        if roll is None:
            return False
        if self.running.bell is None:
            self._may_ring(table, [roll], roll.t)
        elif roll.rang:
            self._belongs(table, roll)
        return self._finish()

    def _may_ring(self, table: Table, rolls: list[Rolled], t: int) -> None:
        """Rings at the first of these rolls that does."""
        if not table.names_bell():
            return
        for roll in rolls:
            so_far = course(table.entries[: _place(table, roll) + 1], self.rules, table.target)
            points = so_far.points[so_far.roller]
            if self.rules["end.points_by"] == "team":
                points += so_far.points[(so_far.roller + 2) % 4]
            bunco = roll.outcome.kind == "bunco" and self.rules["end.bunco"]
            enough = self.rules["end.points"]
            if so_far.gained and (bunco or (enough is not None and points >= enough)):
                roll.rang = True
                self._ring(t, "bunco" if bunco else "points", table.seats[so_far.roller])
                return

    def _belongs(self, table: Table, roll: Rolled) -> None:
        """The bell is that of whoever made the roll."""
        assert self.running is not None
        assert self.running.bell is not None
        upto = course(table.entries[: _place(table, roll) + 1], self.rules, table.target)
        self.running.bell.player = table.seats[upto.roller]

    # ties

    def _staged(self) -> bool:
        return self.stages is not None and not self.over()

    def ties(self) -> Sequence[Tie | PrizeTie]:
        """The ties that stand now."""
        if self.running:
            return []
        return self.stages.ties if self.stages and self._staged() else prize_ties(self)

    def _of_number(self, number: int) -> Tie | PrizeTie | None:
        return next((tie for tie in self.ties() if self.numbers.get(tie.key) == number), None)

    def _unsettled(self, what: str, group: int | None, place: int) -> Tie | PrizeTie | None:
        open_ties = (
            [] if self.running else self.stages.ties if self.stages and self._staged() else asked(self)
        )
        for tie in open_ties:
            if (tie.key[0], tie.key[5], tie.key[1]) == (what, group, place):
                return tie
        return None

    def _tie(self, fact: dict[str, Any]) -> bool:
        persons = frozenset(self.people.number(name) for name in fact["players"])
        key = (
            fact["for"], fact.get("place", 1), persons, fact["rounds"], fact.get("stage"), fact.get("group"),
        )  # fmt: skip
        if key in self.numbers or fact["id"] in self.numbers.values():
            return False
        if all(tie.key != key for tie in self.ties()):
            return False
        self.numbers[key] = fact["id"]
        return True

    def _throw(self, fact: dict[str, Any]) -> bool:
        """Dice between rounds, for a place or for a prize."""
        dice = fact.get("dice")
        if dice is None or fact["t"] < self.finished_t:
            return False
        tie: Tie | PrizeTie | None = None
        if fact.get("tie"):
            tie = self._of_number(fact["tie"])
            if tie is None:
                return False
        elif self.stages and self._staged():
            tie = self.stages.tie_at(fact["table"])
            name = self.stages.whose() if tie is None and fact["table"] == 1 else None
            if name:
                self.stages.final_throw(name, dice)
                return True
        elif fact["table"] == 1:
            tie = next(iter(open_ties(self)), None)
        if tie is None or not tie.next():
            return False
        faces = [dice] if isinstance(tie, PrizeTie) and tie.dice == 3 else [[face] for face in dice]
        return self._enter(tie, dict(zip(tie.next(), faces, strict=False)))

    def _enter(self, tie: Tie | PrizeTie, dice: dict[str, list[int]]) -> bool:
        if isinstance(tie, PrizeTie):
            event = {self.people.names.index(name): faces for name, faces in dice.items()}
            self.book.setdefault(tie.key, []).append(event)
            return True
        assert self.stages is not None
        self.stages.enter(tie, dice, self.cards())
        return self._replaced()

    def _rolloff(self, fact: dict[str, Any]) -> bool:
        dice = fact["dice"]
        whose = self.stages.whose() if self.stages and self._staged() else None
        if self.stages and whose and fact["for"] == "final" and not fact.get("tie"):
            if list(dice) != [whose] or len(dice[whose]) != 3:
                return False
            self.stages.final_throw(whose, dice[whose])
            return True
        if fact.get("tie"):
            tie = self._of_number(fact["tie"])
        else:
            tie = self._unsettled(fact["for"], fact.get("group"), fact.get("place", 1))
        if tie is None or tie.key[0] == "champion":
            return False
        if not dice:
            if isinstance(tie, Tie) or not tie.asks:
                return False
            self.open_dice.add(tie.key)
            return True
        right = tie.fits(dice) if isinstance(tie, PrizeTie) else fits(tie, dice)
        return right and self._enter(tie, dice)

    def _stage(self, fact: dict[str, Any]) -> bool:
        stages = self.stages
        if stages is None or self.running or stages.next() != fact["stage"]:
            return False
        seats = stages.seats(self.cards())
        if fact.get("tables") not in (None, seats):
            return False
        if fact["stage"] in ("semi_final", "order"):
            if all(is_ghost(name) for table in seats for name in table):
                return False
            self.seating, self.groups = seats, []
        stages.confirm(fact["stage"], self.cards())
        return True

    def _replaced(self) -> bool:
        """Whoever has got a place sits down in place of the ghost; always true."""
        for change in self.stages.replacements() if self.stages else []:
            self._change(change, True)
        return True

    def _undo(self, fact: dict[str, Any]) -> bool:
        if self.running is None:
            if fact.get("tie"):
                return self._undo_tie(fact["tie"])
            if self.stages is None or not self._staged():
                return False
            return self.stages.undo(fact["table"], self.cards()) and self._replaced()
        table = self._table(fact)
        return table is not None and table.undo()

    def _turn(self, fact: dict[str, Any]) -> bool:
        table = self._table(fact)
        if table is None or self.running is None:
            return False
        again = table.turn(fact, self.running.bell)
        if again is None:
            return False
        if self.running.bell is None:
            self._may_ring(table, again, fact["t"])
        for roll in again:
            if roll.rang:
                self._belongs(table, roll)
        return True

    def _bell(self, fact: dict[str, Any]) -> bool:
        if self.running is None or self.running.bell is None or self.rang_at != self.line - 1:
            return False
        self.running.bell.t = fact["t"]
        self.rang_at = 0
        return True

    def _round_close(self, fact: dict[str, Any]) -> bool:
        if self.running is None or self.running.bell:
            return False
        self._ring(fact["t"], "time" if fact.get("by") == "time" else "host", None)
        return True

    def _confirm(self, fact: dict[str, Any]) -> bool:
        table = self._table(fact)
        return (
            table is not None
            and self.running is not None
            and table.confirm(self.running.bell)
            and self._finish()
        )

    def _faceoff(self, fact: dict[str, Any]) -> bool:
        table = self._table(fact)
        return table is not None and table.face_off(fact) and self._finish()

    def _decide(self, fact: dict[str, Any]) -> bool:
        table = self._table(fact)
        return table is not None and table.decide(fact["winner"]) and self._finish()

    def _tally(self, fact: dict[str, Any]) -> bool:
        table = self._table(fact)
        return (
            table is not None
            and self.running is not None
            and table.tally(fact["cards"], self.line, self.running.bell)
        )

    def _bell_void(self, fact: dict[str, Any]) -> bool:
        if self.running is None or self.running.bell is None:
            return False
        self.running.bell = None
        for table in self.running.tables:
            table.bell_void()
        return True

    def _round_cancel(self, fact: dict[str, Any]) -> bool:
        if self.running is None:
            return False
        cancelled, self.running = self.running, None
        self.seating = cancelled.chairs or since(cancelled.seating, cancelled.since)
        self.paused = cancelled.paused
        if self.finished:  # what was changed since stays, and is since the round before from now on
            before = self.finished[-1]
            before.chairs = cancelled.chairs or before.chairs
            before.since += cancelled.since
        return True

    def _finish(self) -> bool:
        """Everybody moves once all tables are final; always true."""
        round_ = self.running
        if round_ is None or not round_.final():
            return True
        self.running = None
        self.finished_t = self.t
        self.finished.append(round_)
        self.seating = round_.chairs or since(round_.moved(), round_.since)
        self.paused |= self._stage_over() or self._break_is_due(round_)
        return True

    def _stage_over(self) -> bool:
        """Whether the break before the semi-final begins."""
        if self.stages is None:
            return False
        faces = len(self.rules["evening.faces"])
        if self.stages.stage == "groups" and len(self.finished) == self.rounds_in_all():
            assert self.seating is not None
            groups = self.groups or [list(range(1, len(self.seating) + 1))]
            self.stages.groups_over(groups, self.seating, len(self.finished), self.cards())
            return True
        if self.stages.stage == "semi_final" and len(self.finished) == self.stages.first + faces:
            self.stages.semi_final_over(len(self.finished), self.cards())
            self._replaced()
        return False

    def _break_is_due(self, round_: Round) -> bool:
        last = round_.place == len(self.rules["evening.faces"]) and round_.set < self.rules["evening.sets"]
        return last and round_.set == self.rules["evening.break_after"]

    def _reopen(self, fact: dict[str, Any]) -> bool:
        round_ = self.running or (self.finished[-1] if self.finished else None)
        if round_ is None or fact["table"] > len(round_.tables):
            return False
        if self.running is None and self._stage_has_begun():
            return False
        if not round_.tables[fact["table"] - 1].reopen():
            return False
        if self.running is None:
            self.finished.pop()
            if self.stages:
                self.stages.reopened()
            self.running = round_
            if round_.chairs:
                round_.chairs = self.seating
            self.seating = round_.seating
        return True

    def _stage_has_begun(self) -> bool:
        """Whether a stage of a tournament has begun since its last round."""
        if self.stages is None or self.stages.stage in ("groups", "qualification"):
            return False
        return self.stages.stage != "semi_final" or len(self.finished) == self.stages.first

    # the people

    def playing(self) -> list[str]:
        """Who has a chair."""
        if self.stages is None or self.stages.stage in ("groups", "qualification"):
            return self.people.here()
        seated = {name for seats in self.seating or [] for name in seats}
        return [name for name in self.people.here() if name in seated]

    def _seating(self, fact: dict[str, Any]) -> bool:
        tables = [ghosts_apart(seats) for seats in fact["tables"]]
        if self.running or self.over():
            return False
        if self.stages and (self.stages.stage not in ("groups", "semi_final") or self.stages.ties):
            return False
        names = {name for seats in tables for name in seats if not is_ghost(name)}
        if self.stages and self.stages.stage == "semi_final" and not names <= set(self.playing()):
            return False
        if not self.finished:
            if not self.people.first_seating(tables, self.seating):
                return False
        elif self.seating is None or not self.people.new_seating(tables, len(self.seating), self.playing()):
            return False
        self.people.sit_down(tables)
        if len(tables) != self._tables():
            self.groups = []
        self.people.ghosts = [name for seats in tables for name in seats if is_ghost(name)]
        self.seating = tables
        if self.finished:
            self.finished[-1].chairs = tables
        return True

    def _tables(self) -> int:
        """How many tables there are, or would be."""
        return len(self.seating) if self.seating else (len(self.people.here()) + len(self.people.ghosts)) // 4

    def _change(self, change: tuple[str, str] | None, apart: bool) -> bool:
        if change is None:
            return False
        if self.seating is None:
            self.people.before_chairs(change)
            return True
        self.seating = renamed(self.seating, change, apart)
        if self.finished:
            self.finished[-1].since.append((change, apart))
        return True

    def _between(self) -> bool:
        return self.running is None and not self.over()

    def _leave(self, fact: dict[str, Any]) -> bool:
        name, seats = fact["player"], self.seating or []
        if not self._between():
            return False
        if self.stages and seats and not any(name in table for table in seats):
            if name not in self.people.here():
                return False
            self.people.gone.add(self.people.names.index(name))
            return self._withdrawn(name, None)
        change = self.people.leave(name, seats)
        return change is not None and self._change(change, True) and self._withdrawn(*change)

    def _withdrawn(self, name: str, ghost: str | None) -> bool:
        """Who comes next takes the place, but for a semi-final that is being played; always true."""
        stages = self.stages
        if stages is None or stages.stage == "groups" or stages.winner:
            return True
        if stages.stage == "semi_final" and len(self.finished) > stages.first and not stages.final:
            return True
        stages.gone(name, None if stages.stage == "qualification" else ghost, self.cards())
        return self._replaced()

    def _arrive(self, fact: dict[str, Any]) -> bool:
        if not self._between() or (self.stages and self.stages.stage != "groups"):
            return False
        return self._change(self.people.arrive(fact["player"], self.seating or []), True)

    def _substitute(self, fact: dict[str, Any]) -> bool:
        out, new = fact["out"], fact["in"]
        if not self._between() or not self._change(self.people.substitute(out, new), False):
            return False
        if self.stages:
            self.stages.renamed(out, new)
        return True

    # the end

    def _evening_close(self, fact: dict[str, Any]) -> bool:
        self.closed = True
        return True

    def _evening_reopen(self, fact: dict[str, Any] | None = None) -> bool:
        was, self.closed = self.closed, False
        return was

    def _prize(self, fact: dict[str, Any]) -> bool:
        to = fact["to"] if isinstance(fact["to"], list) else [fact["to"]]
        what, place = fact["for"], fact.get("place", 1)
        if fact.get("tie"):
            tie = self._of_number(fact["tie"])
            if tie is None:
                return not to and self._word_taken_back(fact["tie"])
            what, place = tie.key[0], tie.key[1]
        else:
            tie = self._unsettled(what, fact.get("group"), place)
        if set(to) - set(self.people.names):
            return False
        if isinstance(tie, Tie):
            return len(to) == 1 and to[0] in tie.among and self._enter(tie, {to[0]: []})
        known = {("champion", 1), *((prize["for"], prize.get("place", 1)) for prize in self.rules["prizes"])}
        if (what, place) not in known or len(set(to)) < len(to):
            return False
        if not to and not standing_word(self, what, place):
            return False
        persons = [self.people.names.index(name) for name in to]
        self.words.append(Word(what, place, persons, behind(self, what)))
        return True

    def _undo_tie(self, number: int) -> bool:
        key = next((key for key, one in self.numbers.items() if one == number), ())
        if self.stages and self._staged():
            return self.stages.undo_tie(key, self.cards(), word=False) and self._replaced()
        if self._of_number(number) is None or not self.book.get(key) or not any(self.book[key][-1].values()):
            return False
        self.book[key].pop()
        return True

    def _word_taken_back(self, number: int) -> bool:
        key = next((key for key, one in self.numbers.items() if one == number), ())
        if self.running or self.stages is None or not self._staged():
            return False
        return self.stages.undo_tie(key, self.cards(), word=True) and self._replaced()

    def _branch(self, fact: dict[str, Any]) -> bool:
        return True

    def _clock(self, fact: dict[str, Any]) -> bool:
        return True


def _place(table: Table, roll: Rolled) -> int:
    return next(at for at, entry in enumerate(table.entries) if entry is roll)
