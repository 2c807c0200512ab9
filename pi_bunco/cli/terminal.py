"""The terminal of the demo: a live picture, the bell, and single keys; a pipe gets lines instead."""

import contextlib
import os
import select
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pi_bunco.hall.party import Key
from pi_bunco.hall.screen import Picture, Spectator, render

if TYPE_CHECKING:
    from queue import SimpleQueue

    from rich.live import Live


KEYS_S = 0.05
"""Seconds between two looks at the keyboard of a console that cannot be waited for."""


@contextmanager
def spectator(quiet: bool) -> Iterator[Spectator]:
    """A spectator: nobody, a terminal with a live picture, or else somebody who reads lines."""
    if quiet:
        yield Spectator()
    elif not sys.stdout.isatty():
        yield Reader()
    else:
        from rich.console import Console
        from rich.live import Live

        with Live(console=Console(highlight=False), auto_refresh=False, screen=True) as live:
            yield TerminalViewer(live)


class Reader(Spectator):
    """Reads what happens, line by line."""

    def say(self, text: str) -> None:
        """Prints the line."""
        print(text, flush=True)


class TerminalViewer(Spectator):
    """Sees the live picture and hears the terminal's bell."""

    def __init__(self, live: "Live") -> None:
        self._live = live

    def chime(self) -> None:
        """Sounds the terminal (BEL)."""
        self._live.console.bell()

    def draw(self, picture: Picture, now: float) -> None:
        """Shows the picture."""
        self._live.update(render(picture, now), refresh=True)


@contextmanager
def keys(inbox: "SimpleQueue[Any]") -> Iterator[None]:
    """Puts each key into the inbox, unechoed, while a terminal is there to press one on."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        yield
        return
    if sys.platform == "win32":
        with _windows_keys(inbox):
            yield
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
        yield
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
