"""A second engine, written from the text of the rules alone: slow, small, and of another make than the first.

Nothing is updated in place but lists of what counted; whatever is asked is worked out from them anew. It
knows the facts of play, of mending and of people between rounds; not paper scores, closing and tournaments.
"""

from typing import Any

from pi_bunco.rules import RuleSet

Json = dict[str, Any]
POINTS_OF = {"miss": 0, "one": 1, "two": 2}


def kind_of(fact: Json, rules: RuleSet, target: int) -> tuple[str, int | None] | None:
    """What a roll is, and the face of three alike where it is known; None for a wipe that cannot be."""
    dice, call, face = fact.get("dice"), fact.get("call"), fact.get("face")
    if call == "mini" and face:
        dice = [face] * 3
    wipe = rules.scoring.wipe if rules.scoring.wipe != target else None
    if dice:
        n = sum(die == target for die in dice)
        if n == 3:
            return "bunco", target
        if dice[0] == dice[1] == dice[2]:
            return ("wipe" if dice[0] == wipe else "mini"), dice[0]
        return ("miss", "one", "two")[n], None
    if call == "wipe":
        return ("wipe", wipe) if wipe else None
    return str(call), target if call == "bunco" else None


class Tab:
    """A table in a round. `steps` are those that count: rolls, turns, OKs, face-offs, the host's word."""

    def __init__(self, number: int, seats: list[str], ghosts: set[str], rules: RuleSet, target: int) -> None:
        self.number, self.seats, self.ghosts, self.rules, self.target = number, seats, ghosts, rules, target
        self.steps: list[Json] = []
        self.gone: list[Json] = []
        self.clock = 0
        self.bell: int | None = None
        self.dropped = 0
        self.rings = number == 1 or rules.end.tables == "any"

    def points_of(self, kind: str) -> int:
        scoring = self.rules.scoring
        worth = {"mini": scoring.mini, "bunco": scoring.bunco, "wipe": 0}
        match = self.target if scoring.match == "face" else 1
        return worth[kind] if kind in worth else POINTS_OF[kind] * match

    def goes_on(self, kind: str) -> bool:
        if kind == "wipe":
            return not self.rules.scoring.wipe_ends
        if kind == "mini" and self.rules.turn.mini_ends:
            return False
        return self.points_of(kind) > 0

    def state(self, count: int | None = None) -> Json:
        """The state after the first `count` steps, or after all."""
        at: Json = {"seat": 0, "turn": 0, "ended": [], "points": [0, 0], "own": [0] * 4, "rolled": [0] * 4}
        at |= {"buncos": [0] * 4, "minis": [0] * 4, "bag": None, "rolloffs": 0, "winner": None, "off": False}
        for step in self.steps[:count]:
            {"roll": self._roll, "turn": self._turn, "ok": self._ok, "face": self._face, "word": self._word}[
                step["what"]
            ](at, step)
        return at

    def _roll(self, at: Json, step: Json) -> None:
        step["seat"] = seat = at["seat"]
        kind = step["kind"]
        if at["off"] and self.rules.tie.method == "session":
            points = 0 if kind in ("mini", "wipe") else self.points_of(kind)
            at["points"][seat % 2] += points
            again = points > 0
        else:
            self._ordinary(at, step, seat)
            again = self.goes_on(kind)
        at["turn"] += 1
        if not again:
            at["ended"].append(seat)
            at["seat"], at["turn"] = (seat + 1) % 4, 0
            if at["off"] and at["seat"] == 0:
                self._settle(at, self._ahead(at))

    def _ordinary(self, at: Json, step: Json, seat: int) -> None:
        kind, bag = step["kind"], self.rules.traveling
        at["points"][seat % 2] += self.points_of(kind)
        at["own"][seat] += self.points_of(kind)
        if kind == "wipe":
            at["points"][seat % 2] = at["own"][seat] = at["own"][(seat + 2) % 4] = 0
        at["rolled"][seat] += kind == "bunco"
        card: int | None = seat
        if self.seats[seat] in self.ghosts:
            card = (seat + 2) % 4 if self.rules.ghost_marks == "partner" else None
            if card is not None and self.seats[card] in self.ghosts:
                card = None
        if card is None:
            return
        at["buncos"][card] += kind == "bunco"
        at["minis"][card] += kind == "mini"
        if bag == kind or (isinstance(bag, int) and bag == step["alike"]):
            at["bag"] = (step["line"], card)

    def _turn(self, at: Json, step: Json) -> None:
        if at["turn"]:
            at["ended"].append(at["seat"])
        at["seat"], at["turn"] = step["seat"], 0

    def _ok(self, at: Json, _step: Json) -> None:
        winner = self._ahead(at)
        if self.rules.winner.auto:
            enough = self.rules.end.points
            shone = {
                seat % 2
                for seat in range(4)
                if at["rolled"][seat] or (enough is not None and at["own"][seat] >= enough)
            }
            if len(shone) == 1:
                winner = shone.pop()
        self._settle(at, winner)

    def _face(self, at: Json, step: Json) -> None:
        us, them = step["dice"]
        self._settle(at, None if us == them else int(them > us))

    def _word(self, at: Json, step: Json) -> None:
        at["winner"] = step["winner"]

    def _settle(self, at: Json, winner: int | None) -> None:
        at["winner"] = winner
        if winner is None:
            at["off"], at["seat"], at["turn"] = True, 0, 0
            at["rolloffs"] += 1

    def _ahead(self, at: Json) -> int | None:
        us, them = at["points"]
        return None if us == them else int(them > us)

    def done(self, at: Json) -> bool:
        if self.bell is None or at["off"] or at["winner"] is not None:
            return False
        mode = (self.rules.after_bell_head if self.rings else None) or self.rules.after_bell
        if mode == "stop":
            return True
        if at["turn"]:
            return False
        if mode == "finish_turn":
            return True
        if mode == "first_lap":
            return 3 in at["ended"]
        return at["seat"] == 0 and bool(at["ended"]) and at["ended"][-1] == 3

    def in_time(self, step: Json) -> bool:
        return self.bell is not None and (step["before"] or step["t"] <= self.bell)

    def roll(self, fact: Json, line: int) -> tuple[Json | None, Json | None]:
        """The step that a roll makes, if it counts, and the undone one that it replaces."""
        self.clock = max(self.clock, fact["t"])
        found = kind_of(fact, self.rules, self.target)
        if found is None:
            self.dropped += 1
            return None, None
        at = self.state()
        step: Json = {"what": "roll", "kind": found[0], "alike": found[1], "t": self.clock, "line": line}
        step["before"] = False
        old = self.gone[0] if self.gone and not at["off"] else None
        if old and (self.bell is None or "call" in fact):
            step |= {"t": old["t"], "before": old["before"]}
        late = self.bell is not None and not self.in_time(step)
        one_die = at["off"] and self.rules.tie.method == "one_die"
        if at["winner"] is not None or (late and (one_die or self.done(at))):
            self.dropped += 1
            return None, None
        if self.bell is not None and not late and at["off"]:
            self.close_rolloff()
        if old:
            self.gone.pop(0)
        self.steps.append(step)
        self.state()
        return step, old

    def close_rolloff(self) -> None:
        places = [i for i, step in enumerate(self.steps) if step["what"] == "ok"]
        self.steps = self.steps[: places[0]] if places else self.steps

    def rolls(self) -> list[int]:
        return [place for place, step in enumerate(self.steps) if step["what"] == "roll"]

    def undo(self) -> bool:
        if self.state()["winner"] is not None or not self.rolls():
            return False
        last = self.rolls()[-1]
        step = self.steps[last]
        if not self.state(last)["off"]:
            self.gone.insert(0, step)
        self.steps = self.steps[:last]
        return True

    def turn(self, seat: int, n: int, ringer: Json | None) -> bool:
        at, places = self.state(), self.rolls()
        if at["winner"] is not None or at["off"] or n > len(places):
            return False
        again = [self.steps[place] for place in places[len(places) - n :]] if n else []
        if self.done(at):
            waits = bool(self.gone) and self.in_time(self.gone[0])
            mode = (self.rules.after_bell_head if self.rings else None) or self.rules.after_bell
            if not waits and not (mode == "stop" and any(step is ringer for step in again)):
                return False
        start = places[-n] if n else len(self.steps)
        self.steps = [*self.steps[:start], {"what": "turn", "seat": seat}, *again]
        self.state()
        return True


