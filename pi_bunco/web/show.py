"""The pages and their event streams: every page is drawn once for all who see the same."""

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import lru_cache
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
SHARE_S = 0.004
"""Seconds more for each picture that is looked at: so each has its time, however many phones there are."""
UNSEEN_S = 5
"""Seconds after which a picture that nobody looks at is forgotten."""


class Gallery(Protocol):
    """What pages are drawn from."""

    changes: Changes
    bells: Bells

    @property
    def pictures(self) -> int:
        """So many different pictures are looked at."""

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
        self._drawn: dict[Viewer, _Drawing] = {}
        """The one that was looked at last stands last."""

    def __len__(self) -> int:
        """So many pictures are kept."""
        return len(self._drawn)

    def body(self, viewer: Viewer) -> str:
        """The changing part of the page as it is now."""
        gallery, seen = self._gallery, viewer.seen
        stamp = (gallery.changes.version, gallery.seconds())
        before = self._drawn.pop(seen, None)
        drawing = before if before and before.stamp == stamp else self._drawing(viewer, stamp, before)
        self._drawn[seen] = drawing
        while (oldest := next(iter(self._drawn))) and stamp[1] - self._drawn[oldest].stamp[1] > UNSEEN_S:
            del self._drawn[oldest]
        return drawing.body

    def _drawing(self, viewer: Viewer, stamp: tuple[int, int], before: _Drawing | None) -> _Drawing:
        model = self._gallery.model(viewer)
        if before is not None and before.model == model:
            return _Drawing(stamp, model, before.body)
        return _Drawing(stamp, model, pages.body(model, self._gallery.context(viewer)))


@lru_cache(maxsize=16)
def _changed(before: str, after: str) -> bytes:
    """The event that makes one picture of another: the same for all who saw the same."""
    changed = pages.changes(before, after)
    return event(changed, "page") if changed else b""


async def stream(gallery: Gallery, draw: Callable[[], str | None]) -> AsyncIterator[bytes]:
    """The events of one page: `alive`, `bell` and what of the page has changed; they end with the picture."""
    loop = asyncio.get_running_loop()
    before, bells, alive = "", gallery.bells.version, -ALIVE_S
    while True:
        version, now = gallery.changes.version, loop.time()
        news = b""
        if now - alive >= ALIVE_S:
            alive, news = now, event(pages.VERSION, "alive")
        if gallery.bells.version != bells:
            bells = gallery.bells.version
            news += event(gallery.bells.signal, "bell")
        body = draw()
        if body is None:
            return
        news += _changed(before, body)
        before = body
        yield news
        await gallery.bells.after(bells, PAUSE_S + SHARE_S * gallery.pictures)  # a bell is never late
        await gallery.changes.after(version, SECOND_S)
