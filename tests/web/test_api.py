"""The evening for scripts (web/README.md)."""

import asyncio
import json

from pi_bunco.game.replay import replay, report
from pi_bunco.web.site import api
from pi_bunco.web.site.folded_log import LogPlace
from pi_bunco.web.site.page_store import jsonl
from web.backends import OPEN, SEATS, START, FakeBackend


def test_the_evening_is_what_a_replay_of_its_log_says(backend: FakeBackend) -> None:
    backend.take(OPEN, START, SEATS, START)
    played = report(replay(jsonl([OPEN, START, SEATS, START]).splitlines(), "log"))
    assert backend.browser().get("/api/evening").json() == json.loads(json.dumps(played))
    assert played["ignored"][0]["line"] == 2


def test_healthz_says_whether_the_page_is_in_step_and_why_not(backend: FakeBackend) -> None:
    browser = backend.browser()
    assert browser.get("/healthz").status_code == 503
    assert "broker" in browser.get("/healthz").json()["why"]
    backend.head("lost")
    assert browser.get("/healthz").json() == {"head": "lost", "lag": 0, "why": "The head is not there."}
    backend.head()
    assert (browser.get("/healthz").status_code, browser.get("/healthz").json()) == (
        200,
        {"head": "online", "lag": 0},
    )
    presences = backend.controller.presences
    presences.head_answers(1000)
    assert [presences.asks_head(now) for now in (2000, 3000, 4000, 5000)] == [False, False, False, True]
    hung = browser.get("/healthz")
    assert (hung.status_code, hung.json()["head"], hung.json()["why"]) == (
        503,
        "silent",
        "The head does not answer.",
    )
    assert presences.head_answers(5001)
    assert browser.get("/healthz").json() == {"head": "online", "lag": 0}
    backend.controller._log.follower.newest = 7
    assert (browser.get("/healthz").status_code, browser.get("/healthz").json()["lag"]) == (503, 7)


def test_the_board_is_the_scoreboard(backend: FakeBackend) -> None:
    backend.take(OPEN, SEATS, START)
    board = backend.browser().get("/api/board").json()
    assert board["scene"]["tables"][0]["chairs"][0]["name"] == "Ann"


def test_events_go_on_where_the_reader_was(backend: FakeBackend) -> None:
    backend.take(OPEN, SEATS)
    assert ids(backend, None) == ["e1.0.1", "e1.0.2"]
    assert ids(backend, LogPlace("e1", 0, 1)) == ["e1.0.2"]
    assert ids(backend, LogPlace("e1", 1, 2)) == ["e1.0.1", "e1.0.2"]
    assert ids(backend, LogPlace("another", 0, 2)) == ["e1.0.1", "e1.0.2"]


def ids(backend: FakeBackend, since: LogPlace | None) -> list[str]:
    """Of the facts that come before the first board."""

    async def read() -> str:
        text = b""
        async for data in api.events(backend.sources(), lambda: None, since):
            text += data
            if b"event: board" in text:
                return text.decode()
        raise AssertionError

    lines = asyncio.run(read()).splitlines()
    return [line.removeprefix("id: ") for line in lines if line.startswith("id: ")]


def test_api_refuses_writes(backend: FakeBackend) -> None:
    for path in ("/api/evening", "/api/board", "/api/events", "/healthz"):
        assert backend.browser().post(path).status_code == 405