class Rnd:
    """A round: its tables and its bell."""

    def __init__(self, rules: RuleSet, played: int, seating: list[list[str]], people: "Folk") -> None:
        faces = rules.evening.faces
        self.rules, self.set, self.place = rules, played // len(faces) + 1, played % len(faces) + 1
        self.target = faces[self.place - 1]
        self.seating = [list(names) for names in seating]
        self.cards = dict(people.cards)
        self.ghosts = set(people.ghosts)
        self.tables = [
            Tab(number, names, self.ghosts, rules, self.target) for number, names in enumerate(seating, 1)
        ]
        self.bell: Any = None
        self.rang_line = -1
        self.ringer: Json | None = None
        self.changes: list[Any] = []

    def ring(self, t: int, by: str, player: str | None, line: int) -> None:
        self.bell, self.rang_line = {"t": t, "by": by, "player": player}, line
        for table in self.tables:
            table.bell = t
            for step in table.steps:
                step["before"] = True
            for step in table.gone:
                step["before"] = False

    def belongs_to(self, player: str) -> None:
        assert self.bell is not None
        self.bell["player"] = player

    def reached(self, table: Tab, step: Json, count: int) -> str | None:
        """What a counted roll, the last of the first `count` steps, rings by."""
        if not table.rings:
            return None
        if step["kind"] == "bunco" and self.rules.end.bunco:
            return "bunco"
        at, enough = table.state(count), self.rules.end.points
        if enough is None or not table.points_of(step["kind"]):
            return None
        by_player = self.rules.end.points_by == "player"
        total = at["own"][step["seat"]] if by_player else at["points"][step["seat"] % 2]
        return "points" if total >= enough else None

    def roll(self, fact: Json, line: int) -> bool:
        table = self.tables[fact["table"] - 1]
        step, old = table.roll(fact, line)
        if step is None:
            return False
        if self.bell is None:
            by = self.reached(table, step, len(table.steps))
            if by:
                self.ring(table.clock, by, table.seats[step["seat"]], line)
                self.ringer = step
        elif old is not None and old is self.ringer:
            self.ringer = step
            self.belongs_to(table.seats[step["seat"]])
        return True

    def turn(self, fact: Json, line: int) -> bool:
        table = self.tables[fact["table"] - 1]
        n = fact.get("rolls", 0)
        if not table.turn("ABCD".index(fact["seat"]), n, self.ringer):
            return False
        again = range(len(table.steps) - n, len(table.steps))
        for place in again:
            step = table.steps[place]
            player = table.seats[step["seat"]]
            if self.bell is None:
                by = self.reached(table, step, place + 1)
                if by:
                    self.ring(fact["t"], by, player, line)
                    self.ringer = step
            elif step is self.ringer:
                self.belongs_to(player)
        return True

    def void(self) -> bool:
        if self.bell is None:
            return False
        self.bell, self.ringer = None, None
        for table in self.tables:
            table.bell = None
            word = [step for step in table.steps[-1:] if step["what"] == "word"]
            table.steps = table.steps[: len(table.steps) - len(word)]
            table.close_rolloff()
            table.steps += word
        return True

    def confirm(self, table: Tab) -> bool:
        return table.done(table.state()) and not table.steps.append({"what": "ok"})  # type: ignore[func-returns-value]

    def final(self) -> bool:
        return all(table.state()["winner"] is not None for table in self.tables)


