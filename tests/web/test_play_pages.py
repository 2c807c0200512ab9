"""Phones that want to be a table: the code, the taps."""

import json
import re
from urllib.parse import urlencode

import pytest
from starlette.testclient import TestClient

from pi_bunco.game.reasons import NoRoundOpen
from pi_bunco.table.reasons import TapWithoutRound
from pi_bunco.web.pages import PAGES
from pi_bunco.web.site.app import App
from pi_bunco.web.site.page_state import PageState
from pi_bunco.web.site.viewer import Viewer
from pi_bunco.wire.messages import Beat
from web.backends import OPEN, SEATS, START, FakeBackend

TAP = {"mark_boot": "a7c1", "mark_seq": "5", "tap": "bunco"}


@pytest.fixture
def backend(backend: FakeBackend) -> FakeBackend:
    """Everybody has a seat, and table 1 is a phone."""
    backend.take(OPEN, SEATS)
    return backend


def phone(backend: FakeBackend) -> TestClient:
    """A browser that has given the code."""
    browser = backend.browser(client=("192.168.4.20", 40000))
    answer = browser.get(f"/table/1/play?code={backend.code()}")
    assert answer.headers["location"] == "/table/1/play"
    return browser


def test_a_tap_needs_the_code_of_this_evening(backend: FakeBackend) -> None:
    browser = backend.browser()
    assert browser.post("/table/1/tap", data=TAP).status_code == 403
    assert browser.get("/table/1/play?code=000000").headers["location"] == "/table/1/play?wrong=1"
    assert browser.post("/table/1/tap", data=TAP).status_code == 403
    mine = phone(backend)
    assert mine.post("/table/1/tap", data=TAP, headers={"accept": "application/json"}).status_code == 204
    assert [tap[1:] for tap in backend.phones[1].taps] == [(5, "bunco", ())]
    backend.controller.folded.begin("e2")
    assert mine.post("/table/1/tap", data=TAP).status_code == 403


def test_a_phone_knows_its_taps_again_and_nobody_elses(backend: FakeBackend) -> None:
    mine, other = phone(backend), phone(backend)
    mine.post("/table/1/tap", data=TAP)
    mine.get(f"/table/1/play?code={backend.code()}")  # the picture with the code is opened once more
    mine.post("/table/1/tap", data=TAP)
    other.post("/table/1/tap", data=TAP)
    first, again, others = (boot for boot, *_ in backend.phones[1].taps)
    assert first == again != others


def test_an_open_page_of_a_phone_asks_for_the_code_of_the_next_evening(backend: FakeBackend) -> None:
    pictures = App(PageState(backend), PAGES).pictures
    looks = Viewer("/table/1/play", admitted="e1")
    assert b'name="code"' not in pictures.of(looks).whole
    backend.controller.folded.begin("e2")
    backend.changes.changed()
    assert b'name="code"' in pictures.of(looks).whole


def test_many_wrong_codes_make_a_phone_wait(backend: FakeBackend) -> None:
    browser = backend.browser(client=("192.168.4.66", 40000))
    for k in range(10):
        assert browser.get(f"/table/1/play?code=00000{k}").status_code == 303
    asked = {"accept": "text/html", "accept-language": "de"}
    waits = browser.post("/table/1/play", data={"code": backend.code()}, headers=asked)
    assert waits.status_code == 403
    assert "dieses Gerät wartet 5 Minuten" in waits.text
    assert "/static/" in waits.text
    assert phone(backend)


def test_an_open_page_of_a_table_that_got_equipment_says_so(
    backend: FakeBackend,
) -> None:
    backend.take(OPEN, SEATS)
    browser = phone(backend)
    del backend.phones[1]
    assert browser.get("/table/1/play/stream").status_code == 404  # a phone that starts again comes back
    backend.controller.presences.beat(1, Beat(0), backend.clock.now())
    assert browser.get("/table/1/play/stream").text == "event: alive\ndata: \n\n"
    shown = browser.get("/table/1/play", headers={"accept": "text/html"})
    assert shown.status_code == 404
    assert "it has equipment of its own" in shown.text


