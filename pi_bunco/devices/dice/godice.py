"""`godice:ADDRESS,ADDRESS,ADDRESS`: three GoDice by Bluetooth, in the order of the dice.

`pi-bunco pair` finds the addresses.
"""

import re
from typing import TYPE_CHECKING

from pi_bunco.devices.kinds import DICE_KINDS, DeviceKind, Setup
from pi_bunco.devices.pins import Part
from pi_bunco.devices.protocols import DICE, DeviceError

if TYPE_CHECKING:
    from pi_bunco.devices.throws.godice_links import GoDice

_ADDRESS = re.compile(r"[0-9A-F]{2}(:[0-9A-F]{2}){5}")


def addresses(argument: str) -> list[str]:
    """The three addresses; `DeviceError` if they are not that."""
    found = argument.upper().split(",")
    if len(set(found)) != len(DICE) or not all(map(_ADDRESS.fullmatch, found)):
        raise DeviceError(
            f"godice needs three dice's Bluetooth addresses, not {argument!r}: `pi-bunco pair` finds them"
        )
    return found


def _open(argument: str, setup: Setup) -> "GoDice":
    from pi_bunco.devices.throws.godice_links import GoDice, bleak_client

    return GoDice(addresses(argument), setup.put, setup.clock, bleak_client)


def _parts(argument: str) -> tuple[Part, ...]:
    return tuple(
        Part(str(die), f"Die {die}", f"the GoDice {address}: its battery, and the way to the table's Pi")
        for die, address in zip(DICE, addresses(argument), strict=True)
    )


DICE_KINDS.register(
    DeviceKind(
        "godice",
        _open,
        argument="ADDRESSES",
        modules=("bleak",),
        extra="bluetooth",
        parts=lambda argument, _hardware: _parts(argument),
    )
)
