"""Devices that cannot be opened yet: a placeholder takes the part of each, so that all else plays on."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from pi_bunco.devices.dice.throw_rule import DICE
from pi_bunco.devices.protocols import (
    AllReported,
    Bell,
    Blasts,
    DeviceError,
    Dice,
    DiceState,
    DieState,
    Lights,
    LightState,
    Panel,
    Put,
)
from pi_bunco.runtime.clock import Clock
from pi_bunco.runtime.loop import Health

AGAIN = 10_000.0
"""Milliseconds between two attempts to open what is missing."""
Device = TypeVar("Device")


class Absent(Generic[Device]):
    """Takes the part of the device `what`, which `open_` could not give because of `why`, until it can."""

    def __init__(self, what: str, open_: Callable[[], Device], why: str) -> None:
        self.what = what
        self.why = why
        self.device: Device | None = None
        self._open = open_

    def look(self) -> None:
        """Tries again."""
        try:
            device = self._open()
        except (DeviceError, OSError) as error:
            self.why = str(error)
            return
        self._begin(device)
        self.device = device

    def _begin(self, device: Device) -> None:
        """The device is there: it is brought to where its placeholder was."""


class _Reader(Absent[Device]):
    """A device that reports."""

    _started = False

    def start(self) -> None:
        """The device is to report as soon as it is there."""
        self._started = True

    def _begin(self, device: Any) -> None:
        if self._started:
            device.start()

    def alive(self) -> bool:
        """Whether what reads the device still runs; what is not there has not ended."""
        device: Any = self.device
        return device is None or bool(device.alive())

    def close(self) -> None:
        """Frees what was opened."""
        device: Any = self.device
        if device is not None:
            device.close()


class AbsentPanel(_Reader[Panel]):
    """A panel that nobody can press yet."""


class AbsentDice(_Reader[Dice]):
    """Dice that are not heard yet, which they say, so that rolls can be entered by hand."""

    def __init__(self, what: str, open_: Callable[[], Dice], why: str, put: Put) -> None:
        super().__init__(what, open_, why)
        self._put = put

    def start(self) -> None:
        """The dice are to report as soon as they are there."""
        super().start()
        self._say("unheard")

    def committed(self, boot: str, seq: int) -> None:
        """Passed on."""
        if self.device is not None:
            self.device.committed(boot, seq)

    def report_until(self, at: float) -> None:
        """Passed on; nothing comes from dice that are not there."""
        if self.device is not None:
            self.device.report_until(at)
        else:
            self._put(AllReported(at))

    def _begin(self, device: Dice) -> None:
        self._say("ok")
        super()._begin(device)

    def _say(self, state: DieState) -> None:
        for die in DICE:
            self._put(DiceState(die, state))


class AbsentLights(Absent[Lights]):
    """Lights that show nothing yet."""

    _state: LightState | None = None

    def show(self, state: LightState) -> None:
        """Passed on, now or once the lights are there."""
        self._state = state
        if self.device is not None:
            self.device.show(state)

    def _begin(self, device: Lights) -> None:
        if self._state is not None:
            device.show(self._state)

    def close(self) -> None:
        """Turns dark what was opened."""
        if self.device is not None:
            self.device.close()


class AbsentBell(Absent[Bell]):
    """A bell that cannot sound yet."""

    def ring(self, ring: Blasts) -> float:
        """Passed on; `DeviceError` says why there is no bell."""
        if self.device is None:
            raise DeviceError(self.why)
        return self.device.ring(ring)

    def off(self) -> None:
        """Silences what was opened."""
        if self.device is not None:
            self.device.off()

    def close(self) -> None:
        """Silences and frees what was opened."""
        if self.device is not None:
            self.device.close()


class Late:
    """Opens devices for a service; those that cannot be opened are tried again every `AGAIN` ms."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._due = clock.now() + AGAIN
        self._absent: list[Absent[Any]] = []
        self._reported: tuple[str, ...] = ()

    def dice(self, what: str, open_: Callable[[], Dice], put: Put) -> Dice:
        """The dice, or who takes their part."""
        return self._opened(open_, lambda why: AbsentDice(what, open_, why, put))

    def panel(self, what: str, open_: Callable[[], Panel]) -> Panel:
        """The panel or button, or who takes its part."""
        return self._opened(open_, lambda why: AbsentPanel(what, open_, why))

    def lights(self, what: str, open_: Callable[[], Lights]) -> Lights:
        """The lights, or who takes their part."""
        return self._opened(open_, lambda why: AbsentLights(what, open_, why))

    def bell(self, what: str, open_: Callable[[], Bell]) -> Bell:
        """The bell, or who takes its part."""
        return self._opened(open_, lambda why: AbsentBell(what, open_, why))

    def look(self) -> Health | None:
        """Tries again when it is time; what is missing, if that is not what was told last."""
        if self._absent and self._clock.now() >= self._due:
            self._due = self._clock.now() + AGAIN
            for absent in self._absent:
                absent.look()
            self._absent = [absent for absent in self._absent if absent.device is None]
        faults = self._faults()
        if faults == self._reported:
            return None
        self._reported = faults
        return Health(faults, "devices")

    def _opened(self, open_: Callable[[], Device], placeholder: Callable[[str], Any]) -> Device:
        try:
            return open_()
        except (DeviceError, OSError) as error:
            absent: Any = placeholder(str(error))
            self._absent.append(absent)
            return absent  # type: ignore[no-any-return]

    def _faults(self) -> tuple[str, ...]:
        """A sentence for each reason, which may concern several devices."""
        missing: dict[str, list[str]] = {}
        for absent in self._absent:
            missing.setdefault(absent.why.rstrip("."), []).append(absent.what)
        return tuple(f"{_listed(names)} cannot be used: {why}." for why, names in missing.items())


def _listed(names: list[str]) -> str:
    *most, last = names
    text = f"{', '.join(most)} and {last}" if most else last
    return text[0].upper() + text[1:]
