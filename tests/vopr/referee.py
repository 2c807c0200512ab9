"""One table's round by the rules' text: which throws count. Written from the rules, not from the engine."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

SEATS: Final = "ABCD"
Team = Literal["US", "THEM"]


@dataclass(frozen=True)
class House:
    """The dimensions of a preset that say which throws count and which one rings."""

    after_bell: Literal["stop", "finish_turn", "finish_lap"]
    tie: Literal["session", "lap", "one_die"]
    points: int | None = 21
    points_by: Literal["team", "player"] = "team"
    match_is_face: bool = False
    mini_ends: bool = False
    winner_auto: bool = False


HOUSES: Final = {
    "mybunco": House("finish_turn", "session", points=None, match_is_face=True),
    "tournament": House("finish_lap", "one_die"),
    "classic": House("finish_turn", "one_die", match_is_face=True),
    "gong": House("stop", "lap", points_by="player", mini_ends=True, winner_auto=True),
    "bonko": House("stop", "session"),
}


@dataclass(frozen=True)
class Scored:
    """The points of a roll, and what else it does."""

    points: int
    bunco: bool
    ends_turn: bool


def score(house: House, dice: Sequence[int], target: int) -> Scored:
    """One roll by "One roll" of the rules."""
    matching = sum(die == target for die in dice)
    if matching == 3:
        return Scored(21, bunco=True, ends_turn=False)
    if len(set(dice)) == 1:
        return Scored(5, bunco=False, ends_turn=house.mini_ends)
    points = matching * (target if house.match_is_face else 1)
    return Scored(points, bunco=False, ends_turn=points == 0)


@dataclass
class TableRound:
    """One table in one round, moved on by what really happened there."""

    house: House
    target: int
    points: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SEATS, 0))
    seat: str = "A"
    goes_on: bool = False
    lap_complete: bool = False
    reached: set[str] = field(default_factory=set)
    rung: bool = False
    done: bool = False
    final: bool = False
    rolloff: list[str] | None = None
    rolloff_points: dict[str, int] = field(default_factory=dict)

    def total(self, team: Team) -> int:
        seats = "AC" if team == "US" else "BD"
        return sum(self.points[seat] + self.rolloff_points.get(seat, 0) for seat in seats)

    def throw(self, dice: Sequence[int], *, before_bell: bool) -> bool:
        """Takes a throw, made before anyone could hear the bell or after it; returns whether it counts."""
        if self.final:
            return False
        if self.rolloff is not None and not before_bell:
            if self.house.tie == "one_die":  # three dice are no answer to it: a `faceoff` is
                return False
            self._rolloff_throw(dice)
            return True
        if before_bell or (self.rung and not self.done):
            self.rolloff = None
            self.rolloff_points.clear()
            self._play(dice)
            if self.rung:
                self._judge_rest()
            return True
        return False

    def rings(self, dice: Sequence[int]) -> bool:
        """True if this throw, the next one of the head table, would ring the bell."""
        scored = score(self.house, dice, self.target)
        if scored.bunco:
            return True
        if self.house.points is None or not scored.points:
            return False
        team = "AC" if self.seat in "AC" else "BD"
        seats = self.seat if self.house.points_by == "player" else team
        return sum(self.points[seat] for seat in seats) + scored.points >= self.house.points

    def bell(self) -> None:
        """The bell rings: from now on only the mode says who may go on."""
        self.rung = True
        self._judge_rest()

    def confirm(self) -> None:
        """The scorekeeper's OK: the result is final, or the roll-off opens."""
        if not self.done or self.final or self.rolloff is not None:
            return
        teams = {"US" if seat in "AC" else "THEM" for seat in self.reached}
        decided = self.house.winner_auto and len(teams) == 1
        if decided or self.total("US") != self.total("THEM"):
            self.final = True
        else:
            self.rolloff, self.seat = list(SEATS), "A"

    def faceoff(self, dice: Sequence[int]) -> bool:
        """Takes one die for each team: the higher wins. Returns whether a roll-off waits for them."""
        if self.final or self.rolloff is None or self.house.tie != "one_die":
            return False
        self.final = dice[0] != dice[1]
        return True

    def _play(self, dice: Sequence[int]) -> None:
        scored = score(self.house, dice, self.target)
        if self.rings(dice) or scored.bunco:
            self.reached.add(self.seat)
        self.points[self.seat] += scored.points
        self.goes_on = not scored.ends_turn
        if scored.ends_turn:
            self.lap_complete = self.lap_complete or self.seat == "D"
            self.at_lap_end = self.seat == "D"
            self.seat = SEATS[(SEATS.index(self.seat) + 1) % 4]
        else:
            self.at_lap_end = False

    at_lap_end: bool = False

    def _judge_rest(self) -> None:
        match self.house.after_bell:
            case "stop":
                self.done = True
            case "finish_turn":
                self.done = not self.goes_on
            case "finish_lap":
                self.done = self.at_lap_end

    def _rolloff_throw(self, dice: Sequence[int]) -> None:
        assert self.rolloff is not None
        seat = self.rolloff[0]
        scored = score(self.house, dice, self.target)
        if self.house.tie == "session":
            matching = sum(die == self.target for die in dice)
            per_die = self.target if self.house.match_is_face else 1
            points = 21 if matching == 3 else matching * per_die
            ends = matching == 0
        else:
            points, ends = scored.points, scored.ends_turn
        self.rolloff_points[seat] = self.rolloff_points.get(seat, 0) + points
        if ends:
            self.rolloff.pop(0)
        if not self.rolloff:
            self.rolloff = list(SEATS)
            if self.total("US") != self.total("THEM"):
                self.final, self.rolloff = True, None
