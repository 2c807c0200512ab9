"""Pages as HTML, and their event streams: every page is drawn once for all who see the same.

A page is one element `#page`. Its event stream (`Context.stream`, server-sent events) carries:

- `page`: HTML of one or more elements with ids that the page has, to be morphed into it: `changes` of the two
  `body` texts, where that is not empty. First after each connection the whole `body` is sent: it does nothing
  where nothing changed.
- `bell`: `start` or `end`, when a bell begins to ring now, before anything is drawn; the page rings where its
  sound is on.
- `alive`: `VERSION`, at once and every 10 s; a page that hears nothing for 25 s says so, and one that was
  loaded with another version loads itself again.

Pages change by the clock too (countdowns, pages of a large hall): present and compare once a second.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping
from functools import lru_cache
from typing import Any, Protocol
from urllib.parse import quote

import jinja2
from markupsafe import Markup
from msgspec import Struct

from pi_bunco.web.site.assets import VERSION, asset, symbols
from pi_bunco.web.site.line_breaks import LineBreaks
from pi_bunco.web.site.page import Context, PageModel
from pi_bunco.web.site.streams import PAUSE_S, Changes, event
from pi_bunco.web.site.viewer import Viewer
from pi_bunco.words.catalogue import LANGUAGES, Texts, texts

ALIVE_S = 10.0
"""Seconds between two signs of life of a stream; a page that misses two says so."""
SECOND_S = 1.0
"""Seconds after which a page is drawn without any news: pages change by the clock too."""
SHARE_S = 0.004
"""Seconds more for each fragment that is looked at: so each has its time, however many phones there are."""
UNSEEN_S = 5
"""Seconds after which a fragment that nobody looks at is forgotten."""


class Templates:
    """The templates of a package, which its pages' models name; `words` are what they call in a language."""

    def __init__(self, package: str, document: str, words: Callable[[Texts, str], Mapping[str, Any]]) -> None:
        self._package, self._document, self._words = package, document, words
        self._environments: dict[str, jinja2.Environment] = {}

    def render(self, model: PageModel, context: Context) -> str:
        """The whole document."""
        return self._render(self._document, model, context)

    def body(self, model: PageModel, context: Context) -> str:
        """The element `#page`, as it stands in the document."""
        return self._render(model.template, model, context)

    def _render(self, template: str, model: PageModel, context: Context) -> str:
        drawn = self._environment(context.lang).get_template(template)
        return drawn.render(
            m=model,
            c=context,
            kind=type(model).__name__,
            inner=model.template,
            t=texts(context.lang),
            languages=LANGUAGES,
            version=VERSION,
        )

    def _environment(self, lang: str) -> jinja2.Environment:
        if lang in self._environments:
            return self._environments[lang]
        catalogue: Texts = texts(lang)
        environment = jinja2.Environment(
            loader=jinja2.PackageLoader(self._package, "."),
            extensions=["jinja2.ext.i18n", LineBreaks],
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            auto_reload=False,
        )
        environment.policies["ext.i18n.trimmed"] = True
        environment.install_gettext_callables(  # type: ignore[attr-defined]
            catalogue.gettext, catalogue.ngettext, newstyle=True
        )
        environment.globals |= self._words(catalogue, lang)
        environment.globals |= {"asset": asset, "json": as_json, "plain_path": plain_path, "asking": asking}
        environment.globals["svg"] = {name: Markup(text) for name, text in symbols().items()}
        self._environments[lang] = environment
        return environment


_PART = re.compile(r"<!--\[([\w-]+)-->(.*?)<!--\1\]-->", re.DOTALL)


def changes(before: str, after: str) -> str:
    """The HTML that makes `before` become `after`, two results of `body`: parts, all of it, or nothing."""
    if before == after:
        return ""
    if _PART.sub(r"<!--\1-->", before) != _PART.sub(r"<!--\1-->", after):
        return after
    old = dict(_PART.findall(before))
    return "".join(html for name, html in _PART.findall(after) if old[name] != html)


def plain_path(path: str) -> str:
    """The path without what its query asks before a command."""
    place, _, query = path.partition("?")
    kept = [part for part in query.split("&") if part and not part.startswith("ask=")]
    return place + ("?" + "&".join(kept) if kept else "")


def asking(path: str, question: str) -> str:
    """The path where the page asks first."""
    plain = plain_path(path)
    return f"{plain}{'&' if '?' in plain else '?'}ask={quote(question)}"


def as_json(value: Any) -> str:
    """Plain values as a page holds them in a field."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class FragmentSource(Protocol):
    """The pages that fragments are drawn of."""

    changes: Changes
    templates: Templates

    @property
    def fragments(self) -> int:
        """The number of different fragments that are looked at."""

    def model(self, viewer: Viewer) -> PageModel:
        """All that the page shows now."""

    def context(self, viewer: Viewer) -> Context:
        """The one for whom it is drawn."""

    def seconds(self) -> int:
        """The clock that pages go by."""


class _Fragment(Struct):
    stamp: tuple[int, int]
    model: Any
    body: str


class Fragments:
    """The changing part of each page, for each viewer; a model that is as before is not drawn again."""

    def __init__(self, source: FragmentSource) -> None:
        self._source = source
        self._drawn: dict[Viewer, _Fragment] = {}
        """The one that was looked at last stands last."""

    def __len__(self) -> int:
        """The number of fragments that are kept."""
        return len(self._drawn)

    def body(self, viewer: Viewer) -> str:
        """The changing part of the page as it is now."""
        source, seen = self._source, viewer.seen
        stamp = (source.changes.version, source.seconds())
        before = self._drawn.pop(seen, None)
        fragment = before if before and before.stamp == stamp else self._fragment(viewer, stamp, before)
        self._drawn[seen] = fragment
        while (oldest := next(iter(self._drawn))) and stamp[1] - self._drawn[oldest].stamp[1] > UNSEEN_S:
            del self._drawn[oldest]
        return fragment.body

    def _fragment(self, viewer: Viewer, stamp: tuple[int, int], before: _Fragment | None) -> _Fragment:
        model = self._source.model(viewer)
        if before is not None and before.model == model:
            return _Fragment(stamp, model, before.body)
        return _Fragment(stamp, model, self._source.templates.body(model, self._source.context(viewer)))


@lru_cache(maxsize=16)
def _changed(before: str, after: str) -> bytes:
    """The event that makes one fragment of another: the same for all who saw the same."""
    changed = changes(before, after)
    return event(changed, "page") if changed else b""


async def stream(source: FragmentSource, draw: Callable[[], str | None]) -> AsyncIterator[bytes]:
    """The events of one page: `alive` and what of the page has changed; they end with the session."""
    loop = asyncio.get_running_loop()
    before, alive = "", -ALIVE_S
    while True:
        version, now = source.changes.version, loop.time()
        news = b""
        if now - alive >= ALIVE_S:
            alive, news = now, event(VERSION, "alive")
        body = draw()
        if body is None:
            return
        news += _changed(before, body)
        before = body
        yield news
        await asyncio.sleep(PAUSE_S + SHARE_S * source.fragments)
        await source.changes.after(version, SECOND_S)
