"""The list of screens: what each tells, what a host has them show, and that nobody fills the memory."""

import re

import pytest
from starlette.testclient import TestClient

from pi_bunco.web.pages import TEMPLATES
from pi_bunco.web.pages.board.model import Playing, StandingsNow
from pi_bunco.web.pages.board.page import Wish, shown_scoreboard
from pi_bunco.web.pages.host.checks import bad
from pi_bunco.web.pages.host.frame import HostQuery
from pi_bunco.web.pages.host.health.screen_list import choices, shown_screens
from pi_bunco.web.site.evening_now import TablePresence
from pi_bunco.web.site.page import Context
from pi_bunco.web.site.page_state import SCREEN_WORDS
from pi_bunco.web.site.screens import GONE_AFTER_S, MAX_SCREENS, MOST_KEPT, Screen, Screens
from pi_bunco.web.site.sounds import Sounds, sounds
from web.backends import OPEN, PIN, SEATS, START, FakeBackend
from web.gallery import SCREENS
from web.nights import Night

TV = {"kind": "tv", "number": "0", "sound": "silent", "awake": "1", "battery": ""}


def name(n: int) -> str:
    return f"{n:016x}"


def seen(screens: Screens, now: float) -> list[tuple[str, int]]:
    return [(one.kind, one.number) for one in screens.now(now)]


def test_a_tv_keeps_its_number_and_a_new_one_gets_one_that_is_free() -> None:
    screens = Screens()
    for n in (1, 2, 3):
        screens.tell(Screen(name(n), "tv", 0), 0)
    screens.forget(name(2))
    screens.tell(Screen(name(3), "tv", 0), 1)
    assert seen(screens, 1) == [("tv", 1), ("tv", 3)]
    screens.tell(Screen(name(4), "tv", 0), 1)
    assert {one.id: one.number for one in screens.now(1)} == {name(1): 1, name(4): 2, name(3): 3}


def test_one_browser_may_be_several_screens() -> None:
    screens = Screens()
    for kind, number in (("tv", 0), ("host", 0), ("phone", 2), ("phone", 3)):
        screens.tell(Screen(name(1), kind, number), 0)  # type: ignore[arg-type]
    assert seen(screens, 0) == [("tv", 1), ("phone", 2), ("phone", 3), ("host", 0)]


def test_a_screen_is_gone_once_it_is_silent_unless_it_was_closed() -> None:
    screens = Screens()
    screens.tell(Screen(name(1), "tv", 0), 0)
    screens.tell(Screen(name(2), "tv", 0, closed=True), 0)
    assert [one.gone for one in screens.now(GONE_AFTER_S * 1000)] == [False, False]
    assert [one.gone for one in screens.now(GONE_AFTER_S * 1000 + 1)] == [True, False]


def test_the_screen_that_was_unseen_longest_makes_room() -> None:
    screens = Screens()
    for n in range(MAX_SCREENS + 20):
        screens.tell(Screen(name(n), "tablet", 1), n)
    found = {one.id for one in screens.now(MAX_SCREENS + 20)}
    assert found == {name(n) for n in range(20, MAX_SCREENS + 20)}


def test_a_hosts_words_are_few_and_only_what_can_be_shown() -> None:
    screens = Screens()
    for n in range(MOST_KEPT + 5):
        kept = screens.say(name(n), f"TV {n}", "names=A-F")
    assert len(kept) == MOST_KEPT
    for wrong in ("names=<b>", "show=secrets", "tables=1-9999", "../host"):
        assert screens.say(name(1), "x", wrong) == screens.say("no such id", "x", "")
    assert Screens(kept).show(name(20)) == "names=A-F"
    assert Screens({"a": 3}).show("a") is None


@pytest.fixture
def host(backend: FakeBackend) -> TestClient:
    backend.take(OPEN, SEATS, START)
    browser = backend.browser()
    browser.post("/host/login", data={"pin": PIN})
    return browser


def csrf(host: TestClient) -> str:
    found = re.search(r'name="csrf" value="([^"]+)"', host.get("/host/screens").text)
    assert found
    return found[1]


