"""A model as HTML: `render` makes the whole document, `body` its changing part, `changes` what to send of it.

A page is one element `#page`. Its event stream (`Context.stream`, server-sent events) carries:

- `page`: HTML of one or more elements with ids that the page has, to be morphed into it. Send
  `changes(before, after)` of the two `body` texts, where that is not empty. First after each connection send
  the whole `body`: it does nothing where nothing changed.
- `bell`: `start` or `end`, when a bell begins to ring now; the page rings where its sound is on.
- `alive`: `VERSION`, at once and every 10 s; a page that hears nothing for 25 s says so, and one that was
  loaded with another version loads itself again.

Pages change by the clock too (countdowns, pages of a large hall): present and compare once a second.

Forms post `application/x-www-form-urlencoded` with `csrf`; answer 303 to the field `back` (a path of ours):

- `POST /host/command`: `command` and `args` (JSON text of the arguments, PROTOCOL.md section 5). A field
  `arg.NAME` is one more argument as text (`arg.minutes=15`), to be converted by the type of the argument;
  of a tally `arg.cards.S.points|buncos|minis` with S from 0 to 3. `round` is `HostFrame.round` of the page:
  what means the round that the host saw is refused in another. `seats_set` has the seats that the host saw in
  `before` (JSON) and is refused where they are others now. The answer shows on the page `back` as
  `HostFrame.notice`, for a minute or until `POST /host/setting` has `seen`.
- `POST /host/prepare`: the fields of `draft.changed`; `do=open` opens the evening and draws the seats,
  `do=replace` also where another one is not closed.
- `POST /host/finale`: `do` is `next` (with `revealed`, how many steps the page showed), `all` or `again`.
- `POST /host/login`: `pin`, `next`; `POST /host/logout`. `POST /host/setting`: `title`, or the host's `name`.
- `POST /me`: `name` (empty: forget it), remembered in a cookie. `POST /look`: `theme`, `lang`, in cookies.
- `POST /table/N/play`: `code`. `POST /table/N/tap`, also by script with `Accept: application/json`:
  `mark_boot`, `mark_seq` (the phone's own name for the tap, PROTOCOL.md section 7; it counts for the phone of
  this cookie alone), `round` (of the page that was tapped: one of another round is refused) and `tap`, one of
  `one two mini bunco miss wipe undo ok help`, `dice` with `dice=3,5,5`, `faceoff` with `dice=4,2` (US,
  THEM), `turn` with `seat=B`; between rounds `rolloff` with `for`, `group`, `who1` to `who3` and `die1` to
  `die3` (one name: all dice are that player's), `unroll` takes it back. 204 once it is in the outbox, or the
  head has done it; 409 with a sentence as text where it is refused for good; any other answer has the phone
  keep the tap and send it again, oldest first. Without scripts the marks are empty and the faces come as
  `die1`, `die2`, `die3`; answer those with 303.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from functools import cache, partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Literal
from urllib.parse import quote

import jinja2
from markupsafe import Markup
from msgspec import Struct

from pi_bunco.web import charts, wording
from pi_bunco.web.head_words import in_language
from pi_bunco.web.models import PageModel, TableShown
from pi_bunco.web.texts import LANGUAGES, Texts, texts


class Context(Struct, frozen=True):
    """What a page is rendered for, besides its model.

    `path` is the page's own path with its query, `base` the address that phones reach (`http://192.168.4.1`),
    `stream` the path of its event stream (empty: none), `csrf` the token of its forms, `wifi` the text of the
    code by which phones join the Wi-Fi: it holds the password, so it is in no model, which anybody can read.
    """

    path: str = "/"
    base: str = ""
    stream: str = ""
    csrf: str = ""
    lang: str = "en"
    theme: Literal["", "night", "day"] = ""
    host: str = ""
    wifi: str = ""


def render(model: PageModel, context: Context) -> str:
    """The whole document."""
    return _render("document.html", model, context)


def body(model: PageModel, context: Context) -> str:
    """The element `#page`, as it stands in the document."""
    return _render(_template(model), model, context)


_PART = re.compile(r"<!--\[([\w-]+)-->(.*?)<!--\1\]-->", re.DOTALL)


def changes(before: str, after: str) -> str:
    """What to send so that `before` becomes `after`, two results of `body`: parts, all of it, or nothing."""
    if before == after:
        return ""
    if _PART.sub(r"<!--\1-->", before) != _PART.sub(r"<!--\1-->", after):
        return after
    old = dict(_PART.findall(before))
    return "".join(html for name, html in _PART.findall(after) if old[name] != html)


def _render(template: str, model: PageModel, context: Context) -> str:
    catalogue = texts(context.lang)
    kind = type(model).__name__
    return (
        _environment(context.lang)
        .get_template(template)
        .render(
            m=model,
            c=context,
            kind=kind,
            inner=_template(model),
            t=catalogue,
            languages=LANGUAGES,
            version=VERSION,
        )
    )


def _template(model: PageModel) -> str:
    words = re.findall(r"[A-Z][a-z]+", type(model).__name__)
    return "_".join(words).lower() + ".html"


@cache
def _environment(lang: str) -> jinja2.Environment:
    catalogue: Texts = texts(lang)
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("pi_bunco.web", "templates"),
        extensions=["jinja2.ext.i18n"],
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.install_gettext_callables(  # type: ignore[attr-defined]
        catalogue.gettext, catalogue.ngettext, newstyle=True
    )
    environment.globals |= wording.words(catalogue, lang) | {
        "chart": charts,
        "asset": asset,
        "json": as_json,
        "plain_path": plain_path,
        "asking": asking,
        "seat_lists": seat_lists,
        "head": partial(in_language, lang),
    }
    environment.globals["svg"] = {name: Markup(text) for name, text in _symbols().items()}
    return environment


def plain_path(path: str) -> str:
    """The path without what its query asks before a command."""
    place, _, query = path.partition("?")
    kept = [part for part in query.split("&") if part and not part.startswith("ask=")]
    return place + ("?" + "&".join(kept) if kept else "")


def asking(path: str, question: str) -> str:
    """The path where the page asks first."""
    plain = plain_path(path)
    return f"{plain}{'&' if '?' in plain else '?'}ask={quote(question)}"


def seat_lists(shown: Sequence[TableShown]) -> list[list[str]]:
    """The names at each table, seats A to D."""
    return [[chair.name for chair in table.chairs] for table in shown]


def as_json(value: Any) -> str:
    """Plain values as a page holds them in a field."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def asset(name: str) -> str:
    """The address of a file under `static/`, which may be kept for ever: it changes with the contents."""
    return f"/static/{VERSION}/{name}"


@cache
def _symbols() -> dict[str, str]:
    sprite = files("pi_bunco.web").joinpath("static", "symbols.svg").read_text("utf-8")
    return dict(re.findall(r'(?s)<symbol id="(\w+)" viewBox="0 0 100 100">(.*?)</symbol>', sprite))


def _walk(folder: Traversable) -> list[Traversable]:
    found = sorted(folder.iterdir(), key=lambda entry: entry.name)
    inner = [entry for one in found if one.is_dir() for entry in _walk(one)]
    return [entry for entry in found if entry.is_file()] + inner


def _version() -> str:
    digest = hashlib.sha256()
    for part in ("static", "templates"):
        for entry in _walk(files("pi_bunco.web").joinpath(part)):
            digest.update(entry.name.encode() + b"\0" + entry.read_bytes())
    return digest.hexdigest()[:10]


VERSION = _version()
"""Of the pages and what they load; part of the address of every static file."""
