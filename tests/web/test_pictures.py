"""A page is drawn once for all who see the same, when a topic of it has changed, and for nobody else."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from urllib.parse import parse_qsl

import pytest
from starlette.requests import Request
from starlette.testclient import TestClient

from game.evenings import fact
from game.independent.drawn_logs import drawn
from pi_bunco.errors import BuncoError
from pi_bunco.game import codec, ranks
from pi_bunco.game.score_cards import Card, RankedNames, ranking
from pi_bunco.table.phones.socket_messages import PhoneState
from pi_bunco.web.pages import PAGES, TEMPLATES
from pi_bunco.web.site import pictures
from pi_bunco.web.site.app import App
from pi_bunco.web.site.assets import ASSETS_VERSION
from pi_bunco.web.site.changes import EVERY, ROUND, of_phone, of_table
from pi_bunco.web.site.page import PageModel
from pi_bunco.web.site.page_state import PageState
from pi_bunco.web.site.pictures import Pictures
from pi_bunco.web.site.viewer import Viewer
from pi_bunco.web.site.viewer import viewer as viewer_of
from thorough import times
from web.backends import OPEN, SEATS, START, FakeBackend, FakePhone, Look

SHOWN = (
    *(Viewer(path) for path in ("/me", "/table/1", "/table/2", "/table/1/play", "/table/2/play")),
    *(Viewer("/me", (("tab", tab),), me="Ann") for tab in ("tables", "standings")),
)
"""Pages that change with some topics alone, beside everybody's own."""


def site(backend: FakeBackend) -> App:
    backend.take(OPEN, SEATS, START)
    return App(PageState(backend), PAGES)


def whole(drawn: Pictures, viewer: Viewer) -> str:
    return drawn.of(viewer).whole.decode()


def test_a_phone_without_the_code_is_not_shown_the_table_of_one_that_gave_it(backend: FakeBackend) -> None:
    drawn = site(backend).pictures
    inside = whole(drawn, Viewer("/table/1/play", admitted="e1"))
    assert 'name="code"' not in inside
    assert 'name="code"' in whole(drawn, Viewer("/table/1/play"))
    assert whole(drawn, Viewer("/table/1/play", admitted="e1")) == inside


def test_everybody_sees_a_page_of_their_own(backend: FakeBackend) -> None:
    drawn = site(backend).pictures
    shown = {name: whole(drawn, Viewer("/me", me=name)) for name in ("Ann", "Bob", "Cat")}
    for name, body in shown.items():
        assert f'<bdi dir="auto">{name}</bdi></h1>' in body
        assert whole(drawn, Viewer("/me", me=name)) == body


def test_all_who_see_the_same_share_a_drawing(backend: FakeBackend) -> None:
    async def look() -> None:
        drawn = site(backend).pictures
        with ExitStack() as stack:
            for name in ("Ann", "Bob", "Cat"):
                viewer = Viewer("/", me=name, mode="dice" if name == "Bob" else "points")
                look = stack.enter_context(Look(drawn.of(viewer)))
                assert (await look.next()).startswith(f"event: alive\ndata: {ASSETS_VERSION}\n".encode())
            assert len(drawn) == 1
        assert len(drawn) == 0

    asyncio.run(look())


