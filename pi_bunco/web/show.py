"""The pages and their event streams: every page is drawn once for all who see the same."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any, Protocol

from msgspec import Struct

from pi_bunco.web import pages
from pi_bunco.web.models import PageModel
from pi_bunco.web.stream import PAUSE_S, Bells, Changes, event
from pi_bunco.web.viewer import Viewer

ALIVE_S = 10.0
"""Seconds between two signs of life of a stream; a page that misses two says so."""
SECOND_S = 1.0
"""Pages change by the clock too: so often they are drawn without any news."""
DRAWINGS = 1000
"""So many pictures are kept to be compared with the next ones."""


class Gallery(Protocol):
    """What pages are drawn from."""

    changes: Changes
    bells: Bells

    def model(self, viewer: Viewer) -> PageModel:
        """What the page shows now."""

    def context(self, viewer: Viewer) -> pages.Context:
        """For whom it is drawn."""

    def seconds(self) -> int:
        """The clock that pages go by."""


class _Drawing(Struct):
    stamp: tuple[int, int]
    model: Any
    body: str


class Drawings:
    """The latest picture of each page and viewer; a model that is as before is not drawn again."""

    def __init__(self, gallery: Gallery) -> None:
        self._gallery = gallery
        self._drawn: dict[Any, _Drawing] = {}

    def body(self, viewer: Viewer) -> str:
        """The changing part of the page as it is now."""
        gallery = self._gallery
        stamp = (gallery.changes.version, gallery.seconds())
        context = gallery.context(viewer)
        before = self._drawn.pop(context, None)
        if before is not None and before.stamp == stamp:
            drawing = before
        else:
            model = gallery.model(viewer)
            same = before is not None and before.model == model
            body = before.body if before is not None and same else pages.body(model, context)
            drawing = _Drawing(stamp, model, body)
        self._drawn[context] = drawing
        if len(self._drawn) > DRAWINGS:
            del self._drawn[next(iter(self._drawn))]
        return drawing.body


async def stream(gallery: Gallery, draw: Callable[[], str]) -> AsyncIterator[bytes]:
    """The events of one page: `alive`, `bell` and what of the page has changed."""
    loop = asyncio.get_running_loop()
    before, bells, alive = "", gallery.bells.count, -ALIVE_S
    while True:
        version, now = gallery.changes.version, loop.time()
        news = b""
        if now - alive >= ALIVE_S:
            alive, news = now, event(pages.VERSION, "alive")
        if gallery.bells.count != bells:
            bells = gallery.bells.count
            news += event(gallery.bells.signal, "bell")
        body = draw()
        if changed := pages.changes(before, body):
            news += event(changed, "page")
        before = body
        yield news
        await asyncio.sleep(PAUSE_S)
        await gallery.changes.after(version, SECOND_S)