def test_a_table_that_nobody_has_is_not_said_to_have_equipment(backend: FakeBackend) -> None:
    shown = backend.browser().get("/table/9/play", headers={"accept": "text/html"})
    assert shown.status_code == 404
    assert "Table 9 is no phone table: ask the host" in shown.text


def test_the_picture_of_a_table_lets_in_whatever_was_typed(backend: FakeBackend) -> None:
    browser = backend.browser(client=("192.168.4.66", 40000))
    key = backend.sources().codes.code("e1", 1).key
    assert len(bytes.fromhex(key)) == 16
    for k in range(10):
        browser.get(f"/table/1/play?code=00000{k}")
    assert browser.get("/table/1/play?key=" + "0" * 32).headers["location"] == "/table/1/play?wrong=1"
    assert browser.get(f"/table/1/play?key={key}").headers["location"] == "/table/1/play"
    assert browser.post("/table/1/tap", data=TAP).status_code == 303


def test_a_tap_says_which_dice(backend: FakeBackend) -> None:
    mine = phone(backend)
    for form in (
        TAP | {"tap": "dice", "dice": "3,5,5"},
        TAP | {"tap": "faceoff", "dice": "4,2", "mark_seq": "6"},
    ):
        assert mine.post("/table/1/tap", data=TAP | form).status_code == 303
    assert [tap[1:] for tap in backend.phones[1].taps] == [(5, "dice", (3, 5, 5)), (6, "faceoff", (4, 2))]


def test_malformed_tap_is_refused(backend: FakeBackend) -> None:
    mine = phone(backend)
    for wrong in (
        {"tap": "bell"},
        {"tap": "dice", "dice": "3,5"},
        {"tap": "dice", "dice": "0,5,7"},
        {"mark_seq": "0"},
        {"mark_seq": "9" * 40},
        {"mark_boot": "<b>"},
        {"mark_boot": ""},
        {"tap": "turn", "seat": "E"},
    ):
        assert mine.post("/table/1/tap", data=TAP | wrong).status_code == 409
    plain = mine.post("/table/1/tap", content=b"\xff\xfe", headers={"content-type": "text/plain"})
    assert plain.status_code == 400
    assert backend.phones[1].taps == []


def test_a_tap_that_is_refused_for_good_says_why(backend: FakeBackend) -> None:
    mine = phone(backend)
    backend.phones[1].why = TapWithoutRound()
    answer = mine.post("/table/1/tap", data=TAP)
    assert (answer.status_code, answer.text) == (409, "No round is open: nothing was counted.\n")


def test_a_table_with_equipment_is_no_phone(backend: FakeBackend) -> None:
    assert backend.browser().get("/table/2/play").status_code == 404
    assert backend.browser().post("/table/2/tap", data=TAP).status_code == 404


def test_a_browser_without_scripts_plays_by_plain_forms(backend: FakeBackend) -> None:
    mine = phone(backend)
    form = {"mark_boot": "", "mark_seq": "", "tap": "dice", "die1": "3", "die2": "5", "die3": "5"}
    for _ in range(2):
        assert mine.post("/table/1/tap", data=form).headers["location"] == "/table/1/play"
    (first, _, _, dice), (second, _, _, _) = backend.phones[1].taps
    assert first != second
    assert dice == (3, 5, 5)