def test_a_tv_appears_is_named_and_shows_what_the_host_says(host: TestClient, backend: FakeBackend) -> None:
    first = host.post("/screen", data=TV)
    id = host.cookies["bunco_screen"]
    assert (first.status_code, len(id)) == (200, 16)
    page = host.get("/host/screens").text
    assert "TV 1" in page
    assert "silent until somebody taps it once, stays lit" in page
    form = {"csrf": csrf(host), "id": id, "name": "Kitchen", "show": "tables=1-8"}
    assert host.post("/host/screens", data=form).status_code == 303
    assert "Kitchen" in host.get("/host/screens").text
    asked = host.post("/screen", data=TV)
    assert asked.json() == {"show": "tables=1-8", "sounds": "bell 100", "own": {}}
    assert 'data-show="tables=1-8"' in host.get("/").text
    host.cookies.delete("bunco_screen")
    assert 'data-show=""' in host.get("/").text
    assert backend.archive.kept[SCREEN_WORDS]


@pytest.mark.parametrize(
    "wrong", [{"kind": "fridge"}, {"sound": "loud"}, {"number": "-1"}, {"number": "1234"}, {"number": "x"}]
)
def test_a_screen_of_no_kind_is_none(backend: FakeBackend, wrong: dict[str, str]) -> None:
    assert backend.browser().post("/screen", data=TV | wrong).status_code == 400


def test_nobody_but_a_host_says_what_a_screen_shows(backend: FakeBackend) -> None:
    answer = backend.browser().post("/host/screens", data={"id": name(1), "name": "x", "show": ""})
    assert answer.headers["location"] == "/host/login"


def test_all_screens_sound_as_the_host_says(host: TestClient, backend: FakeBackend) -> None:
    form = {"csrf": csrf(host), "do": "sounds", "pack": "gong", "loud": "50", "quiet": "0"}
    assert host.post("/host/screens", data=form).status_code == 303
    assert backend.browser().post("/screen", data=TV).json() == {"show": None, "sounds": "gong 50", "own": {}}
    page = host.get("/host/screens").text
    assert 'value="gong" selected' in page
    assert 'value="50" selected' in page


@pytest.mark.parametrize(
    "wrong", [None, {"pack": "whoopee"}, {"loud": "1000"}, {"loud": "x"}, {"quiet": 3}, "gong", ["gong"]]
)
def test_sounds_that_no_screen_has_are_those_as_delivered(wrong: object) -> None:
    assert sounds(wrong) == Sounds()


def test_screens_are_quiet_from_the_hosts_hour_until_seven() -> None:
    hours = [hour for hour in range(24) if Sounds("horn", 25, quiet=22).at(hour, "bell") == "horn 0"]
    assert hours == [0, 1, 2, 3, 4, 5, 6, 22, 23]
    assert {Sounds().at(hour, "bell") for hour in range(24)} == {"bell 100"}


def test_health_tells_of_tvs_that_are_gone_or_silent() -> None:
    now = Night(12).draw().evening_now(screens=SCREENS)
    assert [note.kind for note in bad(now)] == ["screen_gone", "screens_silent"]
    page = TEMPLATES.render(shown_screens(now, HostQuery()), Context(csrf="c"))
    assert "seen 95" in page
    assert "battery 20 %" in page


def test_a_second_screen_shows_some_tables_or_the_standings() -> None:
    now = Night(48).draw().rounds(1).begin().throws(60).evening_now()
    some = shown_scoreboard(now, Wish(tables="4-9")).scene
    assert isinstance(some, Playing)
    assert [table.number for table in some.tables] == [4, 5, 6, 7, 8, 9]
    assert isinstance(shown_scoreboard(now, Wish(show="standings")).scene, StandingsNow)
    for wrong in ("9-4", "x", "1", "0-0", "400-500", "99999-99999"):
        assert isinstance(shown_scoreboard(now, Wish(tables=wrong)).scene, Playing)
    assert choices(12) == (
        "", "show=standings", "show=rules", "show=pictures", "tables=1-8", "tables=9-12", "names=A-M",
        "names=N-Z", "names=A-F", "names=G-L", "names=M-R", "names=S-Z",
    )  # fmt: skip
    assert choices(3) == ("", "show=standings", "show=rules", "show=pictures")


def test_health_tells_a_die_that_does_not_answer_from_one_whose_battery_is_weak() -> None:
    table = TablePresence(online=True, dice=("ok", "weak", "unheard"))
    there = {number: TablePresence(online=True) for number in (2, 3)}
    now = Night(12).draw().evening_now(tables={1: table, **there})
    told = {note.kind: note.name for note in bad(now) if note.table == 1}
    assert told == {"dice": "3", "battery": "2"}
