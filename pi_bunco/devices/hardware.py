"""What is wired to this machine's header, and how; the header is opened when the first device asks for it."""

from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from pi_bunco.devices.pins import Plan, shipped
from pi_bunco.runtime.clock import Clock

if TYPE_CHECKING:
    from pi_bunco.devices.gpio import Gpio


class Hardware(Struct, frozen=True, dict=True):
    """What is wired to this machine's header, and how: opened when the first device asks for it.

    `backend` is one of `devices.gpio`; `encoding`, `bus` or `led7`, and `settle_ms` are those of GPIO dice;
    `display` is the chip of an OLED, or `none`.
    """

    clock: Clock
    backend: str = "gpiod"
    plan: Plan = {}
    encoding: str = "bus"
    settle_ms: float = 1200
    display: str = "none"

    @cached_property
    def gpio(self) -> "Gpio":
        """The header; `DeviceError` says why it cannot be used."""
        from pi_bunco.devices.gpio import open_gpio

        return open_gpio(self.backend, self.clock)

    @property
    def lines(self) -> Plan:
        """The lines of the header."""
        return self.plan or shipped()
