"""The evening: takes one fact after another, and says why it does not take one."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from game.independent import ringing
from game.independent.moving import Chairs, ghosts_apart
from game.independent.people import People, ghost_number
from game.independent.prizes import Ground, Place, Prize, Word, decided, standing_word
from game.independent.rounds import Round, Since
from game.independent.ruleset import ruleset
from game.independent.standings import Card, bag_holder, buncos, cards
from game.independent.table import Bell, Table
from game.independent.ties import Key, Standing, Throw, Throws, Tie
from game.independent.tournament import Place as StagePlace
from game.independent.tournament import Stages, drawn_tables


@dataclass
class Began:
    """The seats of a stage that began after so many rounds."""

    name: str
    after: int
    chairs: list[Chairs]
    since: Since = field(default_factory=Since)


Fact = dict[str, Any]
Why = str | None
AT_TABLES = ("roll", "undo", "turn", "confirm", "faceoff", "decide", "tally", "bell_seen")
ALWAYS = ("bypass", "restore", "hand", "pause")
AFTER_CLOSE = ("bell_seen", "evening_reopen", "prize", "rolloff", "roll", "undo", "tie")


class Evening:
    """All that is known after the facts so far."""

    def __init__(self, opened: Fact) -> None:
        self.opened = opened
        self.rules = ruleset(opened["rules"], opened.get("overrides") or {})
        seed = opened.get("seed")
        self.seed = str(opened.get("id", "") if seed is None else seed)
        self.people = People([name for name in opened["players"] if ghost_number(name) is None])
        self.epoch = 0
        self.line = 0
        self.seated: list[Chairs] | None = None
        self.since = Since()
        self.groups: list[list[int]] | None = opened.get("groups")
        self.rounds: list[Round] = []
        self.running: Round | None = None
        self.rang_line: int | None = None
        self.began: list[Began] = []
        self.in_break = False
        self.closed = False
        self.final_t = 0
        self.throws = Throws()
        self.words: dict[Place, list[Word]] = {}
        self.stages = Stages(self.seed, self.throws) if self.rules["tournament"] else None

    # how it stands

    def faces(self) -> list[int]:
        """The target faces of a set."""
        return list(self.rules["evening.faces"])

    def group_rounds(self) -> int:
        """How many rounds the sets have."""
        return int(self.rules["evening.sets"]) * len(self.faces())

    def stage(self) -> str | None:
        """The stage of a tournament."""
        return None if self.stages is None else self.stages.now.stage

    def rounds_left(self) -> bool:
        """Whether another round follows before anything else."""
        if self.stage() in (None, "groups"):
            return len(self.rounds) < self.group_rounds()
        if self.stage() != "semi_final":
            return False
        return len(self.rounds) < self.began[0].after + len(self.faces())

    def over(self) -> bool:
        """Whether all rounds of the evening, and of a tournament its final, have been played."""
        if self.rules["tournament"]:
            return self.stage() == "done"
        return not self.rounds_left() and self.running is None

    def results_stand(self) -> bool:
        """Whether prizes are to be given."""
        return self.closed or self.over()

    def chairs(self) -> list[Chairs] | None:
        """Who sits where now, or in the next round."""
        if self.running is not None:
            return self.running.chairs
        if self.began and self.began[-1].after == len(self.rounds):
            return self.began[-1].since.seats(self.began[-1].chairs)
        if self.rounds:
            return self.rounds[-1].seats_after()
        return None if self.seated is None else self.since.seats(self.seated)

    def latest(self) -> Since:
        """Where a change of the chairs is noted."""
        if self.began and self.began[-1].after == len(self.rounds):
            return self.began[-1].since
        return self.rounds[-1].since if self.rounds else self.since

    def counted(self) -> list[Round]:
        """The rounds that are finished."""
        return self.rounds

    def cards(self) -> list[Card]:
        """What everybody has."""
        return cards(len(self.people.names), self.rounds)

    def holder(self) -> int | None:
        """Who holds the traveling bag."""
        rounds = [*self.rounds, *([self.running] if self.running is not None else [])]
        return bag_holder(rounds, self.rules["traveling_nth"])

    # facts

    def take(self, fact: Fact, line: int) -> Why:
        """Why it changes nothing, if so."""
        self.line = line
        kind = fact["kind"]
        if kind in ("clock", "branch"):
            return None
        if kind == "evening":
            return "an evening is open"
        if self.closed and kind not in AFTER_CLOSE:
            return "the evening is closed"
        if kind == "bell_seen":
            return None
        if self.closed and self.running is not None and kind in AT_TABLES:
            return "the evening is closed"
        if self.running is not None and fact.get("tie") is not None and kind in ("roll", "undo"):
            return "this tie does not stand"
        if kind in AT_TABLES and (self.running is not None or kind not in ("roll", "undo")):
            return self._at_table(fact)
        handler: Callable[[Fact], Why] = getattr(self, f"_{kind}")
        return handler(fact)

    def _wrong_epoch(self, fact: Fact) -> bool:
        epoch = self.running.epoch if self.running is not None else self.epoch
        return fact.get("epoch") not in (None, epoch)

    # seats

    def _seating(self, fact: Fact) -> Why:
        if self.running is not None:
            return "a round is running"
        why = self._past()
        if why or self.stage() not in (None, "groups", "semi_final"):
            return why or "nobody changes seats now"
        names = [name for table in fact["tables"] for name in table]
        if len(set(names)) != len(names) or not all(names):
            return "a name twice"
        persons = [name for name in names if ghost_number(name) is None]
        if not persons:
            return "nobody is left"
        there = set(self.people.there)
        if self.began:
            there &= {chair for table in self.chairs() or [] for chair in table}
        missing = [person for person in there if self.people.names[person] not in persons]
        if missing:
            return "not everybody has a chair"
        strangers = [name for name in persons if self.people.person(name) not in there]
        if strangers and (not self.rounds or self.began):
            return "no guests now"
        count = len(fact["tables"])
        if count != math.ceil(len(persons) / 4) and count != len(self.chairs() or []):
            return "too many or too few tables"
        if not self.rules["ghosts"] and len(persons) < len(names):
            return "no ghosts"
        before = self.chairs()
        for name in strangers:
            self.people.arrives(name)
        tables = [[self._chair(name) for name in table] for table in fact["tables"]]
        tables = [ghosts_apart(table) for table in tables]
        if before is not None and len(before) != count:
            self.groups = None
        if self.rounds:
            self.latest().fixed, self.latest().changes = tables, []
        else:
            self.seated, self.since = tables, Since()
        return None

    def _past(self) -> Why:
        """Why nobody comes, goes or moves any more."""
        if self.over():
            return "the last round has been played"
        return "a place is rolled for" if self._place_is_open() else None

    def _place_is_open(self) -> bool:
        stages = self.stages
        return stages is not None and any(contest.is_open() for contest in stages.now.contests)

    def _not_there(self, name: str) -> bool:
        return self.people.person(name) not in self.people.there

    def _chair(self, name: str) -> int:
        ghost = ghost_number(name)
        if ghost is not None:
            return -ghost
        person = self.people.person(name)
        assert person is not None
        return person

    def _may_change(self, name: str) -> Why:
        if self.running is not None:
            return "a round is running"
        if self.over():
            return "the last round has been played"
        if ghost_number(name) is not None:
            return "a ghost's name"
        return None

    def _leave(self, fact: Fact) -> Why:
        why = self._may_change(fact["player"])
        if why:
            return why
        if self._not_there(fact["player"]):
            return "not playing"
        person = self._chair(fact["player"])
        if self.chairs() is not None:
            used = {-chair for table in self.chairs() or [] for chair in table if chair < 0}
            ghost = next(number for number in range(1, len(used) + 2) if number not in used)
            seated = any(person in table for table in self.chairs() or [])
            self.latest().changes.append((person, -ghost))
        self.people.there.discard(person)
        stages, at_order = self.stages, self.stage() in ("order", "final")
        if stages is not None and self.stage() != "groups" and stages.now.winner is None:
            played = self.stage() == "semi_final" and len(self.rounds) > self.began[0].after
            if not played or stages.now.finalists or at_order:
                chair = -ghost if seated and self.stage() != "qualification" else None
                self._know()
                stages.left(person, chair)
                self._seat_found()
        return None

    def _arrive(self, fact: Fact) -> Why:
        why = self._may_change(fact["player"])
        if why:
            return why
        if not self._not_there(fact["player"]):
            return "playing already"
        if self.stage() not in (None, "groups"):
            return "too late"
        chairs = self.chairs()
        if chairs is None:
            self.people.arrives(fact["player"])
            return None
        ghosts = [chair for table in chairs for chair in table if chair < 0]
        if not ghosts:
            return "no empty chair"
        self.latest().changes.append((max(ghosts), self.people.arrives(fact["player"])))
        return None

    def _substitute(self, fact: Fact) -> Why:
        why = self._may_change(fact["in"])
        if why:
            return why
        if self._not_there(fact["out"]):
            return "not playing"
        if self.people.person(fact["in"]) is not None:
            return "has a card"
        self.people.names[self._chair(fact["out"])] = fact["in"]
        if self.stages is not None:
            self.stages.barrier()
        return None

    # rounds

    def _round_open(self, fact: Fact) -> Why:
        chairs = self.chairs()
        if self.running is not None:
            return "a round is running"
        if chairs is None:
            return "nobody has a seat"
        if not self.rounds_left() or self._place_is_open():
            return "no round is left"
        if any(all(chair < 0 for chair in table) for table in chairs):
            return "a table of ghosts"
        at, faces = len(self.rounds), self.faces()
        self.epoch = fact.get("epoch") or self.epoch + 1
        names = self.people.on_chairs(chairs)
        target = faces[at % len(faces)]
        tables = [Table(number, seats, self.rules, target) for number, seats in enumerate(names, 1)]
        every = [list(range(1, len(tables) + 1))]
        groups = every if self.began or not self._grouped(len(tables)) else self.groups or every
        self.running = Round(
            at + 1, at // len(faces) + 1, at % len(faces) + 1, target, self.epoch, self.stage(),
            chairs, tables, groups, self.rules["move.tables"],
        )  # fmt: skip
        self.running.ended_break, self.in_break = self.in_break, False
        return None

    def _grouped(self, tables: int) -> bool:
        numbers = [number for group in self.groups or [] for number in group]
        return sorted(numbers) == list(range(1, tables + 1))

    def _at_table(self, fact: Fact) -> Why:
        if self._wrong_epoch(fact):
            return "of another round"
        round_ = self.running
        if round_ is None:
            return "no round is open"
        if fact["table"] > len(round_.tables):
            return "no such table"
        table = round_.tables[fact["table"] - 1]
        why = self._done_at(table, fact)
        if why is None:
            self._settle()
            if self.running is None:
                self.final_t = fact["t"]
        return why

    def _done_at(self, table: Table, fact: Fact) -> Why:
        round_ = self.running
        assert round_ is not None
        kind, bell = fact["kind"], round_.bell
        if kind == "roll":
            rolled = table.roll(fact, self.line, bell)
            if rolled is not None and bell is None:
                by = ringing.rings(table, rolled)
                if by is not None:
                    self._ring(Bell(rolled.t, *by), rolled)
            return None if rolled is not None else "it does not count"
        if kind == "confirm" and (called := table.called_out(bell)) is not None:
            by = ringing.rings(table, called) if bell is None else None
            if by is not None:
                self._ring(Bell(fact["t"], *by), called)
            return None
        if kind == "turn":
            again = table.turn(fact, bell)
            if again is None:
                return "not now"
            for roll in again if bell is None else []:
                by = ringing.rings(table, roll)
                if by is not None:
                    self._ring(Bell(fact["t"], *by), roll)
                    break
            return None
        done = {
            "undo": lambda: table.undo(),
            "confirm": lambda: table.confirm(bell),
            "faceoff": lambda: table.face_off(fact),
            "decide": lambda: table.decide(fact["winner"]),
            "tally": lambda: table.tally(fact["cards"], self.line, bell),
        }[kind]()
        return None if done else "not now"

    def _ring(self, bell: Bell, roll: Any) -> None:
        assert self.running is not None
        ringing.ring(self.running, bell, roll)
        self.rang_line = self.line

    def _settle(self) -> None:
        round_ = self.running
        assert round_ is not None
        if round_.bell is not None and round_.bell.by in ("points", "bunco", "roll"):
            round_.bell.player = ringing.who_rang(round_) or round_.bell.player
        if round_.final():
            self.rounds.append(round_)
            self.running = None
            self.in_break = self.in_break or self._break_is_due()
            self._stage_played()

    def _break_is_due(self) -> bool:
        after, played = self.rules["evening.break_after"], len(self.rounds)
        if self.began or played == self.group_rounds():
            return not self.began and bool(self.rules["tournament"])
        return after is not None and played == after * len(self.faces())

    def _bell(self, fact: Fact) -> Why:
        round_ = self.running or (self.rounds[-1] if self.rounds else None)
        if round_ is None or round_.bell is None or self._wrong_epoch(fact):
            return "nothing rang"
        if self.rang_line != self.line - 1:
            return "not behind what rang"
        round_.bell.t = fact["t"]
        return None

    def _round_close(self, fact: Fact) -> Why:
        if self.running is None or self._wrong_epoch(fact):
            return "no round is open"
        if self.running.bell is not None:
            return "the bell has rung"
        self._ring(Bell(fact["t"], "time" if fact.get("by") == "time" else "host", None), None)
        return None

    def _bell_void(self, fact: Fact) -> Why:
        if self.running is None or self._wrong_epoch(fact):
            return "no round is open"
        if self.running.bell is None:
            return "no bell has rung"
        self.running.bell = None
        for table in self.running.tables:
            table.bell_void()
        return None

    def _round_cancel(self, fact: Fact) -> Why:
        round_ = self.running
        if round_ is None or self._wrong_epoch(fact):
            return "no round is open"
        self.running = None
        self.in_break = round_.ended_break
        self.latest().follow(round_.since)
        return None

    def _reopen(self, fact: Fact) -> Why:
        round_ = self.running or (self.rounds[-1] if self.rounds else None)
        if round_ is None or fact["table"] > len(round_.tables):
            return "no round"
        if self.running is None and self.stage() not in (None, "qualification", round_.stage):
            return "the next stage has begun"
        if not round_.tables[fact["table"] - 1].reopen():
            return "not final"
        if self.running is None:
            self.rounds.pop()
            self.running = round_
            if self.stages is not None:
                self.stages.begin(str(round_.stage), len(self.rounds))
                self.stages.now.finalists, self.stages.now.contests = [], []
                if round_.stage == "groups":
                    self.stages.now.places = []
        return None

    def _pause(self, fact: Fact) -> Why:
        self.in_break = self.in_break or self.running is None
        return None

    def _resume(self, fact: Fact) -> Why:
        if not self.in_break:
            return "no break"
        self.in_break = False
        return None

    def _ignored_never(self, fact: Fact) -> Why:
        return None

    _bypass = _restore = _hand = _ignored_never

    # the end

    def _evening_close(self, fact: Fact) -> Why:
        self.closed = True
        return None

    def _evening_reopen(self, fact: Fact) -> Why:
        if not self.closed:
            return "not closed"
        self.closed = False
        return None

    # ties

    def ground(self) -> Ground:
        """What prizes are decided from."""
        return Ground(
            self.rules, self.people.names, sorted(self.people.there), self.cards(), buncos(self.rounds),
            self.holder(), self.grand(), self.seed, len(self.rounds),
        )  # fmt: skip

    def prizes(self) -> list[Prize]:
        """All prizes as they stand."""
        return decided(self.ground(), self.words, self.throws)

    def champion_tie(self) -> Tie | None:
        """The best of all where several are equal."""
        ground = self.ground()
        ranked = ground.ranked("champion", ground.eligible)
        if not ranked or len(ranked[0]) == 1:
            return None
        return Tie("champion", ranked[0], len(self.rounds), 0)

    def _know(self) -> None:
        """Tells the stages how all stands."""
        if self.stages is not None:
            semi = self.rounds[self.began[0].after :] if self.began else []
            rounds = semi or self.rounds
            self.stages.cards = cards(len(self.people.names), rounds)
            self.stages.there, self.stages.names = self.people.there, self.people.names

    def _stage_played(self) -> None:
        stages, chairs = self.stages, self.chairs()
        if stages is None or self.rounds_left() or chairs is None:
            return
        self._know()
        if stages.now.stage == "groups":
            every = [list(range(1, len(chairs) + 1))]
            groups = self.groups or every if self._grouped(len(chairs)) else every
            stages.now.members = [
                [one for at in group for one in chairs[at - 1] if one >= 0] for group in groups
            ]
            stages.begin("qualification", len(self.rounds))
            stages.now.places = [
                StagePlace(by, group) for group in range(1, len(groups) + 1) for by in ("wins", "buncos")
            ]
        else:
            stages.begin("semi_final", len(self.rounds))
            stages.now.finalists = [StagePlace("wins"), StagePlace("buncos")]
        stages.fill()
        stages.recall()
        self._seat_found()

    def _seat_found(self) -> None:
        """Who was found for a place takes the chair from the ghost."""
        assert self.stages is not None
        if self.stages.seated:
            self.stages.barrier()
        for ghost, person in self.stages.seated:
            self.latest().changes.append((ghost, person))
        self.stages.seated = []

    def grand(self) -> int | None:
        """Who has won the grand prize."""
        return self.stages.now.winner if self.stages is not None and self.stage() == "done" else None

    def standing_ties(self) -> list[Tie]:
        """All ties that stand now, those of a stage first."""
        ties: list[Tie] = []
        if self.running is None and not self.closed and self.stages is not None:
            ties += [contest.tie for contest in self.stages.now.contests if contest.is_open()]
        if self.results_stand():
            ties += [prize.tie for prize in self.prizes() if prize.tie is not None]
            champion = self.champion_tie()
            ties += [champion] if champion is not None else []
        return ties

    def is_open(self, tie: Tie) -> bool:
        """Whether it is rolled for; the host's word settles a prize."""
        if tie.stage is None and any(prize.tie == tie and prize.winners for prize in self.prizes()):
            return False
        return self.standing(tie).winner() is None

    def standing(self, tie: Tie) -> Standing:
        contest = self.stages.contest(tie.key()) if self.stages is not None and tie.stage else None
        return contest.now if contest is not None else self.throws.standing(tie)

    def _throw(self, tie: Tie, throw: Throw) -> None:
        if tie.stage is None or self.stages is None:
            self.throws.add(tie, throw)
            return
        self._know()
        self.stages.throw(tie, throw)
        self._seat_found()

    def _named(self, fact: Fact) -> tuple[Tie | None, Why]:
        """The tie that a fact is for: by number, else the first open one of its purpose, place and group."""
        ties = self.standing_ties()
        if fact.get("tie") is not None:
            key = self.throws.numbers.get(fact["tie"])
            found = [tie for tie in ties if tie.key() == key]
            return (found[0], None) if found else (None, "this tie does not stand")
        for tie in ties:
            about = (fact["for"], fact.get("place") or 1, fact.get("group"))
            if (tie.purpose, tie.place, tie.group) == about and self.is_open(tie):
                return tie, None
        return None, None

    def _tie(self, fact: Fact) -> Why:
        if fact["id"] in self.throws.numbers:
            return "the number is used"
        ties = self.standing_ties()
        persons = [self.people.person(name) for name in fact["players"]]
        for tie in ties:
            if (tie.purpose, tie.place, tie.stage, tie.group, tie.rounds) == (
                fact["for"], fact.get("place", 1), fact.get("stage"), fact.get("group"), fact["rounds"]
            ) and sorted(tie.persons) == sorted(-1 if one is None else one for one in persons):  # fmt: skip
                if tie.key() in self.throws.numbers.values():
                    return "it has a number"
                self.throws.numbers[fact["id"]] = tie.key()
                return None
        return "no such tie stands"

    def _rolloff(self, fact: Fact) -> Why:
        if fact["for"] == "final" and self.stage() == "final" and fact.get("tie") is None and not self.closed:
            return self._final_rolloff(fact)
        tie, why = self._named(fact)
        if tie is None or tie.purpose == "champion":
            return why or "no such tie"
        if not fact["dice"]:
            if tie.dice or tie.key() in self.throws.opened:
                return "nobody rolled"
            self.throws.opened.add(tie.key())
            return None
        awaited = self.standing(tie).awaited()
        throw: dict[int, int] = {}
        for name, dice in fact["dice"].items():
            person = self.people.person(name)
            if person not in awaited or person is None or len(dice) != self.throws.dice(tie):
                return "not awaited"
            throw[person] = sum(dice)
        self._throw(tie, throw)
        return None

    def _final_rolloff(self, fact: Fact) -> Why:
        assert self.stages is not None
        thrower = self.stages.thrower()
        if len(fact["dice"]) != 1:
            return "one throws"
        ((name, dice),) = fact["dice"].items()
        if thrower is None or self.people.person(name) != thrower or len(dice) != 3:
            return "not awaited"
        self.stages.throw_in_final(dice)
        return None

    def _roll(self, fact: Fact) -> Why:
        if self.closed and fact.get("tie") is None:
            return "the evening is closed"
        if fact.get("tie") is not None:
            key = self.throws.numbers.get(fact["tie"])
            found = [tie for tie in self.standing_ties() if tie.key() == key]
        else:
            found = [
                tie
                for tie in self.standing_ties()
                if self.table_of(tie) == fact["table"] and self.is_open(tie)
            ]
        dice = fact.get("dice")
        if fact["t"] < self.final_t:
            return "it was made before the round was over"
        open_ = [tie for tie in found if self._awaits(tie)]
        if dice is None:
            return "no round is open"
        if open_:
            tie = open_[0]
            awaited = self.standing(tie).awaited()
            if self.throws.dice(tie) == 1:
                self._throw(tie, dict(zip(awaited, dice, strict=False)))
            else:
                self._throw(tie, {awaited[0]: sum(dice)})
            return None
        thrower = self.stages.thrower() if self.stages is not None else None
        if fact.get("tie") is None and thrower is not None and fact["table"] == 1 and self.stages is not None:
            self.stages.throw_in_final(dice)
            return None
        return "no round is open"

    def _awaits(self, tie: Tie) -> bool:
        if not tie.dice and tie.key() not in self.throws.opened:
            return False
        return bool(self.standing(tie).awaited())

    def table_of(self, tie: Tie) -> int:
        """The table at which a tie is rolled."""
        if tie.stage == "groups" and self._grouped(len(self.chairs() or [])) and self.groups:
            return min(self.groups[(tie.group or 1) - 1])
        return 1

    def _undo(self, fact: Fact) -> Why:
        if fact.get("tie") is not None:
            key = self.throws.numbers.get(fact["tie"])
            if self._of_stage(key):
                if self.closed:
                    return "the evening is closed"
                return self._take_back(key, word=False)
            tie = next((tie for tie in self.standing_ties() if tie.key() == key), None)
            return None if tie is not None and self.throws.take_back(tie) else "no throw"
        if self.closed:
            return "the evening is closed"
        if self.stages is None or not self.stages.since:
            return "no throw"
        key = self.stages.since[-1][0]
        contest = self.stages.contest(key)
        at = 1 if contest is None else self.table_of(contest.tie)
        return self._take_back(key, any_tie=True) if fact["table"] == at else "another table has rolled since"

    def _of_stage(self, key: Key | None) -> bool:
        return self.stages is not None and self.stages.contest(key) is not None

    def _take_back(self, key: Key | None, *, any_tie: bool = False, word: bool | None = None) -> Why:
        assert self.stages is not None
        self._know()
        done = self.stages.take_back(key, any_tie=any_tie, word=word)
        self._seat_found()
        return None if done else "no throw"

    def _prize(self, fact: Fact) -> Why:
        to = [fact["to"]] if isinstance(fact["to"], str) else list(fact["to"])
        key = self.throws.numbers.get(fact.get("tie") or 0)
        if not to and key is not None and self._of_stage(key):
            return self._take_back(key, word=True)
        tie, why = self._named(fact)
        if why:
            return why
        persons = [self.people.person(name) for name in to]
        if any(person is None for person in persons) or len(set(persons)) < len(persons):
            return "not a player"
        if tie is not None and tie.stage is not None:
            if not persons:
                return self._take_back(tie.key(), word=True)
            if len(persons) != 1 or persons[0] not in self.standing(tie).still:
                return "name one of those who are still equal"
            self._throw(tie, int(persons[0] or 0))
            return None
        what, place = (tie.purpose, tie.place) if tie is not None else (fact["for"], fact.get("place") or 1)
        declared = {(one["for"], one.get("place", 1)) for one in self.rules["prizes"]} | {("champion", 1)}
        if (what, place) not in declared:
            return "no such prize"
        ground = self.ground()
        if not persons:
            stands = standing_word(self.words.get((what, place), []), what, ground) is not None
            self.words.pop((what, place), None) if stands else None
            return None if stands else "no word"
        word = Word([int(one) for one in persons if one is not None], ground.seen(what), ground.rounds)
        self.words.setdefault((what, place), []).append(word)
        return None

    # a tournament's stages

    def next_stage(self) -> str | None:
        """The stage that can begin now."""
        stages = self.stages
        if stages is None or self.running is not None or self.rounds_left() or self._place_is_open():
            return None
        after = {"qualification": "semi_final", "semi_final": "order", "order": "final", "final": "done"}
        coming = after.get(stages.now.stage)
        return None if coming == "done" and stages.now.winner is None else coming

    def seating(self) -> list[list[str]]:
        """The names on the chairs; one empty table before there are any."""
        return self.people.on_chairs(self.chairs() or [[]])

    def _stage(self, fact: Fact) -> Why:
        stages, wanted = self.stages, fact["stage"]
        if stages is None or self.next_stage() != wanted:
            return "not yet"
        self._know()
        if wanted == "semi_final" and not self.people.there:
            return "nobody is left"
        tables = self.stage_seats(wanted)
        if fact.get("tables") is not None and fact["tables"] != tables:
            return "the draw seats other players"
        if tables:
            chairs = [[self._chair(name) for name in table] for table in tables]
            if all(chair < 0 for table in chairs for chair in table):
                return "nobody is left"
            self.began.append(Began(wanted, len(self.rounds), chairs))
        stages.begin(wanted, len(self.rounds))
        if wanted == "order":
            stages.now.finalists += [StagePlace("drawn"), StagePlace("wild_card")]
            stages.fill()
            stages.recall()
        return None

    def stage_seats(self, wanted: str) -> list[list[str]]:
        """The tables of a stage; none where everybody keeps the chair."""
        assert self.stages is not None
        self._know()
        names = self.people.names
        if wanted == "semi_final":
            persons = [place.person for place in self.stages.now.places if place.person is not None]
            return drawn_tables([names[person] for person in persons], self.seed)
        if wanted != "order":
            return []
        places = [*self.stages.now.finalists, StagePlace("drawn"), StagePlace("wild_card")]
        return [[
            f"Ghost {at}" if person is None else names[person]
            for at, person in enumerate(self.stages.final_table(places), 1)
        ]]  # fmt: skip
