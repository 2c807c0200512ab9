"""`keypad:PATH`: a USB number pad as a panel, read as the kernel's input events (`/dev/input/by-id/...-kbd`).

`keypad` alone is the first keyboard that is plugged in.
Which key is which button stands in `hardware/keypad.toml`. The pad is grabbed, so that its keys do not type
into a console, and one that is unplugged is waited for.
"""

import errno
import logging
import os
import select
import struct
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from pi_bunco.devices.gpio.decoding import Change
from pi_bunco.devices.kinds import PANEL_KINDS, DeviceFile, DeviceKind
from pi_bunco.devices.panel.buttons import PanelDecoder
from pi_bunco.devices.pins import Part
from pi_bunco.devices.protocols import BUTTONS, Button, DeviceEvent, PanelFault, Put
from pi_bunco.devices.threads import ReopeningThread
from pi_bunco.runtime.clock import Clock

PADS = "dev/input/by-id/*-event-kbd"
"""Every keyboard at USB, below /."""
KEYPAD_FILE = Path(__file__).with_name("keypad.toml")
EVENT = struct.Struct("@llHHi")
"""`struct input_event` of linux/input.h: seconds, microseconds, type, code, value."""
EV_KEY = 1
DOWN, UP = 1, 0
EVIOCGRAB = 0x40044590
"""The ioctl of linux/input.h that gives all events of a device to one reader."""
LOOK_EVERY_S = 0.25
_NO_INPUT = {errno.ENOTTY, errno.EINVAL, errno.ENOSYS}
"""Answers to `EVIOCGRAB` of a file that is no input device: a pipe with a recording."""
_log = logging.getLogger(__name__)


@cache
def keys() -> Mapping[int, Button]:
    """The button of each key, by its code."""
    table = tomllib.loads(KEYPAD_FILE.read_text("utf-8"))
    return {table["codes"][name]: button for button in BUTTONS for name in table["keys"][button]}


@cache
def names() -> Mapping[Button, str]:
    """The names of each button's keys."""
    table = tomllib.loads(KEYPAD_FILE.read_text("utf-8"))
    return {button: " or ".join(table["keys"][button]) for button in BUTTONS}


class KeyReader:
    """Finds the presses in a stream of input events that comes in any pieces. Pure.

    A key that the kernel repeats while it is down (value 2) is one press; other keys mean nothing.
    """

    def __init__(self) -> None:
        self._buttons = PanelDecoder()
        self._down: set[int] = set()
        self._rest = b""

    @property
    def due(self) -> float | None:
        """Time (ms) at which the absence of bytes means something; None for never."""
        return self._buttons.due

    def feed(self, data: bytes, now: float) -> Iterator[DeviceEvent]:
        """The meaning of the input events that `data` completes; the last of them is of `now` (ms)."""
        data = self._rest + data
        whole = len(data) - len(data) % EVENT.size
        self._rest = data[whole:]
        events = list(EVENT.iter_unpack(data[:whole]))
        last = max((_ms(seconds, micros) for seconds, micros, *_ in events), default=0.0)
        for seconds, micros, kind, code, value in events:
            if kind == EV_KEY and value in (DOWN, UP) and code in keys():
                yield from self._key(code, value == DOWN, now - (last - _ms(seconds, micros)))

    def quiet(self, now: float) -> Iterator[DeviceEvent]:
        """The events that follow from nothing having come up to `now`."""
        return self._buttons.quiet(now)

    def unplugged(self, now: float) -> Iterator[DeviceEvent]:
        """All keys are up."""
        self._rest = b""
        for code in list(self._down):
            yield from self._key(code, False, now)

    def _key(self, code: int, down: bool, now: float) -> Iterator[DeviceEvent]:
        (self._down.add if down else self._down.discard)(code)
        button = keys()[code]
        yield from self._buttons.quiet(now)
        yield from self._buttons.change(Change(now, button, down))


def _ms(seconds: int, micros: int) -> float:
    return seconds * 1000 + micros / 1000


class Keypad(ReopeningThread):
    """A number pad at the device file `path`, "" for the first keyboard below `root`; it is waited for."""

    def __init__(self, path: str, put: Put, clock: Clock, root: Path = Path("/")) -> None:
        super().__init__(f"keypad {path}", put, clock)
        self._place = path
        self._root = root
        self._path = path or str(root / PADS)
        self._keys = KeyReader()
        self._wake_reader, self._wake_writer = os.pipe()
        self._missing = False

    def close(self) -> None:
        """Stops reading; returns once that is done."""
        super().close()
        os.close(self._wake_reader)
        os.close(self._wake_writer)

    def _wake(self) -> None:
        os.write(self._wake_writer, b"x")

    def _read(self) -> None:
        """Reads until the pad goes away, which is an `OSError`, or the file ends."""
        if not self._place:
            found = sorted(self._root.glob(PADS))
            self._path = str(found[0] if found else self._root / PADS)
        pad = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            _grab(pad)
            self._tell("")
            self._works()
            while not self._stop.is_set():
                due, wait_s = self._keys.due, LOOK_EVERY_S
                if due is not None:
                    wait_s = min(max(due - self._clock.now(), 0.0) / 1000, LOOK_EVERY_S)
                ready, _, _ = select.select([pad, self._wake_reader], [], [], wait_s)
                data = os.read(pad, EVENT.size * 64) if pad in ready else b""
                if pad in ready and not data:
                    return
                now = self._clock.now()
                self._report([*self._keys.feed(data, now), *self._keys.quiet(now)])
        finally:
            os.close(pad)

    def _unplugged(self) -> None:
        self._report(self._keys.unplugged(self._clock.now()))

    def _complain(self, error: Exception) -> None:
        if isinstance(error, FileNotFoundError):
            self._tell(f"No number pad is plugged in: nothing is at {self._path}.")
            return
        why = error.strerror if isinstance(error, OSError) else error
        self._tell(f"The number pad at {self._path} cannot be read: {why}.")

    def _tell(self, why: str) -> None:
        """Reports that the pad went away or is back, once each."""
        if bool(why) != self._missing:
            self._missing = bool(why)
            self._put(PanelFault(why))
            if why:
                _log.warning("%s", why)


def _grab(pad: int) -> None:
    import fcntl  # nothing on the way of a laptop's commands may need what only POSIX has

    try:
        fcntl.ioctl(pad, EVIOCGRAB, 1)
    except OSError as error:
        if error.errno not in _NO_INPUT:
            raise


def parts(path: str) -> tuple[Part, ...]:
    """The keys of the pad at `path`, for the wiring check."""
    place = f" at {path}" if path else ""
    return tuple(
        Part(button, f"Button {button.upper()}", f"key {names()[button]} of the number pad{place}")
        for button in BUTTONS
    )


def _files(path: str) -> tuple[DeviceFile, ...]:
    missing = f"The number pad is not plugged in: there is no {path or '/' + PADS}."
    return (DeviceFile("panel port", path, missing, "Plug it in.", PADS),)


PANEL_KINDS.register(
    DeviceKind(
        "keypad",
        lambda path, setup: Keypad(path, setup.put, setup.clock),
        argument="PATH",
        optional=True,
        files=_files,
        parts=lambda path, _hardware: parts(path),
    )
)
