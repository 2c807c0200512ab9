"""The warnings of a service in the ring of its store: the journal of a Pi is lost with its power."""

import contextlib
import logging
import time
from collections.abc import Callable

from pi_bunco.runtime.store import StoreError
from pi_bunco.runtime.writer import Store

HOUR = 3600.0
"""Seconds for which a warning that repeats itself is only counted."""
REMEMBERED = 500
LONGEST = 1000


class Logbook(logging.Handler):
    """Keeps every WARNING and worse; the same text at most once an hour, with how often it came meanwhile.

    What is said before there is a store, `into` puts there.
    """

    def __init__(self, seconds: Callable[[], float] = time.monotonic) -> None:
        """`seconds` is the time by which an hour is measured."""
        super().__init__(logging.WARNING)
        self._seconds = seconds
        self._store: Store | None = None
        self._early: list[tuple[int, str]] = []
        self._seen: dict[str, tuple[float, int]] = {}

    def into(self, store: Store) -> None:
        """From now on there is a store."""
        self.acquire()
        try:
            self._store = store
            for at, text in self._early:
                self._keep(at, text)
            self._early.clear()
        finally:
            self.release()

    def emit(self, record: logging.LogRecord) -> None:
        """Keeps the warning with its wall time."""
        if (text := self._due(_text(record))) is None:
            return
        at = int(record.created * 1000)
        if self._store is None:
            self._early.append((at, text))
        else:
            self._keep(at, text)

    def _due(self, text: str) -> str | None:
        """What is to be kept of it now, if anything."""
        now = self._seconds()
        kept_at, repeats = self._seen.get(text, (now - HOUR, 0))
        if now - kept_at < HOUR:
            self._seen[text] = (kept_at, repeats + 1)
            return None
        self._seen.pop(text, None)
        self._seen[text] = (now, 0)
        if len(self._seen) > REMEMBERED:
            del self._seen[next(iter(self._seen))]
        return f"{text} (and {repeats} times more since it was told last)" if repeats else text

    def _keep(self, at: int, text: str) -> None:
        assert self._store is not None
        with contextlib.suppress(StoreError):  # closed, at the end: standard error still has it
            self._store.warn(at, text)


def _text(record: logging.LogRecord) -> str:
    text = record.getMessage()
    if record.exc_info and record.exc_info[1]:
        text += f": {type(record.exc_info[1]).__name__}: {record.exc_info[1]}"
    return text[:LONGEST]
