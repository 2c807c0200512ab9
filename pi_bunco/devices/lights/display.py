"""The optional display of a table, 128x64 dots on the I2C bus (luma.oled): what there is to read."""

import logging
from contextlib import suppress
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal, get_args

from pi_bunco.devices.kinds import DISPLAY_KINDS, DeviceFile, DeviceKind
from pi_bunco.devices.pins import Part, PinPlan, wires
from pi_bunco.devices.protocols import DeviceError, LightState
from pi_bunco.devices.threads import ShowingThread
from pi_bunco.reason import N_
from pi_bunco.words.catalogue import texts

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageFont import FreeTypeFont

Chip = Literal["ssd1306", "sh1106"]
SIZE = (128, 64)
I2C_ADDRESSES = (0x3C, 0x3D)
"""Both that these modules are sold with, the commoner one first."""
I2C_BUS = 1
FIRST_RETRY_S, LAST_RETRY_S = 1.0, 30.0
LARGE_DOTS, SMALL_DOTS = 19, 11
HEAD_HEIGHT_DOTS, LINE_HEIGHT_DOTS = 22, 13
_ROUND = {"running": N_("Roll"), "finish": N_("Finish turn"), "stop": N_("Stop")}
_log = logging.getLogger(__name__)


def heading(state: LightState) -> str:
    """The next thing to do, in a few words."""
    _ = texts(state.language).gettext
    if state.ok_blinks:
        return _("Press OK")
    if state.turn is None or state.next is None:
        return _("Roll-off") if state.rolloff else _(_ROUND.get(state.round or "", "Bunco"))
    when = _("Tie: ") if state.rolloff else _("End: ") if state.round == "finish" else ""
    what = _("%(seat)s again") if state.next == "roll again" else _("%(seat)s to roll")
    return when + what % {"seat": state.turn}


def notes(state: LightState) -> list[str]:
    """The lines below: what the table says, then what is wrong."""
    _ = texts(state.language).gettext
    lines = [line for line in state.message.split("\n") if line]
    trouble = [
        (state.fault, _("Out of order: call the host")),
        (not state.online, _("Looking for the head table")),
        (not state.saved, _("Not saved yet")),
    ]
    return lines + [text for is_so, text in trouble if is_so and text not in lines]


def picture(state: LightState) -> "Image":
    """The display's picture in black and white; what has no room is left out from the end."""
    from PIL import Image, ImageDraw

    image = Image.new("1", SIZE)
    draw = ImageDraw.Draw(image)
    draw.fontmode = "1"
    size = next(
        (size for size in range(LARGE_DOTS, SMALL_DOTS, -1) if _fits(heading(state), size)), SMALL_DOTS
    )
    draw.text((0, 0), heading(state), fill=1, font=_font(size))
    lines = [part for line in notes(state) for part in wrapped(line)]
    for row, line in enumerate(lines[: (SIZE[1] - HEAD_HEIGHT_DOTS) // LINE_HEIGHT_DOTS]):
        draw.text((0, HEAD_HEIGHT_DOTS + row * LINE_HEIGHT_DOTS), line, fill=1, font=_font(SMALL_DOTS))
    return image


def wrapped(line: str) -> list[str]:
    """The line in parts that are as wide as the display at most; what has no blank is cut."""
    if _fits(line, SMALL_DOTS):
        return [line] if line.strip() else []
    parts = [""]
    for word in line.split():
        longer = f"{parts[-1]} {word}".strip()
        if _fits(longer, SMALL_DOTS):
            parts[-1] = longer
        else:
            parts.append(word)
            while not _fits(parts[-1], SMALL_DOTS):
                parts[-1] = parts[-1][:-1]
    return [part for part in parts if part]


@cache
def _font(size: int) -> "FreeTypeFont":
    from PIL import ImageFont

    font = ImageFont.load_default(size)
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise DeviceError("the display needs Pillow with FreeType, as its wheels have it")
    return font


def _fits(text: str, size: int) -> bool:
    return _font(size).getbbox(text, mode="1")[2] <= SIZE[0]


def open_chip(chip: Chip) -> Any:
    """The driver of luma.oled for the display that answers; raises luma's own `Error` or `OSError`."""
    from luma.core.error import DeviceNotFoundError  # type: ignore[import-untyped]
    from luma.core.interface.serial import i2c  # type: ignore[import-untyped]
    from luma.oled import device  # type: ignore[import-untyped]

    *others, last = I2C_ADDRESSES
    for address in others:
        with suppress(DeviceNotFoundError):
            return getattr(device, chip)(i2c(port=I2C_BUS, address=address))
    return getattr(device, chip)(i2c(port=I2C_BUS, address=last))


class Display(ShowingThread):
    """A display; one that is missing or comes loose is tried again and again."""

    def __init__(self, chip: Chip, open_: Any = open_chip) -> None:
        self._chip = chip
        self._open = open_
        self._device: Any = None
        self._retry_s: float | None = None
        super().__init__("display")

    def _draw(self, state: LightState | None) -> float | None:
        from luma.core.error import Error as LumaError

        if state is None:
            return None
        try:
            self._device = self._device or self._open(self._chip)
            self._device.display(picture(state))
        except (OSError, LumaError) as error:
            if self._retry_s is None:
                _log.warning("the display cannot be used: %s; trying again", error)
            self._retry_s = min(self._retry_s * 2, LAST_RETRY_S) if self._retry_s else FIRST_RETRY_S
            self._device = None
        else:
            self._retry_s = None
        return self._retry_s

    def _darken(self) -> None:
        if self._device is not None:
            try:
                self._device.cleanup()
            except OSError as error:
                _log.warning("the display cannot be turned dark: %s", error)


class NoLights:
    """Lights that nobody sees, or no display."""

    def show(self, state: LightState) -> None:
        """Shows nothing."""

    def close(self) -> None:
        """Nothing to turn off."""


class Together:
    """Lights and display as one."""

    def __init__(self, *parts: Any) -> None:
        self._parts = parts

    def show(self, state: LightState) -> None:
        """All show `state`."""
        for part in self._parts:
            part.show(state)

    def close(self) -> None:
        """All turn dark."""
        for part in self._parts:
            part.close()


def part(plan: PinPlan) -> Part:
    """The display, which is asked whether it shows `CHECK`."""
    lines = [plan["display.sda"], plan["display.scl"]]
    question = "Does the display say CHECK? (y/n)"
    return Part("display", "The display", wires(lines, "the display cable"), tuple(lines), question)


def _files(_argument: str) -> tuple[DeviceFile, ...]:
    path = f"/dev/i2c-{I2C_BUS}"
    mend = "Switch it on: sudo raspi-config nonint do_i2c 0, then switch the Pi off and on."
    missing = f"The I2C bus of the display is off: there is no {path}."
    return (DeviceFile("display", path, missing, mend),)


DISPLAY_KINDS.register(DeviceKind("none", lambda _argument, _setup: NoLights()))
for _chip in get_args(Chip):
    DISPLAY_KINDS.register(
        DeviceKind(
            _chip,
            partial(lambda chip, _argument, _setup: Display(chip), _chip),
            modules=("luma",),
            extra="display",
            lines=lambda _encoding: ("display",),
            files=_files,
            parts=lambda _argument, hardware: (part(hardware.lines),),
        )
    )
