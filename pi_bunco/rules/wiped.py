"""The laps of a team whose points three of a face wipe out, for the exact odds (`odds`).

With wipes the order of the rolls matters, so that the points themselves are followed: a state is the total
that rings (the team's, or the roller's and the partner's), with the chance of n rolls so far at x^n.

Here a polynomial is one large integer (Kronecker): each coefficient, in units of 2^-60, has 128 bits of its
own, so that a product with a chance (in units of 2^-50) and a sum are one step for all coefficients at once.
"""

import struct
from collections import defaultdict
from collections.abc import Iterable, Iterator

from msgspec import Struct

Polynomial = list[float]
State = tuple[int, int]
"""The roller's points and the partner's; where a team's points ring, all of them and 0."""
Packed = int
_UNIT, _CHANCE, _SLOT = 60, 50, 128
_LONGEST = 4096
_MASK = ((1 << _SLOT * _LONGEST) - 1) // ((1 << _SLOT) - 1) * ((1 << _SLOT - _CHANCE) - 1)


class Rolls(Struct, frozen=True):
    """The chances of one roll: to miss and end the turn, to wipe, and of each other roll that scores.

    `others` are chance, points, whether the turn goes on, and whether it is a Bunco.
    """

    miss: float
    wipe: float
    wipe_ends: bool
    others: tuple[tuple[float, int, bool, bool], ...]


class BellCondition(Struct, frozen=True):
    """Causes of the bell: `points` of a player or of a team; a Bunco where `bunco`."""

    points: int
    by_player: bool
    bunco: bool


class TurnOdds(Struct, frozen=True):
    """A team in one of its turns, by its rolls beyond one for every earlier turn, the bell roll not counted.

    The chances of no bell until the turn, of none after it either, of a bell in it, and of one by a Bunco.
    """

    before: Polynomial
    after: Polynomial
    rings: Polynomial
    buncos: Polynomial


def turns(rolls: Rolls, ring: BellCondition) -> Iterator[TurnOdds]:
    """Turn after turn of one team, without end."""
    states: dict[State, Packed] = {(0, 0): 1 << _UNIT}
    while True:
        turn = _Turn(rolls, ring, states)
        ended = {state: rest for state, sums in turn.ended.items() if (rest := _divided(sums))}
        yield TurnOdds(
            _unpacked(states.values()),
            [0.0, *_unpacked(ended.values())],
            _unpacked([_divided(turn.rings)]),
            _unpacked([_divided(turn.buncos)]),
        )
        states = {state[::-1]: rest for state, rest in ended.items()} if ring.by_player else ended


class _Turn:
    """One turn: where it ends from each of `states`, and what rings in it; sums of products with chances."""

    def __init__(self, rolls: Rolls, ring: BellCondition, states: dict[State, Packed]) -> None:
        self._ring, self._wipe_ends = ring, rolls.wipe_ends
        self._miss, self._wipe = _units(rolls.miss), _units(rolls.wipe)
        self._others = [(_units(chance), *rest) for chance, *rest in rolls.others]
        self.ended: defaultdict[State, Packed] = defaultdict(int)
        self.rings: Packed = 0
        self.buncos: Packed = 0
        self._wiped: Packed = 0
        self._play({state: packed << _CHANCE for state, packed in states.items()})
        while _divided(self._wiped):  # a turn that goes on after a wipe, from 0 points on
            again, self._wiped = self._wiped, 0
            self._play({(0, 0): again})

    def _play(self, states: dict[State, Packed]) -> None:
        """Each state once: points only grow until there is a wipe."""
        waiting: defaultdict[State, Packed] = defaultdict(int, states)
        for had in range(self._ring.points):
            for state in [state for state in waiting if state[0] == had]:
                self._roll(state, waiting)

    def _roll(self, state: State, waiting: defaultdict[State, Packed]) -> None:
        packed, ring = _divided(waiting.pop(state)), self._ring
        had, partner = state
        self.ended[state] += packed * self._miss
        if self._wipe_ends:
            self.ended[(0, 0)] += packed * self._wipe
        else:
            self._wiped += packed * self._wipe << _SLOT
        for chance, points, goes_on, bunco in self._others:
            more = packed * chance
            if had + points >= ring.points or (bunco and ring.bunco):
                self.rings += more
                self.buncos += more if bunco else 0
            elif goes_on:
                waiting[(had + points, partner)] += more << _SLOT
            else:
                self.ended[(had + points, partner)] += more


def _units(chance: float) -> int:
    return round(chance * (1 << _CHANCE))


def _divided(sums: Packed) -> Packed:
    """Sums of products with chances as coefficients again; what is below the last place is left out."""
    return sums >> _CHANCE & _MASK


def _unpacked(parts: Iterable[Packed]) -> Polynomial:
    packed = sum(parts)
    slots = -(-packed.bit_length() // _SLOT)
    words = struct.unpack(f"<{2 * slots}Q", packed.to_bytes(16 * slots, "little"))
    return [
        low / 2**_UNIT + high * 2.0 ** (64 - _UNIT) for low, high in zip(words[::2], words[1::2], strict=True)
    ]
