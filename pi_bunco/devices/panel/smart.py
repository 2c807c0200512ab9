"""`smart`: simulated players, who are dice, panel and lights in one (see `dice/smart.py`)."""

from pi_bunco.devices.dice.smart import refuse
from pi_bunco.devices.kinds import PANEL_KINDS, DeviceKind

PANEL_KINDS.register(DeviceKind("smart", refuse))
