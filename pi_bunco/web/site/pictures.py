"""Event streams of pages: a page is drawn once for all who see the same, when a topic of it has changed.

A page is one element `#page`. Its event stream (`Context.stream`, server-sent events) carries:

- `page`: HTML of one or more elements with ids that the page has, to be morphed into it; its id names the
  drawing that the page is then. First comes the whole page, unless the browser has just that: it names the
  drawing of its document (`data-drawn`) as `drawn`, and that of its last `page` as `Last-Event-ID`.
- `bell`: `start` or `end`, when a bell begins to ring now, before anything is drawn; the page rings where its
  sound is on. `test` is for the pages' sound alone.
- `screen`: a page that is a screen tells of itself now (`screens.py`); what it is to show may be another.
- `full`: this stream makes room for another device; the page says so and waits for a while.
- `clock`: the server's Unix time (ms), with each sign of life: a time that a page counts down to
  (`data-until`) is by that clock, so all screens count the same seconds without any traffic.
- `alive`: `Context.version`, at once and every 10 s; a page that hears nothing for 25 s says so, and one that
  was loaded with another version, or before the host chose another theme, loads itself again.

There is no queue for anybody: who is slow to read gets the newest picture, whole.
"""

import asyncio
import contextlib
import time
from collections import defaultdict
from typing import Protocol

from starlette.exceptions import HTTPException

from pi_bunco.web.site.changes import EVERY, ROUND, Changes
from pi_bunco.web.site.drawing import Parts, name_of
from pi_bunco.web.site.page import PageModel
from pi_bunco.web.site.streams import Reader, event
from pi_bunco.web.site.viewer import Viewer

ALIVE_S = 10
"""Seconds between two signs of life of a stream; a page that misses two says so."""
SECOND_S = 1.0
"""Seconds after which a page of every topic is drawn without any news: it changes by the clock too."""
PAUSE_S = 0.1
"""Seconds between two drawings of the pages of every topic."""
UNDRAWN = -1
"""A version of no drawing."""


def alive(version: str) -> bytes:
    """The sign of life of a stream."""
    return event(version, "alive") + event(str(round(1000 * time.time())), "clock")


class PageSource(Protocol):
    """The pages that pictures are drawn of."""

    changes: Changes

    @property
    def version(self) -> str:
        """That of all pages and what they load, the theme too."""

    def look(self, viewer: Viewer) -> PageModel:
        """The model of a page now; `HTTPException` for none."""

    def body(self, model: PageModel, viewer: Viewer) -> str:
        """The element `#page` of it."""


class OpenPage:
    """A page as all see it who see the same, and what was last changed in it."""

    def __init__(self, viewer: Viewer, pictures: "Pictures") -> None:
        self.viewer = viewer
        self._pictures = pictures
        self.readers: dict[Reader, int] = {}
        """Those who look at it, with the number of the drawing that each has."""
        self.beats_at = 0
        """The second of each `ALIVE_S` in which it gives a sign of life."""
        self.number = 0
        """Counts the drawings."""
        self.name = ""
        """Name of the drawing, by which a browser says that it has it."""
        self.whole = self.news = b""
        """The event of all of it, and that which makes the drawing before into this one."""
        self.version = UNDRAWN
        """That of the changes up to which it is drawn."""
        self._model: PageModel | None = None
        self._dressed = ""
        self._parts = Parts()

    @property
    def topics(self) -> frozenset[str]:
        """Topics that the page shows."""
        return self._model.topics if self._model else frozenset()

    def draw(self, source: PageSource) -> None:
        """Draws the page if it is different now; `HTTPException` where it is there no more."""
        version, model = source.changes.version, source.look(self.viewer)
        if model != self._model or self._dressed != source.version:
            self._dressed = source.version
            self._change(model, source.body(model, self.viewer))
        self.version = version

    def _change(self, model: PageModel, body: str) -> None:
        self._model = model
        self._parts, changed = self._parts.then(body)
        if changed:
            self.number += 1
            self.name = name_of(body)
            self.whole = event(body, "page", self.name)
            self.news = self.whole if changed is body else event(changed, "page", self.name)
            for reader in self.readers:
                self.go_on(reader)

    def end(self) -> None:
        """The page is there no more: its streams end."""
        for reader in tuple(self.readers):
            reader.end()

    def begin(self, reader: Reader) -> None:
        """Shows it to one more."""
        self._pictures.show(self, reader)

    def go_on(self, reader: Reader) -> None:
        """Sends what is new to a reader, unless that is slow."""
        if not reader.slow:
            known, self.readers[reader] = self.readers[reader], self.number
            if known != self.number:
                reader.write(self.news if known == self.number - 1 else self.whole)

    def leave(self, reader: Reader) -> None:
        """One looks no more."""
        del self.readers[reader]
        if not self.readers:
            self._pictures.forget(self)


