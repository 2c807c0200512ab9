"""`godice:ADDRESS,ADDRESS,ADDRESS`, `pixels:...`: three Bluetooth dice, in the order of the dice.

`pi-bunco pair` finds the addresses. Each model of dice is a file in `throws`.
"""

import re
from functools import partial
from typing import TYPE_CHECKING

from pi_bunco.devices.kinds import DICE_KINDS, DeviceKind, Setup
from pi_bunco.devices.pins import Part
from pi_bunco.devices.protocols import DICE, DeviceError
from pi_bunco.devices.throws.godice import GODICE
from pi_bunco.devices.throws.pixels import PIXELS
from pi_bunco.devices.throws.radio_dice import RadioModel

if TYPE_CHECKING:
    from pi_bunco.devices.throws.radio_links import RadioDice

MODELS = (GODICE, PIXELS)
_ADDRESS = re.compile(r"[0-9A-F]{2}(:[0-9A-F]{2}){5}")


def addresses(model: RadioModel, argument: str) -> list[str]:
    """The three addresses; `DeviceError` if they are not that."""
    found = argument.upper().split(",")
    if len(set(found)) != len(DICE) or not all(map(_ADDRESS.fullmatch, found)):
        raise DeviceError(
            f"{model.word} needs the addresses of three dice, not {argument!r}: `pi-bunco pair` finds them"
        )
    return found


def _open(model: RadioModel, argument: str, setup: Setup) -> "RadioDice":
    from pi_bunco.devices.throws.radio_links import RadioDice, bleak_client

    return RadioDice(model, addresses(model, argument), setup.put, setup.clock, bleak_client)


def _parts(model: RadioModel, argument: str, _hardware: object) -> tuple[Part, ...]:
    return tuple(
        Part(
            str(die),
            f"Die {die}",
            f"the die {address} of {model.name}: its battery, and the way to the table's Pi",
        )
        for die, address in zip(DICE, addresses(model, argument), strict=True)
    )


for _model in MODELS:
    DICE_KINDS.register(
        DeviceKind(
            _model.word,
            partial(_open, _model),
            argument="ADDRESSES",
            modules=("bleak",),
            extra="bluetooth",
            parts=partial(_parts, _model),
        )
    )
