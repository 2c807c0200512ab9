"""The screens of the hall as each tells of itself: TVs, tablets, phones of tables and hosts. In memory, few.

What a host has said of one, its name and what it shows, is kept: a screen has it again after a restart.
"""

import re
import secrets
from collections.abc import Callable, Mapping
from typing import Any, Literal, get_args
from urllib.parse import parse_qsl

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from pi_bunco.runtime.clock import Clock
from pi_bunco.web.site.changes import SCREENS_TOPIC, Changes
from pi_bunco.web.site.forms import fields
from pi_bunco.web.site.viewer import YEAR_S, Viewer

SCREEN = "bunco_screen"
"""The cookie by which a browser is known as a screen."""
MAX_SCREENS = 200
"""Screens that are known at once; then the one that was unseen longest is forgotten."""
MOST_KEPT = 50
"""Screens of which a host's words are kept, the latest."""
GONE_AFTER_S = 40.0
"""Seconds without a sign of life after which a screen is gone; it gives one every 15."""
TABLES_ALONE = 8
"""Tables that a screen shows alone, at most: as many as stand in full."""
ScreenKind = Literal["tv", "tablet", "phone", "host"]
ScreenSound = Literal["on", "silent", "off"]
KINDS, SOUNDS = get_args(ScreenKind), get_args(ScreenSound)
ScreenPlace = tuple[str, ScreenKind, int]
"""A page that is open as a screen: the browser's cookie, the kind, the table's number (0: none)."""
_ID = re.compile(r"[0-9a-f]{16}")
_SHOWS = re.compile(r"show=(standings|rules|pictures)|names=[A-Z]-[A-Z]|tables=[1-9]\d{0,2}-[1-9]\d{0,2}")


class Words(Struct, frozen=True):
    """A host's words on a screen: its name (empty: none), and what it shows (None: what was opened there)."""

    name: str = ""
    show: str | None = None


class Screen(Struct, frozen=True):
    """A screen: of table `number`, or the TV that has this number of its own; seen `seen_s` seconds ago.

    `sound` is `silent` until somebody taps there; `awake` while something keeps it lit; `battery` in percent,
    None where the browser does not tell; `closed` where its page was closed.
    """

    id: str
    kind: ScreenKind
    number: int
    sound: ScreenSound = "off"
    awake: bool = False
    battery: int | None = None
    closed: bool = False
    seen_s: float = 0.0
    words: Words = Words()

    @property
    def gone(self) -> bool:
        """Nothing comes from it any more, though nobody closed its page."""
        return not self.closed and self.seen_s > GONE_AFTER_S


class Screens:
    """All screens, the latest seen last; times are ms of this machine's clock."""

    def __init__(self, kept: Any = None) -> None:
        try:
            self._words = msgspec.convert(kept or {}, dict[str, Words])
        except msgspec.ValidationError:
            self._words = {}
        self._seen: dict[ScreenPlace, tuple[Screen, float]] = {}

    def tell(self, screen: Screen, now: float) -> bool:
        """Notes what a screen tells of itself, and whether it is news; a TV is given a number of its own."""
        place = screen.id, screen.kind, 0 if screen.kind == "tv" else screen.number
        before = self._seen.pop(place, None)
        if screen.kind == "tv":
            taken = {one.number for one, _ in self._seen.values() if one.kind == "tv"}
            free = next(n for n in range(1, MAX_SCREENS + 2) if n not in taken)
            screen = replace(screen, number=before[0].number if before else free)
        self._seen[place] = screen, now
        while len(self._seen) > MAX_SCREENS:
            del self._seen[min(self._seen, key=lambda one: self._seen[one][1])]
        return before is None or before[0] != screen

    def show(self, id: str) -> str | None:
        """The host's choice for this screen; None where that is left to whoever opened it."""
        return self._words.get(id, Words()).show

    def say(self, id: str, name: str, show: str | None) -> Mapping[str, Any]:
        """Notes a host's words on a screen; all of them, as they are kept."""
        self._words.pop(id, None)
        if _ID.fullmatch(id) and (not show or _SHOWS.fullmatch(show)):
            self._words[id] = Words(name.strip()[:40], show)
        self._words = dict(list(self._words.items())[-MOST_KEPT:])
        kept: Mapping[str, Any] = msgspec.to_builtins(self._words)
        return kept

    def forget(self, id: str) -> None:
        """Forgets a screen until it tells of itself again."""
        self._seen = {place: one for place, one in self._seen.items() if place[0] != id}

    def now(self, now: float) -> tuple[Screen, ...]:
        """All that are known, by kind and number."""
        found = (
            replace(one, seen_s=(now - at) / 1000, words=self._words.get(one.id, Words()))
            for one, at in self._seen.values()
        )
        return tuple(sorted(found, key=lambda one: (KINDS.index(one.kind), one.number, one.id)))


def routes(
    screens: Screens, clock: Clock, changes: Changes, sounds: Callable[[], Mapping[str, Any]]
) -> list[Route]:
    """The route for screens: `POST /screen` answers what one is to show and how it sounds."""

    async def seen(request: Request) -> Response:
        form = await fields(request)
        known = screen_of(request)
        screen = _read(form, known or secrets.token_hex(8))
        if screen is None:
            return PlainTextResponse("A screen tells its kind, number, sound, awake and battery.\n", 400)
        if screens.tell(screen, clock.now()):
            changes.changed(SCREENS_TOPIC)
        answer = JSONResponse({"show": screens.show(screen.id), **sounds()})
        if not known:
            answer.set_cookie(SCREEN, screen.id, max_age=YEAR_S, httponly=True, samesite="lax")
        return answer

    return [Route("/screen", seen, methods=["POST"])]


def assigned(screens: Screens, request: Request, seen: Viewer) -> Viewer:
    """The scoreboard as its screen is to show it; any other page as it is."""
    show = screens.show(screen_of(request)) if seen.path == "/" else None
    return seen if show is None else replace(seen, query=tuple(parse_qsl(show)))


def screen_of(request: Request) -> str:
    """The name by which the browser of a request is known as a screen; "" for none."""
    found = request.cookies.get(SCREEN, "")
    return found if _ID.fullmatch(found) else ""


def _read(form: Mapping[str, str], id: str) -> Screen | None:
    kind, sound, number = form.get("kind"), form.get("sound"), form.get("number", "0")
    if kind not in KINDS or sound not in SOUNDS or not number.isdecimal() or len(number) > 3:
        return None
    level = form.get("battery", "")
    battery = min(int(level), 100) if level.isdecimal() and len(level) <= 3 else None
    awake, closed = form.get("awake") == "1", form.get("closed") == "1"
    return Screen(id, kind, int(number), sound, awake, battery, closed)  # type: ignore[arg-type]
