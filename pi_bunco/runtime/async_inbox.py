"""The inbox of a service whose one loop is asyncio's."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any


class AsyncInbox:
    """Takes messages from any thread, and from a signal handler, into the loop; before it runs they wait."""

    def __init__(self) -> None:
        self._early: list[Any] = []
        self._into: Callable[[Any], None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def put(self, message: Any) -> None:
        """Hands a message over."""
        if self._loop is None or self._into is None:
            self._early.append(message)
            return
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._into, message)

    def into(self, loop: asyncio.AbstractEventLoop, take: Callable[[Any], None]) -> None:
        """From now on the loop runs."""
        self._loop, self._into = loop, take
        early, self._early = self._early, []
        for message in early:
            self.put(message)