class Folk:
    """Players, ghosts, and who has which card."""

    def __init__(self, players: list[str], ghosts: list[str]) -> None:
        self.here, self.ghosts = list(players), list(ghosts)
        self.cards = {name: number for number, name in enumerate(players)}
        self.owners = list(players)


def split(names: list[str], ghosts: set[str]) -> list[str]:
    """C and D changed for ghosts, only if no two share a team then."""

    def paired(four: list[str]) -> bool:
        return {four[0], four[2]} <= ghosts or {four[1], four[3]} <= ghosts

    other = [names[0], names[1], names[3], names[2]]
    return other if paired(names) and not paired(other) else names


def moved(round_: Rnd) -> list[list[str]]:
    """Where everybody sits next."""
    how, count = round_.rules.move.tables, len(round_.tables)
    if how == "stay":
        return [split([a, d, b, c], round_.ghosts) for a, b, c, d in round_.seating]
    stays: list[list[str]] = [[] for _ in range(count)]
    downs: list[list[str]] = [[] for _ in range(count)]
    comes: list[list[str]] = [[] for _ in range(count)]
    for i, table in enumerate(round_.tables):
        w = table.state()["winner"]
        won, gave = [table.seats[w], table.seats[w + 2]], [table.seats[1 - w], table.seats[3 - w]]
        if how == "losers_round" or i == 0:
            stays[i] = won
        else:
            comes[i - 1] = won
        last = count - 1
        if how == "losers_round":
            comes[(i + 1) % count] = gave
        elif how == "losers_to_last":
            if i:
                stays[i] = gave
            else:
                comes[last] = gave
        elif i == last and count > 1:
            stays[i] = gave
        else:
            (comes if i + 1 >= last else downs)[min(i + 1, last)] = gave
    return [split((stays[i] or downs[i]) + comes[i], round_.ghosts) for i in range(count)]


