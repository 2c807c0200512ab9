"""Time as a parameter: milliseconds that never run back, from the machine or from a test."""

import secrets
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol


class Clock(Protocol):
    """Monotonic milliseconds since this machine's boot, and an id of that boot."""

    boot: str

    def now(self) -> float:
        """Milliseconds since the boot that `boot` names; never falls."""


class SystemClock:
    """The machine's monotonic clock; setting the wall clock does not touch it."""

    def __init__(self) -> None:
        try:
            self.boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()[:8]
        except OSError:  # not Linux: each start counts as a boot
            self.boot = secrets.token_hex(4)

    def now(self) -> float:
        """Milliseconds since boot, on Linux with the time that the machine slept."""
        if sys.platform == "linux":
            return time.clock_gettime(time.CLOCK_BOOTTIME) * 1000
        else:  # noqa: RET505 (mypy reads the two apart)
            return time.monotonic() * 1000


def wall_seconds() -> float:
    """Wall time in seconds since 1970, for people: it can be set or be wrong, so no service decides by it."""
    return time.time()


def date(seconds: float) -> str:
    """Wall time, in seconds since 1970, as a host reads it."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%d %B %Y, %H:%M UTC")
    except (ValueError, OverflowError, OSError):
        return "at an unknown time"
