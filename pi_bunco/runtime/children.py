"""Programs of ours as child processes that end with their parent, on every system.

A child reads its standard input and ends when that is closed, which the system does for a parent that dies.
"""

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pi_bunco.runtime.loop import Stop

PARENT = "PI_BUNCO_PARENT"
"""This variable says that standard input ends with the parent."""
STOP_S = 3.0
"""Seconds from the wish to end until a child is killed; the services promise two."""


class Child:
    """`python -m pi_bunco ARGUMENTS` with its log in a file.

    `line` gets each line of its standard output, `ended` the last line of its log when it ends, both from a
    thread; `ended` is not called after `stop` or `kill`.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        log: Path,
        line: Callable[[str], None],
        ended: Callable[[str], None],
        environment: dict[str, str] | None = None,
    ) -> None:
        self._log = log
        self._line = line
        self._ended = ended
        self._expected = False
        with log.open("ab") as file:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "pi_bunco", *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=file,
                env={**os.environ, **(environment or {}), PARENT: "stdin"},
                **apart(),
            )
        threading.Thread(target=self._listen, name=f"child-{arguments[0]}", daemon=True).start()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def ask_to_end(self) -> None:
        """Asks it to end, without waiting."""
        self._expected = True
        with contextlib.suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()

    def stop(self) -> None:
        """Ends it: it is asked to, and killed if it does not."""
        self.ask_to_end()
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def kill(self) -> None:
        """Ends it as a power cut would."""
        self._expected = True
        self._process.kill()
        self._process.wait()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._line(line.decode("utf-8", "replace").rstrip())
        self._process.wait()
        if not self._expected:
            self._ended(last_line(self._log))


def apart() -> dict[str, Any]:
    """How a child is started so that Ctrl-C is for its parent, who then ends it."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
    return {"start_new_session": True}


def last_line(log: Path) -> str:
    """The last line of a log."""
    try:
        lines = log.read_text("utf-8", "replace").strip().splitlines()
    except OSError:
        lines = []
    return lines[-1] if lines else "it says nothing"


def end_with_parent(put: Callable[[Stop], object], descriptor: int = 0) -> None:
    """Puts a `Stop` when the parent that started this process as a `Child` has ended, or wants it to."""
    if os.environ.get(PARENT) != "stdin":
        return

    def wait() -> None:
        with contextlib.suppress(OSError):
            while os.read(descriptor, 4096):  # without a lock that this thread could hold when Python ends
                pass
        put(Stop())

    threading.Thread(target=wait, name="parent", daemon=True).start()
