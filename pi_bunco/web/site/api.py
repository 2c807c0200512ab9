"""The evening for scripts, displays and home automation: JSON, events, and whether all is well. Read-only."""

from collections.abc import Callable
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pi_bunco.game import codec, facts
from pi_bunco.game.replay import Replay, report
from pi_bunco.web.site.folded_log import LogPlace
from pi_bunco.web.site.page_controller import WebController
from pi_bunco.web.site.page_state import PageState
from pi_bunco.web.site.streams import Events, EventStream, Feed, event

ShownBoard = Callable[[], Any]
"""Gives the scoreboard as it is shown, a struct."""
BEAT = b": beat\n\n"
"""A comment, which readers pass over."""
BEAT_S = 15.0
"""Seconds after which a stream without news says that it lives."""
PAUSE_S = 0.1
"""Seconds between two boards for one reader."""
FACTS_A_TURN = 500
"""Facts that are sent before others get their turn."""


def routes(sources: PageState, board: ShownBoard) -> list[Route]:
    """The routes of the API."""

    async def evening(_request: Request) -> Response:
        folded = sources.controller.folded
        return _json(report(Replay(folded.evening, list(folded.ignored.items()))))

    async def shown(_request: Request) -> Response:
        return _json(board())

    async def event_stream(request: Request) -> EventStream:
        since = LogPlace.parse(request.headers.get("last-event-id", ""))
        return sources.streams.response(Feed(events(sources, board, since)))

    async def healthz(_request: Request) -> Response:
        health = _health(sources.controller)
        return _json(health, 503 if "why" in health else 200)

    return [
        Route("/api/evening", evening),
        Route("/api/board", shown),
        Route("/api/events", event_stream),
        Route("/healthz", healthz),
    ]


def _health(controller: WebController) -> dict[str, Any]:
    presences, lag = controller.presences, controller.lag
    if not presences.linked:
        return {"head": "unknown", "lag": lag, "why": f"The broker is not there. {presences.why}".strip()}
    if not presences.head_online:
        if presences.head_silent:
            return {"head": "silent", "lag": lag, "why": "The head does not answer."}
        state = presences.head.state if presences.head else "unknown"
        return {"head": state, "lag": lag, "why": "The head is not there."}
    health: dict[str, Any] = {"head": "online", "lag": lag}
    return health | ({"why": f"{lag} facts of the log are still to come."} if lag else {})


async def events(sources: PageState, board: ShownBoard, since: LogPlace | None) -> Events:
    """One `fact` for each fact of the log behind `since`, and `board` whenever that is another."""
    folded = sources.controller.folded
    place, shown = since or LogPlace("", 0, 0), b""
    n = place.n
    while True:
        before, place = place, folded.place
        if (before.evening, before.branches) != (place.evening, place.branches) or n > place.n:
            n = 0  # another log: all of it
        while n < len(folded.log):
            part = folded.log[n : n + FACTS_A_TURN]
            yield b"".join(_fact(folded.id, folded.branches, n + k, fact) for k, fact in enumerate(part, 1))
            n += len(part)
        drawn = msgspec.json.encode(board())
        if drawn != shown:
            shown = drawn
            yield event(drawn.decode(), "board")
        version = sources.changes.version
        await sources.changes.after(version, PAUSE_S)
        if await sources.changes.after(version, BEAT_S) == version:
            yield BEAT


def _fact(evening: str, branches: int, n: int, fact: facts.Fact) -> bytes:
    return event(codec.encode(fact).decode(), "fact", str(LogPlace(evening, branches, n)))


def _json(value: Any, status: int = 200) -> Response:
    return Response(msgspec.json.encode(value), status, media_type="application/json")
