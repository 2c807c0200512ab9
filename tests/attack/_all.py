"""All attacks, one after the other."""

from pathlib import Path

from . import _broker, _head
from ._broker import siege
from ._tally import Tally

CROWD = 940
"""More connections than the broker takes."""
KEPT = 4000
"""Messages of 8 KiB: half of the broker's memory, were they kept."""


def attack(folder: Path, rubbish: int, seed: int) -> Tally:
    """Attacks a hall below the folder; `rubbish` malformed packets of each kind, drawn by the seed."""
    tally = Tally()
    with siege(folder, tally) as at:
        _broker.everything_is_said(at)
        _broker.everything_is_asked_for(at)
        _broker.wills_are_left(at)
        _broker.ids_are_stolen(at)
        _broker.memory_is_filled(at, KEPT)
        _head.a_round_is_attacked(at, rubbish, seed)
        _broker.rubbish_is_sent(at, rubbish, seed)
        _broker.doors_are_blocked(at, CROWD)
        _broker.nobody_gets_in(at)
    return tally
