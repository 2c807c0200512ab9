"""Messages of a service to systemd: it is ready, how it is, it still works (sd_notify(3))."""

import contextlib
import os
import socket
import sys
from collections.abc import Callable, Sequence

WAIT_S = 0.1
"""A systemd that does not listen holds nobody up for longer."""

THREADS_LOOK_EVERY_MS = 2000.0
"""So often the threads are looked at where no systemd asks."""


def notify(*lines: str) -> None:
    """Tells systemd these lines, `READY=1` for example; nothing where it has not asked for them."""
    place = os.environ.get("NOTIFY_SOCKET", "")
    if sys.platform == "win32" or place[:1] not in ("/", "@"):
        return
    address = f"\0{place[1:]}" if place[0] == "@" else place  # "@": a name without a file, unix(7)
    text = "\n".join(" ".join(line.split()) for line in lines)
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as to:
        to.settimeout(WAIT_S)
        to.connect(address)
        to.sendall(text.encode("utf-8", "replace"))


def watchdog_ms() -> float | None:
    """Milliseconds that this process may be silent before systemd ends it; None if it is not watched."""
    wanted, whom = os.environ.get("WATCHDOG_USEC", ""), os.environ.get("WATCHDOG_PID", "")
    if not wanted.isascii() or not wanted.isdigit() or int(wanted) == 0 or whom not in ("", str(os.getpid())):
        return None
    return int(wanted) / 1000


class Watchdog:
    """Called after each turn of the loop, says that the service works while all its threads live.

    `dead` names those that do not; when there is one, `complain` hears of it once, systemd nothing more.
    """

    def __init__(
        self,
        dead: Callable[[], Sequence[str]],
        complain: Callable[[str], object],
        interval: float | None = None,
        say: Callable[..., object] = notify,
    ) -> None:
        """`interval` (ms) is that of `watchdog_ms`; four times in it the threads are looked at."""
        self._dead = dead
        self._complain = complain
        self._watched = interval is not None
        self._every = THREADS_LOOK_EVERY_MS if interval is None else interval / 4
        self._say = say
        self._due = 0.0
        self._complained = False

    def ticked(self, now: float) -> None:
        """The loop has turned at `now` (ms of a clock)."""
        if now < self._due:
            return
        self._due = now + self._every
        dead = self._dead()
        if dead and not self._complained:
            self._complained = True
            why = f"{' and '.join(dead)} ended; only a new start helps"
            self._say(f"STATUS={why}")
            self._complain(why)
        elif not dead and self._watched:
            self._say("WATCHDOG=1")
