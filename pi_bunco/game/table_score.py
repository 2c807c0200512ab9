"""The score of one table in one round: the steps that counted, folded in log order."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct, convert

from pi_bunco.game.facts import Roll
from pi_bunco.game.fields import Seat, Team, Winner
from pi_bunco.game.seating import SeatNames, following, turn_order
from pi_bunco.rules import RuleSet
from pi_bunco.rules.patterns import Effects, score
from pi_bunco.rules.ruleset import BAG, SIDE_BITS, Teams, Wiped

PLAYING, ROLLOFF, FINAL = range(3)
US, THEM = range(2)
TEAMS: tuple[Team, Team] = ("US", "THEM")
SEATS: tuple[Seat, ...] = ("A", "B", "C", "D")
SIDES: dict[Teams, tuple[Winner, ...]] = {"pairs": TEAMS, "none": SEATS, "table": ("table",)}
"""Names of the sides at a table."""

CONFIRM, TURN, FACEOFF, DECIDE, BEGINS = -1, -2, -3, -4, -5
"""Codes of entries that are no rolls; their details: 0, seat, the dice as digits, winner, seat."""
ScoreEntry = tuple[int, int, int]
"""Code, time (ms) and detail. A code from 0 on is the outcome of a roll, its detail the place in the log."""
Four = tuple[int, int, int, int]


class TableSum(Struct, frozen=True):
    """The sum of the older entries of a table."""

    phase: int
    seat: int
    rolls: int
    last_taken: int | None
    points: tuple[int, ...]
    seat_points: Four
    rolled_buncos: Four
    buncos: Four
    minis: Four
    bag: tuple[int, int] | None
    rolloffs: int
    winner: int | None
    tallied: int
    taken: int = 0
    first: int = 0
    tied: tuple[int, ...] = ()


_NONE: Four = (0, 0, 0, 0)
NOTHING = TableSum(PLAYING, 0, 0, None, (), _NONE, _NONE, _NONE, _NONE, None, 0, None, 0)
"""The sum of no entries."""


class TableScore:
    """The score of a table in a round; seats are 0-3 for A-D.

    A side wins or loses: teams, 0 for US and 1 for THEM, else each seat, or the whole table (`rules.team`).
    `base` sums up what counted before the first entry.
    """

    __slots__ = (
        *TableSum.__struct_fields__,
        "_goes_on",
        "_marked",
        "_outcomes",
        "_rings",
        "_score",
        "_special",
        "_values",
        "base",
        "entries",
        "following",
        "ghosts",
        "number",
        "order",
        "other_steps",
        "rules",
        "seats",
        "side_bits",
        "target",
    )

    def __init__(
        self, number: int, seats: SeatNames, ghosts: tuple[bool, ...], rules: RuleSet, target: int
    ) -> None:
        """A table where nothing has counted yet."""
        self.number = number
        self.seats = seats
        self.ghosts = ghosts
        self.rules = rules
        self.target = target
        self.side_bits = SIDE_BITS[rules.team]
        self._score = score(rules, target)
        self._outcomes = self._score.outcomes
        self._values = self._score.points
        self._goes_on = self._score.goes_on
        self._special = self._score.special
        self._rings = self._score.bell
        self._marked = tuple(self.card_of(seat) for seat in range(4))
        self.begin_with(NOTHING)

    def card_of(self, seat: int) -> int | None:
        """The seat whose card gets the marks of this seat's turn."""
        if not self.ghosts[seat]:
            return seat
        return seat ^ 2 if self.rules.ghost_marks == "partner" and not self.ghosts[seat ^ 2] else None

    def begin_with(self, base: TableSum) -> None:
        """Forgets all entries: nothing has counted but what `base` sums up."""
        self.base = base
        self.entries: list[ScoreEntry] = []
        self.other_steps = 0
        """Number of entries that are no rolls."""
        self.phase = base.phase
        self._begin(base.first)
        self.seat = self.order[0] if base is NOTHING else base.seat
        self.rolls = base.rolls
        """Rolls of the turn in progress; it goes on after each of them, or it would be over."""
        self.last_taken = base.last_taken
        """The seat of the last turn that had rolls and is over."""
        self.taken = base.taken
        """Seats that have had a turn with rolls, a bit for each: 1 for A, 8 for D."""
        self.points = list(base.points) if base.points else [0] * (self.side_bits + 1)
        """The points of each side."""
        self.seat_points = list(base.seat_points)
        self.rolled_buncos = list(base.rolled_buncos)
        """Buncos of each seat's turns, a ghost's too."""
        self.buncos = list(base.buncos)
        """Buncos that are marked on the card of each seat."""
        self.minis = list(base.minis)
        """Minis that are marked on the card of each seat."""
        self.bag = base.bag
        """Place in the log, and the seat, of the last roll that handed the traveling bag on."""
        self.rolloffs = base.rolloffs
        self.tied = base.tied
        """Seats of the open roll-off where each plays alone, in their order."""
        self.winner = base.winner
        """The side that has won; where the table is one side 0 if it has won the round, 1 if another has."""
        self.tallied = base.tallied
        """The place in the log of the score on paper that the fold begins with; 0: with none."""

    def _begin(self, first: int) -> None:
        """Gives that seat the first turn of the round."""
        self.first = first
        rules = self.rules
        order = turn_order(first, self.ghosts, rules.ghost_turn == "partner_twice", rules.team == "none")
        self.order = order
        """Seats in the order of their turns."""
        self.following = following(order)
        """The seat whose turn comes after that of each."""

    def fold(self, entries: Iterable[ScoreEntry]) -> None:
        """Makes the state anew from `entries`."""
        self.begin_with(self.base)
        for entry in entries:
            self.add(entry)

    @property
    def summed(self) -> TableSum:
        """The sum of all that counts."""
        return convert(self, TableSum, from_attributes=True)

    def blank_copy(self) -> "TableScore":
        """The same seats in the same round, with nothing counted yet beyond `base`."""
        copy = TableScore(self.number, self.seats, self.ghosts, self.rules, self.target)
        copy.begin_with(self.base)
        return copy

    @property
    def rolled(self) -> int:
        """Number of rolls that have counted since `base`."""
        return len(self.entries) - self.other_steps

    @property
    def final(self) -> bool:
        """The table has a winner."""
        return self.phase == FINAL

    def outcome_of(self, roll: Roll) -> int | None:
        """The outcome of `roll`; None for a call that means nothing in this round."""
        dice = (roll.face, roll.face, roll.face) if roll.face else roll.dice
        outcome = self._outcomes[dice] if dice else self._score.calls.get(roll.call or "miss")
        if outcome is not None and roll.called:
            called = self.effects(outcome).called
            return outcome if called is None else called
        return outcome

    def called(self, call: str) -> int:
        """The outcome of a roll that is entered as `call`: a miss where this round knows no such."""
        return self._score.calls.get(call, 0)

    def effects(self, outcome: int) -> Effects:
        """All that a roll of `outcome` does."""
        return self._score.effects[outcome]

    def add(self, entry: ScoreEntry) -> None:
        """The next step, which counts whatever the bell says."""
        self.entries.append(entry)
        code, _, detail = entry
        if code >= 0:
            if self.phase == PLAYING:
                self._play(code, detail)
            else:
                self._roll_off(code, detail)
            return
        self.other_steps += 1
        if code == CONFIRM:
            self._settle(self._auto_winner())
        elif code == TURN:
            if self.rolls:
                self._end_turn(self.seat)
            self.seat = detail
        elif code == BEGINS:
            self._begin(detail)
            self.seat = self.order[0]
        elif code == FACEOFF:
            self._face_off([int(digit) for digit in str(detail)])
        else:
            self._settle(detail)

    def _play(self, outcome: int, n: int) -> None:
        seat = self.seat
        if outcome:
            if self._special[outcome]:
                self._affect(outcome, seat, n)
            points = self._values[outcome]
            self.points[seat & self.side_bits] += points
            self.seat_points[seat] += points
        if self._goes_on[outcome]:
            self.rolls += 1
        else:  # as `_end_turn`, without a call for every other roll
            self.last_taken = seat
            self.rolls = 0
            self.taken |= 1 << seat
            self.seat = self.following[seat]

    def _affect(self, outcome: int, seat: int, n: int) -> None:
        """Applies everything that a roll of `seat` does beside its points."""
        effects = self._score.effects[outcome]
        if effects.wipe != "none":
            bits = self.side_bits
            self.points[seat & bits] -= self.wiped(seat, effects.wipe)
            for one in range(4):
                if one == seat or (effects.wipe == "team" and not (one ^ seat) & bits):
                    self.seat_points[one] = 0
        bunco, card = "bunco" in effects.marks, self._marked[seat]
        if bunco:
            self.rolled_buncos[seat] += 1
        if card is None:
            return
        if bunco:
            self.buncos[card] += 1
        elif "mini" in effects.marks:
            self.minis[card] += 1
        if effects.hands == BAG:
            self.bag = (n, card)

    def wiped(self, seat: int, wipe: Wiped) -> int:
        """Points of the team of `seat` that a roll of it wipes out."""
        match wipe:
            case "none":
                return 0
            case "seat":
                return self.seat_points[seat]
            case "team":
                return self.points[seat & self.side_bits]

    def marking(self) -> Iterator[tuple[ScoreEntry, int, Effects]]:
        """Each roll that counts on cards: its entry, the seat that is marked (-1: nobody), its effects.

        Roll-offs in which only the target scores mark nothing.
        """
        again = self.blank_copy()
        lap = self.rules.tie.method == "lap"
        for entry in self.entries:
            code = entry[0]
            if code >= 0 and self._special[code] and (lap or again.phase == PLAYING):
                card = again.card_of(again.seat)
                yield entry, -1 if card is None else card, self._score.effects[code]
            again.add(entry)

    def _end_turn(self, seat: int) -> None:
        self.last_taken = seat
        self.rolls = 0
        self.taken |= 1 << seat

    def _roll_off(self, outcome: int, n: int) -> None:
        roller = self.seat
        if self.rules.tie.method == "lap":
            self._play(outcome, n)
        else:
            points = self._score.effects[outcome].session
            self.points[roller & self.side_bits] += points
            self.rolls = self.rolls + 1 if points and not self.one_roll else 0
        if self.rolls == 0:
            rolling = self.rolling_off
            if roller == rolling[-1]:
                self.seat = self.order[0]
                self._settle(self._leader())
            else:
                self.seat = rolling[rolling.index(roller) + 1]

    def _settle(self, winner: int | None) -> None:
        """Makes the table final, or opens the next roll-off where nobody has won.

        A table that is a team has its result when all have played.
        """
        if winner is not None or not self.side_bits:
            self.winner = winner
            self.phase = FINAL
            return
        if self.rolls:
            self.taken |= 1 << self.seat
        self.phase = ROLLOFF
        self.rolloffs += 1
        self.tied = self._leading()
        self.seat = self.rolling_off[0]
        self.rolls = 0

    @property
    def without_chance(self) -> tuple[int, ...]:
        """Seats that have had no turn in the round, while a roll-off is theirs alone."""
        if self.rules.tie.method != "no_chance" or self.rolloffs != 1 or self.tallied:
            return ()
        return tuple(seat for seat in self.tied or self.order if not self.taken >> seat & 1)

    @property
    def rolling_off(self) -> tuple[int, ...]:
        """Seats of the open roll-off in their order."""
        return self.without_chance or self.tied or self.order

    @property
    def one_roll(self) -> bool:
        """Each seat has a single roll in the open roll-off."""
        method = self.rules.tie.method
        return method == "one_roll" or (method == "no_chance" and not self.without_chance)

    def _leader(self) -> int | None:
        """Side that is ahead of all others."""
        if self.side_bits == 3:
            leading = self._leading()
            return leading[0] if len(leading) == 1 else None
        us, them = self.points
        return None if us == them else US if us > them else THEM

    def _leading(self) -> tuple[int, ...]:
        """Seats with the most points in the order of their turns, where each plays alone."""
        if self.side_bits != 3:
            return ()
        most = max(self.points[seat] for seat in self.order)
        return tuple(seat for seat in self.order if self.points[seat] == most)

    @property
    def facing_off(self) -> int:
        """The number of dice in a roll-off with one die for each side."""
        return len(self.tied) or 2

    def _face_off(self, dice: Sequence[int]) -> None:
        """One die for each side in the order of the seats; the highest wins, equal ones go on."""
        sides = sorted(self.tied) or [US, THEM]
        best = [side for side, die in zip(sides, dice, strict=True) if die == max(dice)]
        self._settle(best[0] if len(best) == 1 else None)
        if self.tied:
            self.tied = tuple(seat for seat in self.tied if seat in best)
            self.seat = self.rolling_off[0]

    def _auto_winner(self) -> int | None:
        """Winner at the first OK: by `winner.auto`, else by the totals."""
        if not self.side_bits:
            return None
        if self.rules.winner.auto:
            seats = self.order if self.side_bits == 3 else range(4)
            sides = {seat & self.side_bits for seat in seats if self._earned_win(seat)}
            if len(sides) == 1:
                return sides.pop()
        return self._leader()

    def won(self, seat: int) -> bool:
        """The side of `seat` has won."""
        return self.winner == seat & self.side_bits

    def seats_of(self, side: int) -> tuple[int, ...]:
        """The seats of a side."""
        return tuple(seat for seat in range(4) if seat & self.side_bits == side)

    @property
    def people_of_winner(self) -> tuple[str, ...]:
        """The people on the winning side, ghosts too; nobody where another table has won."""
        named = self.winner is not None and self.winner <= self.side_bits
        return tuple(self.seats[seat] for seat in self.seats_of(self.winner or 0)) if named else ()

    @property
    def winning(self) -> Winner | None:
        """The name of the side that has won; None also where the others' table has."""
        sides = SIDES[self.rules.team]
        return sides[self.winner] if self.winner is not None and self.winner < len(sides) else None

    def _earned_win(self, seat: int) -> bool:
        enough = self.rules.end.points
        return self.rolled_buncos[seat] > 0 or (enough is not None and self.seat_points[seat] >= enough)

    def first_of(self, code: int) -> int:
        """The place of the first entry of `code`, else the number of entries."""
        codes = [entry[0] for entry in self.entries]
        return codes.index(code) if code in codes else len(codes)

    def places_of_rolls(self) -> list[int]:
        """Places of the rolls among the entries."""
        return [place for place, entry in enumerate(self.entries) if entry[0] >= 0]
