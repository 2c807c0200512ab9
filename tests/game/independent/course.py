"""The course of a table's round: worked out from the list of what counts there."""

from dataclasses import dataclass, field
from typing import Any

from game.independent.dice import Outcome


@dataclass
class Rolled:
    """A roll that counts, of a line of the log; `origin` is the line of the first roll in its place."""

    outcome: Outcome
    t: int
    time: int
    line: int
    origin: int
    at_bell: bool = False
    rang: bool = False
    rolloff: bool = False


@dataclass
class TurnOf:
    """From here on it is the turn of a seat."""

    seat: int
    at_bell: bool = False


@dataclass
class Okayed:
    """The scorekeeper's OK."""

    at_bell: bool = False


@dataclass
class FacedOff:
    """One die for each side, in the order of the seats."""

    dice: list[int]
    at_bell: bool = False


@dataclass
class Decided:
    """The host's word."""

    winner: str
    at_bell: bool = False


@dataclass
class Tallied:
    """A score on paper."""

    cards: list[dict[str, int]]
    line: int
    at_bell: bool = False


Entry = Rolled | TurnOf | Okayed | FacedOff | Decided | Tallied


Mark = tuple[int, int, str]
"""Line of the log, seat, and the mark, or the thing that is handed on."""


@dataclass
class Course:
    """The sum of a list of entries."""

    rules: dict[str, Any]
    order: list[int]
    points: list[int] = field(default_factory=lambda: [0] * 4)
    extra: list[int] = field(default_factory=lambda: [0] * 4)
    buncos: list[int] = field(default_factory=lambda: [0] * 4)
    minis: list[int] = field(default_factory=lambda: [0] * 4)
    ones_twos_threes: list[int] = field(default_factory=lambda: [0] * 4)
    seat: int = 0
    rolls: int = 0
    last_taken: int | None = None
    last_had_a_turn: bool = False
    tallied: Tallied | None = None
    rolloff: bool = False
    rolloffs: int = 0
    winner: str | None = None
    roller: int = 0
    gained: int = 0
    rolled: set[int] = field(default_factory=set)
    among: list[int] = field(default_factory=list)
    tied: list[int] = field(default_factory=list)
    once: bool = False
    marks: list[Mark] = field(default_factory=list)
    handed: list[Mark] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.seat = self.order[0]

    def totals(self) -> list[int]:
        """US, THEM; of each seat where all are for themselves; of the table where that is a team."""
        if self.rules["team"] == "none":
            return [self.points[seat] + self.extra[seat] for seat in range(4)]
        if self.rules["team"] == "table":
            return [sum(self.points)]
        us, them = (self.points[team] + self.points[team + 2] + self.extra[team] for team in (0, 1))
        return [us, them]

    def side(self, seat: int) -> int:
        """The place of a seat's points in the totals."""
        return {"pairs": seat % 2, "none": seat, "table": 0}[self.rules["team"]]

    def best(self) -> list[int]:
        """The seats with the most points, where all are for themselves."""
        totals = self.totals()
        return [seat for seat in self.order if totals[seat] == max(totals[one] for one in self.order)]

    def add(self, entry: Entry) -> None:
        """Goes one entry further."""
        if isinstance(entry, Rolled):
            self._roll(entry)
        elif isinstance(entry, TurnOf):
            self._next_turn(entry.seat)
        elif isinstance(entry, Okayed):
            self._ok()
        elif isinstance(entry, FacedOff):
            self._face_off(entry)
        elif isinstance(entry, Decided):
            self.winner, self.rolloff = entry.winner, False
        else:
            self._tally(entry)

    def _roll(self, roll: Rolled) -> None:
        self.roller = self.seat
        self.rolls += 1
        if self.rolloff and self.rules["tie.method"] != "lap":
            points = roll.outcome.session
            self.extra[self.side(self.seat)] += points
            if not points or self.once:
                self._turn_ended()
            return
        if not self.rolloff:
            self.rolled.add(self.seat)
        self._ordinary(roll)
        if not roll.outcome.on:
            self._turn_ended()

    def _ordinary(self, roll: Rolled) -> None:
        what = roll.outcome
        self.ones_twos_threes[self.seat] += what.one_two_three
        if what.wipe != "none":
            self.points[self.seat] = 0
        if what.wipe == "team":
            for seat in range(4):
                if self.side(seat) == self.side(self.seat):
                    self.points[seat] = 0
        self.gained = what.points
        self.points[self.seat] += what.points
        self.buncos[self.seat] += what.mark == "bunco"
        self.minis[self.seat] += what.mark == "mini"
        if what.mark is not None:
            self.marks.append((roll.line, self.seat, what.mark))
        if what.hands is not None:
            self.handed.append((roll.line, self.seat, what.hands))

    def _turn_ended(self) -> None:
        seat = self.seat
        if self.rolloff and (self.rules["tie.method"] != "lap" or self.rules["team"] == "none"):
            later = self.among[self.among.index(seat) + 1 :]
            self._next_turn(later[0] if later else self.order[0])
            if not later:
                self._compare()
            return
        self._next_turn(self.order[(self.order.index(seat) + 1) % len(self.order)])
        if self.rolloff and seat == self.order[-1]:
            self._compare()

    def _next_turn(self, seat: int) -> None:
        if self.rolls and not self.rolloff:
            self.last_taken = self.seat
            self.last_had_a_turn |= self.seat == self.order[-1]
        self.seat, self.rolls = seat, 0

    def _ok(self) -> None:
        if self.rules["team"] == "table":
            self.winner = "played"
            return
        if self.rules["winner.auto"]:
            alone = [seat for seat in self.order if self._automatic(seat)]
            if self.rules["team"] == "none":
                if len(alone) == 1:
                    self.winner = "ABCD"[alone[0]]
                else:
                    self._compare()
                return
            us, them = (self._automatic(team) or self._automatic(team + 2) for team in (0, 1))
            if us != them:
                self.winner = "US" if us else "THEM"
                return
        self._compare()

    def _automatic(self, seat: int) -> bool:
        enough = self.rules["end.points"]
        on_paper = self.tallied.cards[seat]["buncos"] if self.tallied else 0
        return self.buncos[seat] + on_paper > 0 or (enough is not None and self.points[seat] >= enough)

    def _compare(self) -> None:
        self.tied = self.order
        if self.rules["team"] == "none":
            self.tied = self.best()
            self.rolloff = len(self.tied) > 1
            if not self.rolloff:
                self.winner = "ABCD"[self.tied[0]]
                return
        else:
            us, them = self.totals()
            self.rolloff = us == them
            if us != them:
                self.winner = "US" if us > them else "THEM"
                return
        self.rolloffs += 1
        self.seat, self.rolls = self.tied[0], 0
        method = self.rules["tie.method"]
        missed = [seat for seat in self.order if seat not in self.rolled]
        missed = [seat for seat in missed if seat in self.tied]
        chance = method == "no_chance" and self.rolloffs == 1 and not self.tallied and bool(missed)
        self.once = method == "one_roll" or (method == "no_chance" and not chance)
        self.among = missed if chance else self.tied
        if method != "lap":
            self.seat = self.among[0]

    def _face_off(self, faces: FacedOff) -> None:
        names = (
            ["US", "THEM"] if self.rules["team"] == "pairs" else ["ABCD"[seat] for seat in sorted(self.tied)]
        )
        highest = [name for name, die in zip(names, faces.dice, strict=True) if die == max(faces.dice)]
        if len(highest) > 1:
            self.rolloffs += 1
            if self.rules["team"] == "none":
                self.tied = [seat for seat in self.tied if "ABCD"[seat] in highest]
            return
        self.rolloff = False
        self.winner = highest[0]

    def _tally(self, tally: Tallied) -> None:
        self.points = [card["points"] for card in tally.cards]
        self.buncos, self.minis = [0] * 4, [0] * 4
        self.extra = [0] * 4
        self.ones_twos_threes = [0] * 4
        self.tallied = tally
        self.marks = [(tally.line, seat, "bunco") for seat in range(4) if tally.cards[seat]["buncos"]]
        if self.rules["traveling"] == "bunco":
            self.handed = [one for one in self.handed if one[2] != "bag"]
            self.handed += [(line, seat, "bag") for line, seat, _ in self.marks]

    def lap_complete(self) -> bool:
        """The last seat's turn has ended and the first is next with no roll made yet."""
        return self.last_taken == self.order[-1] and self.seat == self.order[0] and self.rolls == 0


def course(entries: list[Entry], rules: dict[str, Any], order: list[int]) -> Course:
    """The sum of these entries, from the start of the round; `order` is that of the seats' turns."""
    so_far = Course(rules, order)
    for entry in entries:
        so_far.add(entry)
    return so_far


def may_play(entries: list[Entry], now: Course, mode: str) -> bool:
    """True if the table still plays after the bell, judged from its state with all that counts by now."""
    if mode == "stop" or any(isinstance(entry, Tallied) and not entry.at_bell for entry in entries):
        return False
    if mode == "finish_lap":
        return not now.lap_complete()
    return now.rolls > 0 or (mode == "first_lap" and not now.last_had_a_turn)
