"""Devices that cannot be opened yet: each has a stand-in and is tried again, so that all else plays on."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from pi_bunco.devices import protocols
from pi_bunco.reason import joined
from pi_bunco.runtime.clock import Clock
from pi_bunco.runtime.loop import Health
from pi_bunco.words.terms import capital

REOPEN_EVERY_MS = 10_000.0
NEEDLESS = ("committed", "off", "close")
"""Of dice nothing waits for a commit, and nothing sounds or is open."""
Device = TypeVar("Device")


class StandIn:
    """Takes the part of the device `what`, which `open_` could not give because of `why`, until it can.

    It can be dice, panel, lights and bell. Dice report by `put` that they are not heard, so that rolls can be
    entered by hand. From the moment when the device is there everything is passed on to it.
    """

    def __init__(
        self, what: str, open_: Callable[[], Any], why: str, put: protocols.Put | None = None
    ) -> None:
        self.what = what
        self.why = why
        self.device: Any = None
        self._open = open_
        self._put = put
        self._started = False
        self._state: protocols.LightState | None = None

    def open(self) -> None:
        """Tries again; the device is started and shows what its stand-in was to show."""
        try:
            device = self._open()
        except (protocols.DeviceError, OSError) as error:
            self.why = str(error)
            return
        self._report("ok")
        if self._started:
            device.start()
        if self._state is not None:
            device.show(self._state)
        self.device = device

    def start(self) -> None:
        """The device is to report as soon as it is there."""
        self._started = True
        self._report("unheard")

    def alive(self) -> bool:
        """False once the device's reader has ended; what is not there has not."""
        return self.device is None or bool(self.device.alive())

    def report_until(self, at: float) -> None:
        """Nothing comes from dice that are not there."""
        if self.device is not None:
            self.device.report_until(at)
        elif self._put is not None:
            self._put(protocols.AllReported(at))

    def show(self, state: protocols.LightState) -> None:
        """Shown now, or once the lights are there."""
        self._state = state
        if self.device is not None:
            self.device.show(state)

    def ring(self, ring: protocols.Blasts) -> float:
        """`DeviceError` says why there is no bell."""
        if self.device is None:
            raise protocols.DeviceError(self.why)
        return float(self.device.ring(ring))

    def __getattr__(self, name: str) -> Any:
        """All else is passed on; where there is no device, nothing needs to be done for `NEEDLESS`."""
        if self.device is not None:
            return getattr(self.device, name)
        if name not in NEEDLESS:
            raise AttributeError(name)
        return lambda *_: None

    def _report(self, state: protocols.DieState) -> None:
        if self._put is not None:
            for die in protocols.DICE:
                self._put(protocols.DiceState(die, state))


class Retrying:
    """Opens devices for a service; those that cannot be opened are tried again every `REOPEN_EVERY_MS`."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._due = clock.now() + REOPEN_EVERY_MS
        self._missing: list[StandIn] = []
        self._reported: tuple[str, ...] = ()

    def open(self, what: str, open_: Callable[[], Device], put: protocols.Put | None = None) -> Device:
        """The device, or its stand-in; dice are given the `put` by which they report."""
        try:
            return open_()
        except (protocols.DeviceError, OSError) as error:
            self._missing.append(StandIn(what, open_, str(error), put))
            return cast(Device, self._missing[-1])

    def look(self) -> Health | None:
        """Tries again when it is time; what is missing, if that is not what was told last."""
        if self._missing and self._clock.now() >= self._due:
            self._due = self._clock.now() + REOPEN_EVERY_MS
            for device in self._missing:
                device.open()
            self._missing = [device for device in self._missing if device.device is None]
        reasons: dict[str, list[str]] = {}  # one may concern several devices
        for device in self._missing:
            reasons.setdefault(device.why.rstrip("."), []).append(device.what)
        faults = tuple(f"{capital(joined(names))} cannot be used: {why}." for why, names in reasons.items())
        if faults == self._reported:
            return None
        self._reported = faults
        return Health(faults, "devices")