def test_whose_turn_it_is_is_told_to_the_head(backend: FakeBackend) -> None:
    mine = phone(backend)
    plain = mine.post("/table/1/tap", data={"tap": "turn", "seat": "C"})
    assert (plain.status_code, plain.headers["location"]) == (303, "/table/1/play")
    (command,) = backend.commands
    assert (command.command, command.args, command.by) == ("turn", {"table": 1, "seat": "C"}, "table 1")
    tap = {"tap": "turn", "seat": "C", "mark_boot": "ab12", "mark_seq": "7"}
    by_script = mine.post("/table/1/tap", data=tap, headers={"accept": "application/json"})
    assert by_script.status_code == 204
    assert re.fullmatch(r"web-[0-9a-f]{24}-7", backend.commands[-1].id)
    mine.post("/table/1/tap", data=tap)
    assert backend.commands[-1].id == backend.commands[-2].id  # repeated, it is one
    backend.refuse(NoRoundOpen())
    assert mine.post("/table/1/tap", data={"tap": "turn", "seat": "C"}).text == "No round is open.\n"


def test_the_page_of_a_phone_asks_for_the_code_first(backend: FakeBackend) -> None:
    assert 'name="code"' in backend.browser().get("/table/1/play").text
    assert 'name="code"' not in phone(backend).get("/table/1/play").text


def test_a_phone_enters_dice_or_points_as_was_chosen_last(backend: FakeBackend) -> None:
    backend.take(START)
    round_ = backend.controller.folded.evening.round
    assert round_ is not None
    backend.phones[1].table = round_.tables[0]
    mine = phone(backend)
    for mode, shown in (("dice", 'name="die3"'), ("points", 'value="mini"')):
        assert shown not in mine.get("/table/1/play").text
        assert mine.get(f"/table/1/play?mode={mode}").headers["location"] == "/table/1/play"
        assert shown in mine.get("/table/1/play").text


def test_every_page_of_the_guests_is_drawn(backend: FakeBackend) -> None:
    browser = backend.browser()
    for path in ("/", "/me", "/me?tab=tables", "/table/1"):
        assert "</html>" in browser.get(path).text
    browser.post("/me", data={"name": "Ann"})
    assert "Ann" in browser.get("/me").text


def aged(seq: int, age: int, **more: str) -> dict[str, str]:
    """A tap that says so of its age (ms)."""
    return {"mark_boot": "a7c1", "mark_seq": str(seq), "tap": "bunco", "age": str(age)} | more


def test_a_phone_that_was_heard_after_the_bell_moves_no_tap_before_it(backend: FakeBackend) -> None:
    """Trace: a tap comes, the bell rings, its phone says that it keeps none, then that a Bunco is 9 s old."""
    mine = phone(backend)
    backend.clock.advance(10_000)
    mine.post("/table/1/tap", data=aged(1, 7000))
    backend.clock.advance(2000)
    assert mine.post("/table/1/tap", data={"kept": "[]"}).headers["x-taken"] == "0"
    backend.clock.advance(1000)
    mine.post("/table/1/tap", data=aged(2, 9000))
    backend.clock.advance(500)
    mine.post("/table/1/tap", data=aged(1, 9000, mark_boot="another"))
    assert backend.phones[1].ages == [7000, 1000, 500]


def test_all_that_a_phone_without_a_network_kept_is_as_old_as_it_says(backend: FakeBackend) -> None:
    mine = phone(backend)
    backend.clock.advance(10_000)
    kept = [aged(1, 7000), aged(2, 6000), aged(3, 4000, tap="none"), aged(4, 3000)]
    backend.phones[1].away = True
    told = {"kept": json.dumps(list(map(urlencode, kept)))}
    assert mine.post("/table/1/tap", data=told).status_code == 503
    backend.phones[1].away = False
    backend.phones[1].ages.clear()
    answer = mine.post("/table/1/tap", data=told)
    assert (answer.status_code, answer.headers["x-taken"]) == (409, "4")
    assert backend.phones[1].ages == [7000, 6000, 3000]
    assert mine.post("/table/1/tap", data={"kept": "[1]"}).status_code == 400


def test_a_phone_is_no_older_than_its_code(backend: FakeBackend) -> None:
    mine = phone(backend)
    backend.clock.advance(3000)
    mine.get(f"/table/1/play?code={backend.code()}")  # the picture with the code is opened once more
    mine.post("/table/1/tap", data=aged(1, 9000))
    assert backend.phones[1].ages == [3000]
