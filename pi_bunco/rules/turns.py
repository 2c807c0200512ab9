"""The turns of one party, a team or a player, for the exact odds (`odds`): its points are followed.

A state is the total that rings (the team's, or the roller's and the partner's), with the chance of n rolls so
far at x^n. Such a polynomial is one large integer (Kronecker): each coefficient, in units of 2^-60, has 128
bits of its own, so that a product, with a chance or another polynomial, and a sum are one step for all
coefficients at once.
"""

import struct
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache

from msgspec import Struct

from pi_bunco.rules.patterns import FALLS
from pi_bunco.rules.ruleset import Wiped

WAYS_OF_THREE_DICE = len(FALLS)
"""Ways that three dice can fall."""
Packed = int
"""A polynomial: the chance of n rolls at x^n."""
State = tuple[int, int]
"""The roller's points and the partner's; where nothing tells them apart, all of them and 0."""
_UNIT, _SLOT = 60, 128
_MOST_SLOTS = 1 << 14
CERTAIN: Packed = 1 << _UNIT
"""The chance 1, without a roll."""


class RollKind(Struct, frozen=True):
    """Rolls that are alike in what they do: their points, whether the turn goes on, and whether they ring."""

    points: int
    goes_on: bool
    rings: bool
    wipe: Wiped
    bunco: bool


Ways = tuple[tuple[RollKind, int], ...]
"""The kinds of rolls of a round, and the ways that each can fall."""


class TurnOdds(Struct, frozen=True):
    """A party in one of its turns, by its rolls beyond one for every earlier turn, the bell roll not counted.

    The chances of no bell until the turn, of none after it either, of a bell in it, and of one by a Bunco.
    """

    before: Packed
    after: Packed
    rings: Packed
    buncos: Packed


def times(one: Packed, other: Packed) -> Packed:
    """The product of two polynomials."""
    return _in_units(one * other)


def coefficients(packed: Packed) -> list[float]:
    """The chance of n rolls at index n."""
    slots = -(-packed.bit_length() // _SLOT)
    words = struct.unpack(f"<{2 * slots}Q", packed.to_bytes(16 * slots, "little"))
    return [
        low / 2**_UNIT + high * 2.0 ** (64 - _UNIT) for low, high in zip(words[::2], words[1::2], strict=True)
    ]


def turns(rolls: Ways, points: int, by_player: bool) -> Iterator[TurnOdds]:
    """Turn after turn of one party, without end; `points` ring, the roller's own if `by_player`."""
    apart = by_player or any(kind.wipe == "seat" for kind, _ in rolls)
    states: dict[State, Packed] = {(0, 0): CERTAIN}
    while True:
        turn = _Turn(rolls, points, by_player, states)
        ended = {state: rest for state, sums in turn.ended.items() if (rest := _in_units(sums))}
        yield TurnOdds(
            before=sum(states.values()),
            after=sum(ended.values()) << _SLOT,
            rings=_in_units(turn.rings),
            buncos=_in_units(turn.buncos),
        )
        states = {state[::-1]: rest for state, rest in ended.items()} if apart else ended


class _Turn:
    """One turn: where it ends from each of `states`, and what rings in it; sums of products with chances."""

    def __init__(self, rolls: Ways, points: int, by_player: bool, states: dict[State, Packed]) -> None:
        self._points, self._by_player = points, by_player
        self._rolls = [((ways << _UNIT) // WAYS_OF_THREE_DICE, kind) for kind, ways in rolls]
        self.ended: defaultdict[State, Packed] = defaultdict(int)
        self.rings: Packed = 0
        self.buncos: Packed = 0
        self._again: defaultdict[State, Packed] = defaultdict(int)
        self._play({state: packed << _UNIT for state, packed in states.items()})
        while any(map(_in_units, self._again.values())):  # turns that go on after rolls that add nothing
            again, self._again = self._again, defaultdict(int)
            self._play(again)

    def _play(self, states: dict[State, Packed]) -> None:
        """Each state once: the roller's points only grow until there is a wipe."""
        waiting = [defaultdict[int, Packed](int) for _ in range(self._points)]
        for (roller, partner), sums in states.items():
            waiting[roller][partner] = sums
        for roller, partners in enumerate(waiting):
            for partner, sums in partners.items():
                self._roll(roller, partner, _in_units(sums), waiting)

    def _roll(
        self, roller: int, partner: int, packed: Packed, waiting: Sequence[defaultdict[int, Packed]]
    ) -> None:
        for chance, kind in self._rolls:
            more = packed * chance
            after = (0 if kind.wipe != "none" else roller) + kind.points
            others = 0 if kind.wipe == "team" else partner
            if kind.rings or (kind.points and after + (0 if self._by_player else others) >= self._points):
                self.rings += more
                self.buncos += more if kind.bunco else 0
            elif not kind.goes_on:
                self.ended[after, others] += more
            elif kind.points and kind.wipe == "none":
                waiting[after][others] += more << _SLOT
            else:
                self._again[after, others] += more << _SLOT


def _in_units(product: Packed) -> Packed:
    """The product of two numbers of units as units again; what is below the last place is left out."""
    return product >> _UNIT & _kept()


@cache
def _kept() -> int:
    """The bits of all slots that are left once a product is in units again."""
    slot = ((1 << _SLOT - _UNIT) - 1).to_bytes(_SLOT // 8, "little")
    return int.from_bytes(slot * _MOST_SLOTS, "little")
