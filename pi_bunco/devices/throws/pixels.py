"""Pixels of Systemic Games: what each die says over Bluetooth. Pure.

Written from the maker's protocol description, JavaScript library and firmware (github.com/GameWithPixels: the
repositories .github, of which no licence was found, pixels-js and DiceFirmware, both MIT). Numbers are little
endian, a message's first byte is its type, and a face is told as an index from 0.

- `RollState` says `rolled` of a die on whatever side is uppermost: the firmware of a six-sided die of today
  knows no `crooked`. So the die is asked for its `Telemetry`, which has the part of gravity along that side.
- Up to 2024 the firmware told some sides by other indexes, and turned dice as `rolled`. That one answers
  `WhoAreYou` with another message, of 22 bytes: such a die is not played with.
"""

from struct import unpack_from

from pi_bunco.devices.throws import radio_dice

PIXEL_SERVICE = "a6b90001-7a5a-43f2-a962-350c8edc9b5b"
ROLLED, HANDLING, ROLLING, CROOKED, ON_FACE = 1, 2, 3, 4, 5
"""Roll states; 0 is unknown."""
FLAT_PER_MILLE = 800
"""Gravity along the uppermost side of a die that lies flat: the firmware's own limit, 37 degrees."""
SIX_SIDED = (2, 8)
"""The die types `d6` and `d6pipped`."""
OLD_BYTES = 22
_STATES: dict[int, radio_dice.Said] = {
    HANDLING: radio_dice.PickedUp(),
    ROLLING: radio_dice.DieRolls(),
    CROOKED: radio_dice.Disturbed("cocked"),
    ON_FACE: radio_dice.Disturbed("moved"),
}
_TELEMETRY = "<x3hiIBB"
"""Acceleration, gravity along the uppermost side in thousandths, ms, roll state, face."""


def read(data: bytes) -> radio_dice.Said | None:
    """The meaning of a notification; None for what means nothing here."""
    match list(data):
        case [2, *_]:
            return _identified(data)
        case [3, state, face, *_] if face < 6:
            return _STATES.get(state) or (radio_dice.FaceClaimed(face + 1) if state == ROLLED else None)
        case [4, *_] if len(data) >= 17:
            *_, along, _ms, state, face = unpack_from(_TELEMETRY, data)
            if state in (ROLLED, ON_FACE) and face < 6:
                return radio_dice.FaceMeasured(face + 1, along >= FLAT_PER_MILLE)
        case [34, percent, *_]:
            return radio_dice.Battery(min(percent, 100))
    return None


def _identified(data: bytes) -> radio_dice.Identified | None:
    """The die's kind, in the second of the chunks that follow, each of which begins with its length."""
    if len(data) == OLD_BYTES:
        return radio_dice.Identified(
            "its firmware is older than November 2024: update it with the maker's app"
        )
    if len(data) < 2 or len(data) < data[1] + 8:
        return None
    six_sided = data[data[1] + 7] in SIX_SIDED
    return radio_dice.Identified("" if six_sided else "it is not a die with six numbered sides")


PIXELS = radio_dice.RadioModel(
    word="pixels",
    name="Pixels",
    advertises=lambda _name, services: PIXEL_SERVICE in services,
    notifies="a6b90002-7a5a-43f2-a962-350c8edc9b5b",
    takes="a6b90003-7a5a-43f2-a962-350c8edc9b5b",
    battery=b"\x21",
    read=read,
    identify=b"\x01",
    measure=b"\x1a\x01\x00\x00",  # telemetry, once, as soon as there is one
)
