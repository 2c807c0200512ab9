"""Puts the firmware's own modules, which import each other by bare names, on the path."""

import sys
from pathlib import Path

FIRMWARE = Path(__file__).parents[2] / "firmware"

if str(FIRMWARE) not in sys.path:
    sys.path.append(str(FIRMWARE))