class Pictures:
    """All pages that are looked at; draws those of which a topic has changed, one after the other.

    Between two drawings everything else has its turn: a tap never waits for the pages of a whole hall. What
    only one table has changed comes before what all show.
    """

    def __init__(self, source: PageSource) -> None:
        self._source = source
        self._all: dict[Viewer, OpenPage] = {}
        self._showing: defaultdict[str, set[OpenPage]] = defaultdict(set)
        """Pictures by their topics."""
        self._first: dict[OpenPage, None] = {}
        self._stale: dict[OpenPage, None] = {}
        """Pictures to be drawn, in this order."""
        self._wanted = asyncio.Event()
        self._painters: list[asyncio.Task[None]] = []
        source.changes.listeners.append(self._changed)

    def __len__(self) -> int:
        return len(self._all)

    def of(self, viewer: Viewer) -> OpenPage:
        """The page as the viewer sees it; `HTTPException` where there is none."""
        if known := self._all.get(viewer.seen):
            return known
        picture = OpenPage(viewer.seen, self)
        picture.draw(self._source)
        return picture

    def show(self, picture: OpenPage, reader: Reader) -> None:
        """Shows a picture, or the same one that another looks at already, to one more."""
        picture = reader.source = self._all.setdefault(picture.viewer, picture)
        picture.readers[reader] = picture.number
        if len(picture.readers) == 1:
            picture.beats_at = len(self._all) % ALIVE_S
            self._note(picture, frozenset())
            if picture.version != self._source.changes.version:
                self._stale[picture] = None
                self._wanted.set()
        whole = b"" if reader.drawn == picture.name else picture.whole
        reader.write(alive(self._source.version) + whole)
        if not any(not painter.done() for painter in self._painters):
            tasks = self._paint, self._paint_every, self._beat
            self._painters = [asyncio.create_task(task()) for task in tasks]

    def _note(self, picture: OpenPage, before: frozenset[str]) -> None:
        for topic in before - picture.topics:
            self._showing[topic].discard(picture)
        for topic in picture.topics - before:
            self._showing[topic].add(picture)

    def forget(self, picture: OpenPage) -> None:
        """Nobody looks at it any more."""
        if self._all.get(picture.viewer) is picture:
            del self._all[picture.viewer]
        for topic in picture.topics:
            self._showing[topic].discard(picture)
            if not self._showing[topic]:
                del self._showing[topic]
        self._first.pop(picture, None)
        self._stale.pop(picture, None)

    def _changed(self, topics: tuple[str, ...]) -> None:
        every = self._showing.get(EVERY, ())
        if not topics:
            self._stale |= dict.fromkeys(one for one in self._all.values() if one not in every)
        for topic in topics:
            stale = self._stale if topic == ROUND else self._first
            stale |= dict.fromkeys(self._showing.get(topic, ()))
        if self._stale or self._first:
            self._wanted.set()

    async def _paint(self) -> None:
        while True:
            await self._wanted.wait()
            while stale := self._first or self._stale:
                picture = next(iter(stale))
                self._first.pop(picture, None)
                self._stale.pop(picture, None)
                await self._drawn(picture)
            self._wanted.clear()

    async def _paint_every(self) -> None:
        changes = self._source.changes
        while True:
            version = changes.version
            for picture in tuple(self._showing.get(EVERY, ())):
                await self._drawn(picture)
            await asyncio.sleep(PAUSE_S)
            await changes.after(version, SECOND_S)

    async def _beat(self) -> None:
        """Has each page give a sign of life every `ALIVE_S`, some of them each second."""
        second = 0
        while True:
            await asyncio.sleep(1)
            second += 1
            sign = alive(self._source.version)
            for picture in tuple(self._all.values()):
                if picture.beats_at == second % ALIVE_S:
                    for reader in picture.readers:
                        reader.write(sign)

    async def _drawn(self, picture: OpenPage) -> None:
        """Lets the loop draw; a fault there is logged, and ends the streams of this page alone."""
        before, picture.version = picture.topics, UNDRAWN
        asyncio.get_running_loop().call_soon(self._draw, picture)
        await asyncio.sleep(0)
        if picture.version == UNDRAWN:
            self.forget(picture)
            picture.end()
        elif picture.readers:
            self._note(picture, before)

    def _draw(self, picture: OpenPage) -> None:
        with contextlib.suppress(HTTPException):  # there is no such page any more
            picture.draw(self._source)
