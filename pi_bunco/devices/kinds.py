"""The kinds of devices that there are, by their words in the config: `virtual`, `serial:PATH`, `gpio`.

A kind is one file in `dice/`, `panel/`, `lights/` or `bell/` that calls `register` with all that others ask
of it: how it is opened, which lines of the header it takes, what `doctor` looks for, and which parts the
wiring check asks for. A service loads all kinds of the devices that it has, to know the words: at their top
they import only what every installation has and is quick to load. The kinds without hardware are together in
`virtual.py`.
"""

import importlib
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from msgspec import Struct

from pi_bunco.devices.pins import Part, PinPlan, shipped
from pi_bunco.devices.protocols import Bell, DeviceError, Dice, Lights, Panel, Put, ThrowMark, need_modules
from pi_bunco.runtime.clock import Clock
from pi_bunco.validator import either

if TYPE_CHECKING:
    from pi_bunco.devices.gpio import Gpio

Device = TypeVar("Device")


class Hardware(Struct, frozen=True, dict=True):
    """This machine's header and the wiring at it, opened when the first device asks for it.

    `backend` is one of `devices.gpio`; `encoding`, `bus` or `led7`, and `settle_ms` are those of GPIO dice;
    `display` is the chip of an OLED, or `none`.
    """

    clock: Clock
    backend: str = "gpiod"
    plan: PinPlan = {}
    encoding: str = "bus"
    settle_ms: float = 1200
    display: str = "none"

    @cached_property
    def gpio(self) -> "Gpio":
        """The header; `DeviceError` says why it cannot be used."""
        from pi_bunco.devices.gpio import open_gpio

        return open_gpio(self.backend, self.clock)

    @property
    def lines(self) -> PinPlan:
        """The lines of the header."""
        return self.plan or shipped()


class Setup(Struct, frozen=True):
    """All that a device is opened with: the header, its `put`, and the mark of the throw stored last."""

    hardware: Hardware
    put: Put = lambda _event: None
    resume: ThrowMark | None = None

    @property
    def clock(self) -> Clock:
        """The source of the device's times."""
        return self.hardware.clock


class DeviceFile(Struct, frozen=True):
    """A file that the kind needs, and what to say and do where it is not there.

    `others` is a pattern of files that may be meant instead, relative to /; any of them is where `path`
    is empty.
    """

    check: str
    path: str
    missing: str
    mend: str
    others: str = ""


class DeviceKind(Struct, Generic[Device], frozen=True):
    """One kind of a device: `name` is its word, `argument` what stands behind a colon (empty: nothing does).

    `typed` says that it has no hardware and is moved by typing.
    `modules` are libraries that not every installation has, and `extra` the extra of the package that brings
    them. `lines` gives the groups of lines at the header for an encoding of dice, `files` what `doctor` looks
    for, `parts` what the wiring check asks for.
    """

    name: str
    open: Callable[[str, Setup], Device]
    argument: str = ""
    optional: bool = False
    typed: bool = False
    modules: tuple[str, ...] = ()
    extra: str = ""
    lines: Callable[[str], tuple[str, ...]] = lambda _encoding: ()
    files: Callable[[str], tuple[DeviceFile, ...]] = lambda _argument: ()
    parts: Callable[[str, Hardware], tuple[Part, ...]] = lambda _argument, _hardware: ()

    @property
    def words(self) -> tuple[str, ...]:
        """Its forms in a config."""
        bare = () if self.argument and not self.optional else (self.name,)
        return (*bare, f"{self.name}:{self.argument}") if self.argument else bare


class Kinds(Generic[Device]):
    """All kinds of the device `what`, which are the files of a folder of `devices`."""

    def __init__(self, what: str, folder: str) -> None:
        self._what = what
        self._package = f"{__package__}.{folder}"
        self._kinds: dict[str, DeviceKind[Device]] = {}
        self._loaded = False

    def register(self, kind: DeviceKind[Device]) -> None:
        """Adds a kind; `DeviceError` if there is one of that name."""
        if kind.name in self._kinds:
            raise DeviceError(f"there are two kinds of {self._what} called {kind.name}")
        self._kinds[kind.name] = kind

    def all(self) -> tuple[DeviceKind[Device], ...]:
        """Every kind, in the order of their names."""
        if not self._loaded:
            package = importlib.import_module(self._package)
            for file in Path(package.__path__[0]).glob("[!_]*.py"):
                importlib.import_module(f"{self._package}.{file.stem}")
            importlib.import_module(f"{__package__}.virtual")
            self._loaded = True
        return tuple(self._kinds[name] for name in sorted(self._kinds))

    @property
    def words(self) -> str:
        """Every word that the config takes, as a phrase."""
        return either(word for kind in self.all() for word in kind.words)

    def find(self, option: str) -> tuple[DeviceKind[Device], str]:
        """The kind that is meant and its argument; `DeviceError` lists what is known."""
        name, colon, argument = option.partition(":")
        for kind in self.all():
            fits = bool(argument) and bool(kind.argument) if colon else kind.optional or not kind.argument
            if kind.name == name and fits:
                return kind, argument
        raise DeviceError(f"{self._what} = {option!r} is not known; use {self.words}")

    def open(self, option: str, setup: Setup) -> Device:
        """The device; `DeviceError` says which part of it is missing or cannot be used."""
        kind, argument = self.find(option)
        need_modules(f"{self._what} = {option}", kind.modules, kind.extra)
        return kind.open(argument, setup)


DICE_KINDS: Kinds[Dice] = Kinds("dice", "dice")
PANEL_KINDS: Kinds[Panel] = Kinds("panel", "panel")
LIGHTS_KINDS: Kinds[Lights] = Kinds("lights", "lights")
DISPLAY_KINDS: Kinds[Lights] = Kinds("display", "lights")
BELL_KINDS: Kinds[Bell] = Kinds("bell", "bell")