def test_nobody_is_ranked_anew_for_a_roll_of_a_running_round(
    backend: FakeBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    ranked: list[object] = []

    def counted(cards: Mapping[str, Card], marks: Sequence[str]) -> RankedNames:
        ranked.append(cards)
        return ranking(cards, marks)

    monkeypatch.setattr(ranks, "ranking", counted)
    app = site(backend)

    def shown(*topics: str) -> int:
        backend.changes.changed(*topics)
        for name in ("Ann", "Bob"):
            app.look(Viewer("/me", me=name))
        return len(ranked)

    assert shown() == 1
    assert shown(of_table(1)) == 1
    assert shown(of_phone(1), of_table(1)) == 1
    assert shown(ROUND) == 2


def test_only_the_pages_of_a_topic_are_drawn_again_and_told_what_is_new(backend: FakeBackend) -> None:
    backend.phones[2] = FakePhone()

    async def look() -> None:
        app = site(backend)
        with ExitStack() as stack:
            streams = {}
            for path in ("/table/1/play", "/table/2/play", "/me"):
                picture = app.pictures.of(Viewer(path, admitted="e1", me="Ann" if path == "/me" else ""))
                streams[path] = stack.enter_context(Look(picture))
                await streams[path].next()
            looks: list[str] = []
            look = app.look
            app.look = lambda viewer: looks.append(viewer.path) or look(viewer)  # type: ignore[method-assign, func-returns-value]
            backend.phones[2].state = PhoneState(2, unsent=3)
            backend.changes.changed(of_phone(2))
            assert b"3 throws" in await streams["/table/2/play"].next()
            assert looks == ["/table/2/play"]
            backend.take(fact("roll", 2000, table=1, dice=[1, 2, 3]))
            news = await streams["/me"].next()
            assert b'id="mine"' in news
            assert b'id="page"' not in news
            assert set(looks[1:]) <= {"/me", "/table/1/play", "/table/2/play"}

    asyncio.run(look())


@pytest.mark.parametrize("path", ["/", "/me", "/me?tab=standings", "/table/1", "/table/2/play"])
def test_a_browser_with_the_drawing_of_its_document_is_sent_none(backend: FakeBackend, path: str) -> None:
    backend.phones[2] = FakePhone()
    app = site(backend)
    place, _, query = path.partition("?")
    viewer = Viewer(place, tuple(parse_qsl(query)))
    html = TEMPLATES.render(app.model(viewer), app.context(viewer))
    [drawn] = re.findall(r'data-drawn="(\w+)"', html)

    async def look() -> None:
        for has, sent in ((drawn, False), ("", True), ("0" * 16, True)):
            with Look(app.pictures.of(viewer), has) as reader:
                told = await reader.next()
                assert b"event: alive" in told
                assert (b"event: page" in told) == sent
                assert (f"id: {drawn}".encode() in told) == sent

    asyncio.run(look())


def test_a_browser_that_comes_back_names_the_drawing_of_its_last_event(backend: FakeBackend) -> None:
    def seen(query: str, *headers: tuple[bytes, bytes]) -> Viewer:
        scope = {"type": "http", "path": "/me/stream", "query_string": query.encode(), "headers": headers}
        return viewer_of(Request(scope))

    first = seen("tab=tables&drawn=abc")
    assert (first.drawn, first.address) == ("abc", "/me?tab=tables")
    assert seen("drawn=abc", (b"last-event-id", b"def")).drawn == "def"
    assert len(seen("", (b"last-event-id", 9000 * b"d")).drawn) == 32
    assert first.seen == seen("tab=tables").seen


def test_a_throw_and_its_bell_are_no_news_to_who_reads_the_standings(backend: FakeBackend) -> None:
    app = site(backend)
    viewer = Viewer("/me", (("tab", "standings"),), me="Ann")
    before = app.model(viewer)
    assert of_table(1) not in before.topics
    backend.take(fact("roll", 2000, table=1, dice=[1, 1, 1]))
    assert backend.controller.folded.evening.state == "after_bell"
    assert app.model(viewer) == before


def test_of_many_names_an_open_page_is_sent_those_with_the_initial_that_is_new(backend: FakeBackend) -> None:
    names = [f"{initial}{n}" for initial in ("Al", "Be", "Ce") for n in range(30)]
    backend.take(fact("evening", id="e1", rules="gong", players=names))

    async def initials(reader: Look) -> list[str]:
        while b"event: page" not in (told := await reader.next()):
            pass
        return re.findall(r"<summary[^>]*>(\w)", told.decode())

    async def look() -> None:
        with Look(App(PageState(backend), PAGES).pictures.of(Viewer("/me"))) as reader:
            assert await initials(reader) == ["A", "B", "C"]
            backend.take(fact("arrive", 10, player="Éve"))
            assert await initials(reader) == ["A", "B", "C", "E"]
            backend.take(fact("arrive", 12, player="Beth"))
            assert await initials(reader) == ["B"]

    asyncio.run(look())


def test_a_reader_that_was_slow_gets_the_newest_drawing(backend: FakeBackend) -> None:
    backend.phones[2] = FakePhone()

    async def look() -> None:
        app = site(backend)
        picture = app.pictures.of(Viewer("/table/2/play", admitted="e1"))
        with Look(picture) as slow, Look(picture) as quick:
            await slow.next()
            await quick.next()
            slow.pause_writing()
            for unsent in (1, 2):
                backend.phones[2].state = PhoneState(2, unsent=unsent)
                backend.changes.changed(of_phone(2))
                await quick.next()
            slow.resume_writing()
            assert await slow.next() == picture.whole
            assert b"2 throws" in picture.whole

    asyncio.run(look())


def test_fault_of_one_page_ends_its_streams_alone(
    backend: FakeBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "SECOND_S", 0.01)

    async def look() -> None:
        app = site(backend)
        one, other = (Look(app.pictures.of(Viewer("/", lang=lang))) for lang in ("en", "de"))
        await one.next()
        await other.next()
        body = app.body

        def faulty(model: PageModel, viewer: Viewer) -> str:
            if viewer.lang == "en":
                raise ZeroDivisionError
            return body(model, viewer)

        app.body = faulty  # type: ignore[method-assign]
        backend.take(fact("roll", 2000, table=1, dice=[1, 2, 3]))
        assert b"event: page" in await other.next()
        assert await one.next() == b""

    asyncio.run(look())


@pytest.mark.parametrize("seed", range(times(12)))
def test_a_fact_changes_no_page_but_those_of_its_topic(backend: FakeBackend, seed: int) -> None:
    backend.phones[2] = FakePhone()
    folded, app = backend.controller.folded, App(PageState(backend), PAGES)
    folded.begin("e1")
    before: dict[Viewer, PageModel] = {}
    for line in drawn(seed, *["stages"] * (seed % 2)):
        try:
            topic = folded.fold(codec.decode(line))
        except BuncoError:
            continue
        backend.changes.changed()
        players = [Viewer("/me", me=name) for name in folded.evening.people.cards]
        for viewer in (*players, *SHOWN):
            now = app.model(viewer)
            known = before.get(viewer)
            assert EVERY not in now.topics
            if known is not None and topic not in known.topics:
                assert known == now, (line, topic)
            before[viewer] = now


def test_a_language_that_is_not_spoken_costs_nothing(backend: FakeBackend) -> None:
    backend.take(OPEN, SEATS)
    browser: TestClient = backend.browser()
    TEMPLATES._environments.clear()
    for n in range(20):
        browser.cookies.set("bunco_lang", f"x{n}")
        assert 'lang="en"' in browser.get("/", headers={"accept-language": f"y{n}"}).text
    browser.cookies.clear()
    assert 'lang="de"' in browser.get("/", headers={"accept-language": "fr-CH, de;q=0.8"}).text
    assert {lang for lang, _ in TEMPLATES._environments} == {"en", "de"}
