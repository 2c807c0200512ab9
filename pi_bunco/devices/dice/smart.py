"""`smart` or `smart:SEED`: simulated players, who are dice, panel and lights in one (`pi_bunco.play.people`).

The table service opens them together; here they only have their words.
"""

from typing import NoReturn

from pi_bunco.devices.kinds import DICE_KINDS, DeviceKind, Setup
from pi_bunco.devices.protocols import DeviceError


def refuse(_argument: str, _setup: Setup) -> NoReturn:
    """Says that both are needed; always raises `DeviceError`."""
    raise DeviceError("smart players need both: --dice smart and --panel smart")


DICE_KINDS.register(DeviceKind("smart", refuse, argument="SEED", optional=True))
