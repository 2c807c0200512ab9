"""The numbers by which a phone without a network shows turn, points and undo (`ahead.js`)."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.game.table import PLAYING, Table
from pi_bunco.game.table_score import NOTHING
from pi_bunco.rules import RuleSet
from pi_bunco.rules.patterns import FALLS, score
from pi_bunco.web.pages.shared.tables import Counted

RESULT_KEYS = ("miss", "one", "two", "mini", "bunco")
ROLLS = 24
"""Rolls that can be taken back without a network, the latest."""


class KeyNumbers(Struct, frozen=True):
    """A throw of this key: its points, whether the turn goes on, whether it rings whatever the points are."""

    worth: int
    on: bool
    rings: bool


class Ahead(Struct, frozen=True):
    """A table in play; seats are 0 to 3, `rolls` are seat, key, points of the latest and whether
    the turn went on, all if `whole`.

    `points` are those of the sides, two pairs, each seat or the table; `next` is the seat whose turn comes
    after each. `each` are points by seat, `goal` rings (0: no points do), by `player` or team; once the
    `bell` has rung, a turn of a seat in `ends` is the last. `dice` where faces mean what they do in most
    rules; keys without numbers are not known here. `state` names what of the phone's taps is in it.
    """

    state: str
    round: str
    target: int
    seat: int
    points: tuple[int, ...]
    next: tuple[int, ...]
    each: tuple[int, ...]
    rolls: tuple[tuple[int, str, int, bool], ...]
    whole: bool
    keys: dict[str, KeyNumbers]
    dice: bool
    goal: int
    player: bool
    bell: bool
    ends: tuple[bool, ...]

    @property
    def plain(self) -> dict[str, Any]:
        """The numbers as the page holds them."""
        found: dict[str, Any] = msgspec.to_builtins(self)
        return found


def ahead_of(table: Table, rolls: Sequence[Counted], state: str, round_: str) -> Ahead | None:
    """The numbers of a table in play; None where a phone cannot go on by numbers."""
    if (
        table.phase != PLAYING
        or table.done
        or table.base.tallied
        or (table.bell_t is not None and table.undone)
    ):
        return None
    keys = {name: key for name in RESULT_KEYS if (key := _key(table, name))}
    latest = [(roll.seat, roll.result, roll.points, roll.goes_on) for roll in rolls[-ROLLS:]]
    while any(name not in keys for _, name, _, _ in latest):
        latest.pop(0)  # before a roll that is not known here nothing is
    end, goes = table.rules.end, table.mode
    return Ahead(
        state=state,
        round=round_,
        target=table.target,
        seat=table.seat,
        points=tuple(table.points),
        next=table.following,
        each=tuple(table.seat_points),
        rolls=tuple(latest),
        whole=len(latest) == len(rolls) and table.base == NOTHING,
        keys=keys,
        dice=_usual(table.rules, table.target),
        goal=(end.points or 0) if table.may_ring else 0,
        player=end.points_by == "player",
        bell=table.bell_t is not None,
        ends=tuple(
            goes == "finish_turn"
            or seat == table.order[-1]
            or (goes == "first_lap" and bool(table.taken >> table.order[-1] & 1))
            for seat in range(4)
        ),
    )


def _key(table: Table, name: str) -> KeyNumbers | None:
    effects = table.effects(table.called(name))
    if effects.wipe != "none" or effects.called is not None:
        return None
    return KeyNumbers(effects.points, effects.goes_on, table.may_ring and effects.bell)


@cache
def _usual(rules: RuleSet, target: int) -> bool:
    """Result of dice: the target counts by their number, other triples are minis, all else is a miss."""
    scoring = score(rules, target)
    for dice in FALLS:
        hits = dice.count(target)
        name = ("one", "two", "bunco")[hits - 1] if hits else "mini" if len(set(dice)) == 1 else "miss"
        rolled, named = scoring.effects[scoring.outcomes[dice]], scoring.by_hand(name)
        if replace(rolled, marks=(), hands=None, kind=0) != replace(named, marks=(), hands=None, kind=0):
            return False
    return True
