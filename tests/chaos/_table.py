"""`pi-bunco table ... --lights told`: lights as JSON lines on standard output."""

import os
import sys

import msgspec

from pi_bunco.cli import main
from pi_bunco.devices.kinds import LIGHTS_KINDS, DeviceKind
from pi_bunco.devices.protocols import LightState

TOLD = b"lights "


class ToldLights:
    def show(self, state: LightState) -> None:
        os.write(1, TOLD + msgspec.json.encode(state) + b"\n")

    def close(self) -> None:
        """Nothing to turn off."""


if __name__ == "__main__":
    LIGHTS_KINDS.register(DeviceKind("told", lambda _argument, _setup: ToldLights(), typed=True))
    sys.exit(main())
