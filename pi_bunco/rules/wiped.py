"""The laps of a team whose points three of a face wipe out, for the exact odds (`odds`).

With wipes the order of the rolls matters, so that the points themselves are followed: a state is the total
that rings (the team's, or the roller's and the partner's), with the chance of n rolls so far at x^n.

Here a polynomial is one large integer (Kronecker): each coefficient, in units of 2^-60, has 128 bits of its
own, so that a product with a chance (in units of 2^-50) and a sum are one step for all coefficients at once.
"""

import struct
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from pi_bunco.rules.ruleset import Wiped

Polynomial = list[float]
State = tuple[int, int]
"""The roller's points and the partner's; where nothing tells them apart, all of them and 0."""
Packed = int
_UNIT, _CHANCE, _SLOT = 60, 50, 128
_LONGEST = 4096
_MASK = ((1 << _SLOT * _LONGEST) - 1) // ((1 << _SLOT) - 1) * ((1 << _SLOT - _CHANCE) - 1)


class RollKind(Struct, frozen=True):
    """Rolls that are alike in what they do: their points, whether the turn goes on, and whether they ring."""

    points: int
    goes_on: bool
    rings: bool
    wipe: Wiped
    bunco: bool

    @property
    def stays(self) -> bool:
        """Such a roll changes nothing, and the turn goes on."""
        return self.goes_on and not (self.points or self.rings)


class TurnOdds(Struct, frozen=True):
    """A team in one of its turns, by its rolls beyond one for every earlier turn, the bell roll not counted.

    The chances of no bell until the turn, of none after it either, of a bell in it, and of one by a Bunco.
    """

    before: Polynomial
    after: Polynomial
    rings: Polynomial
    buncos: Polynomial


def turns(rolls: Sequence[tuple[float, RollKind]], points: int, by_player: bool) -> Iterator[TurnOdds]:
    """Turn after turn of one team, without end: each kind with its chance; `points` ring."""
    apart = by_player or any(kind.wipe == "seat" for _, kind in rolls)
    states: dict[State, Packed] = {(0, 0): 1 << _UNIT}
    while True:
        turn = _Turn(rolls, points, by_player, states)
        ended = {state: rest for state, sums in turn.ended.items() if (rest := _divided(sums))}
        yield TurnOdds(
            _unpacked(states.values()),
            [0.0, *_unpacked(ended.values())],
            _unpacked([_divided(turn.rings)]),
            _unpacked([_divided(turn.buncos)]),
        )
        states = {state[::-1]: rest for state, rest in ended.items()} if apart else ended


class _Turn:
    """One turn: where it ends from each of `states`, and what rings in it; sums of products with chances."""

    def __init__(
        self,
        rolls: Sequence[tuple[float, RollKind]],
        points: int,
        by_player: bool,
        states: dict[State, Packed],
    ) -> None:
        self._points, self._by_player = points, by_player
        self._rolls = [(_units(chance), kind) for chance, kind in rolls]
        self.ended: defaultdict[State, Packed] = defaultdict(int)
        self.rings: Packed = 0
        self.buncos: Packed = 0
        self._again: defaultdict[State, Packed] = defaultdict(int)
        self._play({state: packed << _CHANCE for state, packed in states.items()})
        while any(map(_divided, self._again.values())):  # turns that go on after rolls that add nothing
            again, self._again = self._again, defaultdict(int)
            self._play(again)

    def _play(self, states: dict[State, Packed]) -> None:
        """Each state once: the roller's points only grow until there is a wipe."""
        waiting: defaultdict[State, Packed] = defaultdict(int, states)
        for had in range(self._points):
            for state in [state for state in waiting if state[0] == had]:
                self._roll(state, waiting)

    def _roll(self, state: State, waiting: defaultdict[State, Packed]) -> None:
        packed = _divided(waiting.pop(state))
        for chance, kind in self._rolls:
            more = packed * chance
            roller, partner = (
                (0 if kind.wipe != "none" else state[0]),
                (0 if kind.wipe == "team" else state[1]),
            )
            after = (roller + kind.points, partner)
            total = after[0] if self._by_player else sum(after)
            if kind.rings or (kind.points and total >= self._points):
                self.rings += more
                self.buncos += more if kind.bunco else 0
            elif not kind.goes_on:
                self.ended[after] += more
            elif kind.points and kind.wipe == "none":
                waiting[after] += more << _SLOT
            else:
                self._again[after] += more << _SLOT


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
