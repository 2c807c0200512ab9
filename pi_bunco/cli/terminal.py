"""The keyboard of the demo: single keys, as they are pressed."""

import contextlib
import os
import select
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pi_bunco.hall.party import Key

if TYPE_CHECKING:
    from queue import SimpleQueue


KEYS_S = 0.05
"""Seconds between two looks at the keyboard of a console that cannot be waited for."""


@contextmanager
def keys(inbox: "SimpleQueue[Any]") -> Iterator[bool]:
    """Puts each key into the inbox, unechoed; False where there is no terminal to press one on."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        yield False
        return
    if sys.platform == "win32":
        with _windows_keys(inbox):
            yield True
        return
    import termios
    import tty

    keyboard = sys.stdin.fileno()
    before = termios.tcgetattr(keyboard)
    reading, writing = os.pipe()
    thread = threading.Thread(target=_listen, args=(keyboard, reading, inbox), name="keys", daemon=True)
    try:
        tty.setcbreak(keyboard)
        thread.start()
        yield True
    finally:
        os.write(writing, b"x")
        thread.join()
        with contextlib.suppress(termios.error):  # the terminal has been closed
            termios.tcsetattr(keyboard, termios.TCSADRAIN, before)
        os.close(reading)
        os.close(writing)


@contextmanager
def _windows_keys(inbox: "SimpleQueue[Any]") -> Iterator[None]:
    """As `keys`, by the console of Windows."""
    ended = threading.Event()
    thread = threading.Thread(target=_listen_on_windows, args=(ended, inbox), name="keys", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _listen_on_windows(ended: threading.Event, inbox: "SimpleQueue[Any]") -> None:
    if sys.platform == "win32":
        import msvcrt

        while not ended.wait(KEYS_S):
            while msvcrt.kbhit():
                key = msvcrt.getwch()
                inbox.put(Key("\n" if key == "\r" else key))


def _listen(keyboard: int, stop: int, inbox: "SimpleQueue[Any]") -> None:
    """Passes keys on until there is something to read at `stop`, or no terminal any more."""
    with contextlib.suppress(OSError):
        while True:
            ready, _, _ = select.select([keyboard, stop], [], [])
            if stop in ready:
                return
            pressed = os.read(keyboard, 64)
            if not pressed:
                return
            for key in pressed.decode("utf-8", "replace"):
                inbox.put(Key(key))
