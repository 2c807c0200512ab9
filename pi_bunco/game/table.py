"""One table in one round: which steps count there, before the bell and after it, and what takes them back.

`entries` are the steps that counted; everything else follows from them (`fold`) and from the bell. So taking
something back is to fold again without it.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from msgspec.structs import replace

from pi_bunco.game import reasons
from pi_bunco.game.facts import Roll, SeatCard
from pi_bunco.game.fields import Side
from pi_bunco.game.seating import SeatNames
from pi_bunco.game.table_score import (
    BEGINS,
    CONFIRM,
    DECIDE,
    FACEOFF,
    FINAL,
    PLAYING,
    ROLLOFF,
    SEATS,
    SIDES,
    TEAMS,
    THEM,
    TURN,
    US,
    Four,
    TableScore,
)
from pi_bunco.reason import Reason
from pi_bunco.rules import RuleSet

__all__ = ["FINAL", "PLAYING", "ROLLOFF", "SEATS", "SIDES", "TEAMS", "THEM", "US", "Cause", "Table"]

Cause = Literal["bunco", "roll", "points"]
Doing = Literal["rolling", "finishing", "done", "roll_off", "one_die", "final"]
"""Steps of a table: `done` waits for its OK, `one_die` is a roll-off with one die for each side."""


class Recounted(NamedTuple):
    """A roll that was counted again: its place in the log, whose it is now (seat), what it rings by."""

    place: int
    seat: int
    rings: Cause | None


class Undone(NamedTuple):
    """A roll in play that was taken back: its time (ms), at most the bell's where it had counted by then."""

    t: int
    place: int