class Reference:
    """An evening; `apply` says whether a fact counted."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.folk = Folk([], [])
        self.seating: list[list[str]] | None = None
        self.round: Rnd | None = None
        self.rounds: list[Rnd] = []
        self.epoch = self.line = 0

    @property
    def over(self) -> bool:
        return len(self.rounds) >= self.rules.evening.sets * len(self.rules.evening.faces)

    def apply(self, fact: Json) -> bool:
        self.line += 1
        kind = fact["kind"]
        if kind in (
            "roll",
            "undo",
            "turn",
            "bell",
            "round_close",
            "confirm",
            "faceoff",
            "decide",
            "bell_void",
        ):
            return self._in_round(kind, fact)
        if kind == "round_cancel":
            return self._cancel(fact)
        step = getattr(self, f"_{kind}", None)
        return True if step is None else bool(step(fact))

    def _strange(self, fact: Json) -> bool:
        return self.round is None or fact.get("epoch") not in (None, self.epoch)

    def _in_round(self, kind: str, fact: Json) -> bool:
        if self._strange(fact):
            return False
        round_ = self.round
        assert round_ is not None
        table = round_.tables[fact["table"] - 1] if "table" in fact else None
        counted = self._step(kind, fact, round_, table)
        if counted and round_.final():
            self._finish(round_)
        return counted

    def _step(self, kind: str, fact: Json, round_: Rnd, table: Tab | None) -> bool:
        if table is None:
            if kind == "bell_void":
                return round_.void()
            if kind == "round_close":
                if round_.bell:
                    return False
                round_.ring(fact["t"], "time" if fact.get("by") == "time" else "host", None, self.line)
                return True
            if round_.bell is None or round_.rang_line != self.line - 1:
                return False
            round_.ring(fact["t"], round_.bell["by"], round_.bell["player"], round_.rang_line)
            return True
        at = table.state()
        if kind == "roll":
            return round_.roll(fact, self.line)
        if kind == "undo":
            return table.undo()
        if kind == "turn":
            return round_.turn(fact, self.line)
        if kind == "confirm":
            return round_.confirm(table)
        if kind == "faceoff":
            if not at["off"] or at["winner"] is not None or self.rules.tie.method != "one_die":
                return False
            table.clock = max(table.clock, fact["t"])
            table.steps.append({"what": "face", "dice": fact["dice"]})
            return True
        if at["winner"] is not None:
            return False
        table.steps.append({"what": "word", "winner": ("US", "THEM").index(fact["winner"])})
        return True

    def _cancel(self, fact: Json) -> bool:
        if self._strange(fact):
            return False
        assert self.round is not None
        changes, self.round = self.round.changes, None
        for change in changes:
            self._change(change)
        return True

    def _round_open(self, _fact: Json) -> bool:
        if self.round or self.over or not self.seating:
            return False
        if any(set(names) <= set(self.folk.ghosts) for names in self.seating):
            return False
        self.epoch += 1
        self.round = Rnd(self.rules, len(self.rounds), self.seating, self.folk)
        return True

    def _reopen(self, fact: Json) -> bool:
        round_ = self.round or (self.rounds[-1] if self.rounds else None)
        if round_ is None or round_.tables[fact["table"] - 1].state()["winner"] is None:
            return False
        table = round_.tables[fact["table"] - 1]
        table.steps.pop()
        if self.round is None:
            self.round = self.rounds.pop()
            self.seating = [list(names) for names in round_.seating]
        return True

    def _finish(self, round_: Rnd) -> None:
        self.rounds.append(round_)
        self.round = None
        self.seating = moved(round_)
        changes, round_.changes = round_.changes, []
        for change in changes:
            self._change(change)

    def _change(self, change: tuple[str, str, set[str]]) -> None:
        old, new, ghosts = change
        if self.rounds:
            self.rounds[-1].changes.append(change)
        if self.seating:
            for i, names in enumerate(self.seating):
                if old in names:
                    self.seating[i] = split([new if name == old else name for name in names], ghosts)

    def _evening(self, fact: Json) -> bool:
        self.folk = Folk(fact["players"], fact["ghosts"])
        return True

    def _seating(self, fact: Json) -> bool:
        self.seating = [split(list(names), set(self.folk.ghosts)) for names in fact["tables"]]
        return True

    def _leave(self, fact: Json) -> bool:
        folk, name = self.folk, fact["player"]
        if self.round or self.over or name not in folk.here:
            return False
        taken = {*folk.ghosts, *folk.owners}
        ghost = next(g for k in range(1, 99) if (g := f"Ghost {k}") not in taken)
        folk.here.remove(name)
        folk.ghosts.append(ghost)
        self._change((name, ghost, set(folk.ghosts)))
        return True

    def _arrive(self, fact: Json) -> bool:
        folk, name = self.folk, fact["player"]
        if self.round or self.over or name in folk.here or name in folk.ghosts or not folk.ghosts:
            return False
        ghost = min(folk.ghosts, key=lambda one: int(one.split()[1]))
        folk.ghosts.remove(ghost)
        folk.here.append(name)
        if name not in folk.cards:
            folk.cards[name] = len(folk.owners)
            folk.owners.append(name)
        self._change((ghost, name, set(folk.ghosts)))
        return True

    def _substitute(self, fact: Json) -> bool:
        folk, out, new = self.folk, fact["out"], fact["in"]
        if self.round or self.over or out not in folk.here or new in folk.ghosts or new in folk.cards:
            return False
        card = folk.cards.pop(out)
        folk.cards[new], folk.owners[card] = card, new
        folk.here[folk.here.index(out)] = new
        self._change((out, new, set()))
        return True

    # What comes of it, in the words of `pi-bunco replay --json`.

    def report(self) -> Json:
        standings = {
            name: dict.fromkeys(("wins", "losses", "buncos", "minis", "points"), 0)
            for name in self.folk.owners
        }
        bag = None
        for round_ in [*self.rounds, *([self.round] if self.round else [])]:
            handed = [(at["bag"], table) for table in round_.tables if (at := table.state())["bag"]]
            if handed:
                (_, seat), table = max(handed, key=lambda pair: pair[0][0])
                bag = round_.cards[table.seats[seat]]
        for round_ in self.rounds:
            for table in round_.tables:
                at = table.state()
                for seat, name in enumerate(table.seats):
                    if name not in round_.ghosts:
                        card = standings[self.folk.owners[round_.cards[name]]]
                        card["wins" if at["winner"] == seat % 2 else "losses"] += 1
                        card["buncos"] += at["buncos"][seat]
                        card["minis"] += at["minis"][seat]
                        card["points"] += at["own"][seat]
        traveler = None if bag is None or self.rules.traveling is None else self.folk.owners[bag]
        return {
            "rounds": [self._round_report(round_) for round_ in self.rounds],
            "next_seating": self.seating,
            "standings": standings,
            "traveler": traveler,
        }

    def _round_report(self, round_: Rnd) -> Json:
        tables = []
        for table in round_.tables:
            at = table.state()
            tables.append(
                {
                    "table": table.number,
                    "seats": table.seats,
                    "points": at["points"],
                    "winner": ("US", "THEM")[at["winner"]],
                    "rolloffs": at["rolloffs"],
                    "ignored": table.dropped,
                    "cards": [
                        {
                            "player": name,
                            "points": at["own"][seat],
                            "buncos": at["buncos"][seat],
                            "minis": at["minis"][seat],
                        }
                        for seat, name in enumerate(table.seats)
                    ],
                }
            )
        return {
            "set": round_.set,
            "round": round_.place,
            "face": round_.target,
            "bell": round_.bell,
            "tables": tables,
        }
