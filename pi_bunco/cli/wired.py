"""What the config says of the header, for the commands that run a service."""

from pi_bunco.config import Config
from pi_bunco.devices.kinds import Hardware
from pi_bunco.devices.pins import plan
from pi_bunco.runtime.clock import Clock


def hardware(config: Config, clock: Clock) -> Hardware:
    """The header as it is wired, not opened yet; `PinsError` says what cannot be."""
    return Hardware(
        clock,
        config.gpio,
        plan(config.pins, config.wired),
        config.encoding,
        config.settle_ms,
        config.display,
    )