class Table(TableScore):
    """The state of a table in a round; seats are 0-3 for A-D."""

    __slots__ = (
        "before_bell",
        "bell_t",
        "ignored",
        "latest",
        "may_ring",
        "mode",
        "paper_stands",
        "rang",
        "undone",
    )

    def __init__(
        self, number: int, seats: SeatNames, ghosts: tuple[bool, ...], rules: RuleSet, target: int
    ) -> None:
        """A table where nothing has happened yet."""
        self.may_ring = number == 1 or rules.end.tables == "any"
        """Its rolls can ring the bell."""
        self.mode = (rules.after_bell_head if self.may_ring else None) or rules.after_bell
        """The play that is left after the bell, one of `after_bell`."""
        self.bell_t: int | None = None
        """The time from which the bell could be heard (ms); None while the round is open."""
        self.before_bell = 0
        """Number of first rolls that had counted when the bell rang."""
        self.latest = 0
        """The table's clock: the greatest time (ms) of its rolls and face-offs; time never falls here."""
        self.undone: list[Undone] = []
        """Rolls in play that were taken back and are not replaced, oldest first."""
        self.rang = 0
        """The place in the log of the roll that rang the bell, or of what replaced it; 0: none here."""
        self.paper_stands = False
        """The score comes from paper since the bell, so that nothing is left to play."""
        self.ignored = 0
        """Rolls of this round that did not count."""
        super().__init__(number, seats, ghosts, rules, target)

    def resume(self, undone: list[Undone], kept: Mapping[str, int | bool | None]) -> None:
        """Goes on where another table with the same entries was; `kept` has its attributes by name."""
        self.undone = undone
        for name, value in kept.items():
            setattr(self, name, value)

    @property
    def done(self) -> bool:
        """The bell has rung and this table has nothing more to play but a roll-off."""
        if self.bell_t is None or self.phase != PLAYING:
            return False
        if self.paper_stands:
            return True
        match self.mode:
            case "stop":
                return True
            case "finish_turn":
                return self.rolls == 0
            case "first_lap":
                return self.rolls == 0 and self._last_has_had_a_turn
            case _:
                first, last = self.order[0], self.order[-1]
                return self.rolls == 0 and self.seat == first and self.last_taken == last

    @property
    def ends_with_turn(self) -> bool:
        """The bell has rung, and nothing is left to play once the turn that goes on is over."""
        if self.bell_t is None or self.phase != PLAYING or self.done:
            return False
        return (
            self.mode == "finish_turn"
            or self.seat == self.order[-1]
            or (self.mode == "first_lap" and self._last_has_had_a_turn)
        )

    @property
    def _last_has_had_a_turn(self) -> bool:
        return bool(self.taken >> self.order[-1] & 1)

    @property
    def one_die(self) -> bool:
        """A roll-off with one die for each side is open."""
        return self.phase == ROLLOFF and self.rules.tie.method == "one_die"

    @property
    def doing(self) -> Doing:
        """The step that this table is at."""
        if self.phase == FINAL:
            return "final"
        if self.phase == ROLLOFF:
            return "one_die" if self.one_die else "roll_off"
        if self.done:
            return "done"
        return "rolling" if self.bell_t is None else "finishing"

    @property
    def score(self) -> Reason:
        """The points of its sides in words."""
        match self.points:
            case [points]:
                return reasons.TableHas(points)
            case [us, them]:
                return reasons.PairsHave(us, them)
            case points:
                return reasons.SeatsHave(*points)

    def would_ring(self, outcome: int) -> bool:
        """A roll of `outcome` now would ring the bell for everybody."""
        if not self.may_ring or self.bell_t is not None or self.phase != PLAYING:
            return False
        end, seat = self.rules.end, self.seat
        if self._rings[outcome]:
            return True
        if end.points is None or not self._values[outcome]:
            return False
        effects = self.effects(outcome)
        if end.points_by == "player":
            had = 0 if effects.wipe != "none" else self.seat_points[seat]
        else:
            had = self.points[seat & self.side_bits] - self.wiped(seat, effects.wipe)
        return had + effects.points >= end.points

    def cause(self, seat: int, outcome: int) -> Cause | None:
        """The cause by which the roll of `outcome` that `seat` just made rings the bell."""
        if self._rings[outcome]:
            return "bunco" if "bunco" in self.effects(outcome).marks else "roll"
        end = self.rules.end
        if end.points is None or not self._values[outcome]:
            return None
        total = self.seat_points[seat] if end.points_by == "player" else self.points[seat & self.side_bits]
        return "points" if total >= end.points else None

    # What happens at the table: each returns why it does not count, or None.

    def roll(self, fact: Roll, n: int) -> Reason | None:
        """Three dice settled, or were entered by hand; `n` is the roll's place in the log."""
        dice, t = fact.dice, fact.t
        outcome = self._outcomes[dice] if dice is not None and not fact.called else self.outcome_of(fact)
        if t > self.latest:
            self.latest = t
        else:
            t = self.latest
        if outcome is None:
            self.ignored += 1
            return reasons.NoWipe() if fact.call == "wipe" else reasons.NoSuchPattern(fact.call or "")
        if self.bell_t is None and self.phase == PLAYING and not self.undone:
            self.entries.append((outcome, t, n))
            self._play(outcome, n)
            return None
        return self._judged(outcome, t, n, dice is None)

    def _judged(self, outcome: int, t: int, n: int, by_hand: bool) -> Reason | None:
        """Judges a roll after the bell, or in place of one that was taken back."""
        replaces = self.phase == PLAYING and bool(self.undone)
        if replaces and (by_hand or self.bell_t is None):
            t = self.undone[0].t
        if why := self._why_not(t):
            self.ignored += 1
            return why
        if self.bell_t is not None and t <= self.bell_t:
            self._close_rolloff()
        if replaces:
            replaced = self.undone.pop(0)
            if self.rang and replaced.place == self.rang:
                self.rang = n
        self.add((outcome, t, n))
        return None

    def _why_not(self, t: int) -> Reason | None:
        """The reason why a roll made at `t` does not count now."""
        if self.phase == FINAL:
            return reasons.ResultFinal(self.number)
        if self.bell_t is None or t <= self.bell_t:
            return None
        if self.one_die:
            return reasons.OneDieEach(self.number)
        return reasons.TableDone(self.number) if self.done else None

    def _close_rolloff(self) -> None:
        if self.phase == ROLLOFF:
            self.fold(self.entries[: self.first_of(CONFIRM)])

    def undo(self) -> Reason | None:
        """Takes back the latest counted roll."""
        if self.phase == FINAL:
            return reasons.ReopenFirst(self.number)
        rolls = self.places_of_rolls()
        if not rolls:
            return reasons.NoRollToTakeBack(self.number)
        last = rolls[-1]
        _, t, place = self.entries[last]
        if self.bell_t is not None and len(rolls) <= self.before_bell:
            t = min(t, self.bell_t)
            self.before_bell -= 1
        in_play = self.first_of(CONFIRM) > last
        self.fold(self.entries[:last])
        if in_play:
            self.undone.insert(0, Undone(t, place))
        return None

    def why_not_turn(self, seat: int, rolls: int) -> Reason | None:
        """The reason why it cannot be the turn of `seat` with the last `rolls` rolls counted again."""
        if seat not in self.order:
            return reasons.NoTurnOfGhosts()
        if self.phase == FINAL:
            return reasons.ResultFinal(self.number)
        if self.phase == ROLLOFF:
            return reasons.InRollOff(self.number)
        places = self.places_of_rolls()
        again = [self.entries[place][2] for place in places[len(places) - rolls :]] if rolls else []
        due = self.bell_t is not None and self.undone and self.undone[0].t <= self.bell_t
        if self.done and not due and not (self.mode == "stop" and self.rang in again):
            return reasons.TableDone(self.number)
        if rolls > len(places):
            return reasons.FewerRolls(self.number, rolls)
        return None

    def turn(self, seat: int, rolls: int, t: int) -> list[Recounted]:
        """Makes it the turn of `seat` and counts the last `rolls` rolls again, beginning with that seat."""
        places = self.places_of_rolls()
        start = places[-rolls] if rolls else len(self.entries)
        again = [entry for entry in self.entries[start:] if entry[0] >= 0]
        self.fold([*self.entries[:start], (TURN, t, seat)])
        recounted = []
        for entry in again:
            roller = self.seat
            self.add(entry)
            recounted.append(Recounted(entry[2], roller, self.cause(roller, entry[0])))
        return recounted

    def confirm(self, t: int) -> Reason | None:
        """The scorekeeper's OK: the result, or the roll-off that a tie needs."""
        if self.phase == FINAL:
            return reasons.ResultFinalAlready(self.number)
        if self.phase == ROLLOFF:
            return reasons.InRollOff(self.number)
        if not self.done:
            return reasons.StillPlaying(self.number)
        self.add((CONFIRM, t, 0))
        return None

    @property
    def uncalled(self) -> int | None:
        """The outcome of the latest roll once it is called out; None where nothing is to be."""
        if self.phase != PLAYING or not self.entries or self.entries[-1][0] < 0:
            return None
        called = self.effects(self.entries[-1][0]).called
        return None if called is None or self.done else called

    def call_out(self) -> Recounted:
        """The latest roll was called out: it counts as what it is."""
        assert self.uncalled is not None
        *before, (_, t, place) = self.entries
        called = self.uncalled
        self.fold(before)
        seat = self.seat
        self.add((called, t, place))
        return Recounted(place, seat, self.cause(seat, called))

    def begin(self, seat: int, t: int) -> Reason | None:
        """That seat has the first turn."""
        if self.rules.begins == "A":
            return reasons.SeatABegins()
        if self.ghosts[seat]:
            return reasons.PersonBegins()
        if self.rolled or self.tallied or self.phase != PLAYING:
            return reasons.TableHasBegun(self.number)
        self.fold([*(entry for entry in self.entries if entry[0] != BEGINS), (BEGINS, t, seat)])
        return None

    def faceoff(self, dice: Sequence[int], t: int) -> Reason | None:
        """One die for each side in a `one_die` roll-off, in the order of the seats."""
        if not self.one_die:
            return reasons.NoOneDie(self.number)
        if len(dice) != self.facing_off:
            return reasons.OtherDice(self.facing_off, len(dice))
        self.latest = max(self.latest, t)
        self.add((FACEOFF, t, int("".join(map(str, dice)))))
        return None

    def decide(self, winner: Side, t: int) -> Reason | None:
        """The host's word."""
        if self.phase == FINAL:
            return reasons.ReopenFirst(self.number)
        sides = SIDES[self.rules.team]
        if winner not in sides:
            return reasons.NoSuchSide(winner)
        side = sides.index(winner)
        if self.rules.team == "none" and self.ghosts[side]:
            return reasons.NoSuchSide(winner)
        self.add((DECIDE, t, side))
        return None

    def reopen(self) -> Reason | None:
        """Puts a final table back to before its result was made."""
        if self.phase != FINAL:
            return reasons.NoResult(self.number)
        self.fold(self.entries[:-1])
        return None

    def tally(self, cards: Sequence[SeatCard], n: int) -> Reason | None:
        """Takes the score that the table kept on paper, seats A to D, in place of all that counted."""
        if self.phase == FINAL:
            return reasons.ReopenFirst(self.number)
        if self.bell_t is None:
            return reasons.PaperAfterBell(self.number)
        self._close_rolloff()
        people = [seat for seat in range(4) if not self.ghosts[seat]]
        bag = self.bag
        if self.rules.traveling == "bunco":
            bag = next(((n, seat) for seat in reversed(people) if cards[seat].buncos), None)
        a, b, c, d = cards
        buncos = (a.buncos, b.buncos, c.buncos, d.buncos)
        tallied = replace(
            self.summed,
            phase=PLAYING,
            points=self._of_sides(a.points, b.points, c.points, d.points),
            seat_points=(a.points, b.points, c.points, d.points),
            rolled_buncos=buncos,
            buncos=self._of_people(buncos),
            minis=self._of_people((a.minis, b.minis, c.minis, d.minis)),
            bag=bag,
            rolloffs=0,
            tied=(),
            winner=None,
            tallied=n,
        )
        self.undone, self.before_bell, self.rang, self.paper_stands = [], 0, 0, True
        self.begin_with(tallied)
        return None

    def _of_sides(self, *points: int) -> tuple[int, ...]:
        bits = self.side_bits
        return tuple(sum(points[side :: bits + 1]) for side in range(bits + 1))

    def _of_people(self, marks: Four) -> Four:
        a, b, c, d = (0 if ghost else mark for ghost, mark in zip(self.ghosts, marks, strict=True))
        return (a, b, c, d)

    # The bell.

    def rank(self, winner: int | None) -> None:
        """Its place among tables that are teams: 0 has won, 1 has not, None is open again."""
        self.winner = winner

    def ring(self, t: int) -> None:
        """The bell that ends the round can be heard from `t` (ms)."""
        self.bell_t = t
        self.before_bell = self.rolled

    def rings_by(self, place: int) -> None:
        """The roll at that place of the log rang the bell."""
        self.rang = place

    def void(self) -> None:
        """The bell was a false alarm: what only it made possible is taken back, the host's word stays."""
        self.bell_t, self.rang, self.paper_stands = None, 0, False
        decided = [entry for entry in self.entries[-1:] if entry[0] == DECIDE]
        played = self.entries[: len(self.entries) - len(decided)]
        self.fold([*played[: self.first_of(CONFIRM)], *decided])
