"""Helpers check guests in: everybody once, whatever is cut, and nothing of the game is theirs."""

import random

import pytest
from starlette.testclient import TestClient

from game.evenings import fact
from pi_bunco.web.pages import PAGES
from pi_bunco.web.pages.door.page import HELPER, fits
from pi_bunco.web.site.app import app
from pi_bunco.web.site.guests import MOST_ASKING
from pi_bunco.wire.commands import COMMANDS
from web.backends import OPEN, SEATS, FakeBackend
from web.test_host_pages import logged_in


def helper(backend: FakeBackend, site: TestClient) -> TestClient:
    """A helper's phone that is logged in at this site."""
    phone = TestClient(
        site.app, base_url=str(site.base_url), client=("127.0.0.1", 40000), follow_redirects=False
    )
    pin = str(backend.archive.kept["helper_pin"])
    assert phone.post("/door/login", data={"pin": pin}).headers["location"] == "/door"
    return phone


def let_in(backend: FakeBackend) -> tuple[TestClient, str]:
    """The host's browser, after helpers were let in."""
    browser, token = logged_in(backend)
    browser.post("/host/people", data={"csrf": token, "helpers": "new"})
    return browser, token


def field(page: str, name: str) -> str:
    return page.partition(f'name="{name}" value="')[2].partition('"')[0]


def form(page: str, do: str, **more: str) -> dict[str, str]:
    return {"csrf": field(page, "csrf"), "tap": field(page, "tap"), "do": do, **more}


def test_a_helper_checks_in_takes_money_and_adds_who_walks_in(backend: FakeBackend) -> None:
    browser, _ = let_in(backend)
    backend.guests.sign_up("Zoë van der Holm", "Corner Books", "with Ann", False, 0)
    backend.guests.sign_up("Ann Lee", "", "", True, 0)
    zoe = backend.guests.of("Zoë van der Holm")
    assert zoe
    phone = helper(backend, browser)
    page = phone.get("/door?q=zoe+hol").text
    assert "Corner Books, with Ann, owes" in page
    assert "Ann Lee" not in page
    phone.post("/door", data=form(page, "pays", id=zoe.id))
    phone.post("/door", data=form(page, "here", id=zoe.id))
    phone.post("/door", data=form(page, "walk_in", name="Kat"))
    zoe, kat = backend.guests.of("Zoë van der Holm"), backend.guests.of("Kat")
    assert zoe
    assert kat
    assert (zoe.state, zoe.owes) == ("here", False)
    assert kat.asks
    assert "Kat" in browser.get("/host/people").text


def test_a_walk_in_who_found_no_room_is_taken_once_there_is_some(backend: FakeBackend) -> None:
    browser, _ = let_in(backend)
    phone = helper(backend, browser)
    asking = [backend.guests.arrive(f"Guest {n}", 0) for n in range(MOST_ASKING)]
    tap = form(phone.get("/door").text, "walk_in", name="Kat")
    assert phone.post("/door", data=tap).status_code == 429
    assert asking[0]
    backend.guests.forget(asking[0].id)
    assert phone.post("/door", data=tap).status_code == 303
    assert backend.guests.of("Kat")


def test_a_tap_that_comes_again_late_does_not_undo_what_came_between(backend: FakeBackend) -> None:
    browser, _ = let_in(backend)
    backend.guests.sign_up("Ann", "", "", None, 0)
    ann = backend.guests.of("Ann")
    assert ann
    one, two = helper(backend, browser), helper(backend, browser)
    tap = form(one.get("/door").text, "here", id=ann.id)
    one.post("/door", data=tap)
    two.post("/door", data=form(two.get("/door").text, "not_here", id=ann.id))
    one.post("/door", data=tap)
    assert backend.guests.people[ann.id].state == "coming"


def test_four_hundred_people_four_helpers_and_a_cut_nobody_twice_nobody_lost(backend: FakeBackend) -> None:
    browser, _ = let_in(backend)
    names = [f"Guest {n} of {n * 7919 % 400}" for n in range(400)]
    for name in names[:380]:
        backend.guests.sign_up(name, "", "", False, 0)
    phones, draw, cut = [helper(backend, browser) for _ in range(4)], random.Random(1), []
    for n, name in enumerate(names):
        phone = phones[n % 4]
        page = phone.get("/door", params={"q": name}).text
        guest = backend.guests.of(name)
        taps = (
            [("pays", {"id": guest.id}), ("here", {"id": guest.id})]
            if guest
            else [("walk_in", {"name": name})]
        )
        for do, more in taps:
            tap = form(page, do, **more)
            lost = 180 < n < 220 and draw.random() < 0.5
            if (
                not lost or draw.random() < 0.5
            ):  # the tap came, or it was lost before: its answer is lost anyhow
                phone.post("/door", data=tap)
            if lost:
                cut.append((phone, tap))
    assert len(cut) > 20
    for phone, tap in cut * 2:
        assert phone.post("/door", data=tap).status_code == 303
    here = [one.name for one in backend.guests.people.values() if one.state == "here"]
    assert sorted(here) == sorted(names)
    assert not any(one.owes for one in backend.guests.people.values())


@pytest.mark.parametrize("name", [*COMMANDS])
def test_a_helper_gives_no_command(backend: FakeBackend, name: str) -> None:
    browser, _ = let_in(backend)
    backend.take(OPEN, SEATS)
    phone = helper(backend, browser)
    token, csrf = phone.cookies[HELPER], field(phone.get("/door").text, "csrf")
    headers = {"cookie": f"bunco_host={token}; {HELPER}={token}"}
    answer = phone.post("/host/command", data={"csrf": csrf, "command": name}, headers=headers)
    assert answer.headers["location"] == "/host/login"
    assert backend.commands == []


def test_no_page_form_or_file_of_the_host_opens_to_a_helper(backend: FakeBackend) -> None:
    browser, _ = let_in(backend)
    phone = helper(backend, browser)
    token, csrf = phone.cookies[HELPER], field(phone.get("/door").text, "csrf")
    headers = {"cookie": f"bunco_host={token}; {HELPER}={token}"}
    routes = [route.path for route in app(backend, PAGES)._app.routes if route.path.startswith("/host")]  # type: ignore[attr-defined]
    pages = [page.path for page in PAGES.pages if page.path.startswith("/host")]
    kept = dict(backend.archive.kept), dict(backend.guests.people)
    for path in {*routes, *pages} - {"/host/login", "/host/{rest:path}"}:
        for answer in (
            phone.get(path, headers=headers),
            phone.get(f"{path}/stream", headers=headers),
            phone.post(path, data={"csrf": csrf, "helpers": "new", "title": "x"}, headers=headers),
        ):
            assert answer.status_code in (303, 405) or answer.headers["content-type"].startswith(
                "text/event-stream"
            ), path
            assert "login" in answer.headers.get("location", "login"), path
    assert (dict(backend.archive.kept), dict(backend.guests.people)) == kept
    assert backend.commands == []


def test_the_host_is_no_helper_by_the_way_and_another_pin_sends_all_helpers_away(
    backend: FakeBackend,
) -> None:
    assert "made no PIN" in backend.browser().get("/door/login").text
    browser, token = let_in(backend)
    phone = helper(backend, browser)
    assert phone.get("/door").status_code == 200
    assert phone.post("/door/login", data={"pin": "000000x"}).status_code == 403
    browser.post("/host/people", data={"csrf": token, "helpers": "new"})
    assert phone.get("/door").headers["location"] == "/door/login"
    assert phone.post("/door", data={"do": "walk_in", "name": "X"}).headers["location"] == "/door/login"
    assert backend.guests.of("X") is None


def test_the_helpers_pin_crosses_a_network_only_under_tls(backend: FakeBackend) -> None:
    far = backend.browser("http://192.168.4.1:8080", ("192.168.4.9", 4000))
    for path in ("/door", "/door/login"):
        assert far.get(path, headers={"host": "bunco"}).status_code == 403
    assert far.post("/door/login", data={"pin": "1"}, headers={"host": "bunco"}).status_code == 403


def test_a_search_finds_by_the_beginnings_of_words() -> None:
    assert fits(["Nathaniel van der Hölm"], "hol nath")
    assert fits(["Anne-Marie Lee", "Annie"], "marie")
    assert not fits(["Nathaniel"], "than")


def test_a_slip_says_table_and_partner_and_only_a_helper_sees_it(backend: FakeBackend) -> None:
    browser, _ = let_in(backend)
    backend.take(OPEN, SEATS)
    ann = backend.guests.arrive("Ann", 0, known=True)
    assert ann
    phone = helper(backend, browser)
    assert f"/door/slip?id={ann.id}" in phone.get("/door").text
    table, partner = seat_of(backend, "Ann")
    slip = phone.get(f"/door/slip?id={ann.id}").text
    assert f"Table {table}" in slip or "Head table" in slip
    assert f">{partner}<" in slip
    assert backend.browser().get(f"/door/slip?id={ann.id}").headers["location"] == "/door/login"
    assert phone.get("/door/slip?id=nobody").headers["location"] == "/door"


def test_nobody_has_a_seat_once_the_evening_is_closed(backend: FakeBackend) -> None:
    browser, _ = let_in(backend)
    backend.take(OPEN, SEATS)
    backend.guests.arrive("Ann", 0, known=True)
    assert "/door/slip" in helper(backend, browser).get("/door").text
    backend.take(fact("evening_close"))
    assert "/door/slip" not in helper(backend, browser).get("/door").text


def seat_of(backend: FakeBackend, name: str) -> tuple[int, str]:
    """The table where somebody sits, and the partner there."""
    for number, names in enumerate(backend.controller.folded.evening.seating or [], 1):
        if name in names:
            return number, names[(names.index(name) + 2) % 4]
    raise AssertionError(name)


def test_who_did_not_come_is_off_the_list_by_one_key(backend: FakeBackend) -> None:
    browser, token = logged_in(backend)
    browser.post("/host/prepare", data={"csrf": token, "names": "Ann\nBob\nCat 20:00", "do": "count"})
    backend.guests.arrive("Ann", 0)
    assert "Off the list: who is not here" in browser.get("/host/people").text
    browser.post("/host/people", data={"csrf": token, "no_shows": "1"})
    assert {one.name: one.state for one in backend.guests.people.values()} == {
        "Ann": "here",
        "Bob": None,
        "Cat": "late",
    }
    assert backend.archive.kept["draft"]["names"] == ("Ann", "Cat")


def test_once_the_evening_is_open_ghosts_play_for_who_did_not_come(backend: FakeBackend) -> None:
    browser, token = logged_in(backend)
    browser.post("/host/prepare", data={"csrf": token, "names": "Ann\nBob\nCat\nDee", "do": "count"})
    backend.take(OPEN, SEATS)
    for name in ("Ann", "Dee"):
        backend.guests.arrive(name, 0, known=True)
    assert "Ghosts for the 2 who are not here" in browser.get("/host/people").text
    browser.post("/host/people", data={"csrf": token, "no_shows": "1"})
    left = [(one.command, one.args) for one in backend.commands]
    assert left == [("leave", {"player": "Bob"}), ("leave", {"player": "Cat"})]
    bob = backend.guests.of("Bob")
    assert bob
    assert bob.state == "coming"


def test_who_would_stand_in_is_named_while_tables_are_not_full(backend: FakeBackend) -> None:
    browser, token = logged_in(backend)
    browser.post("/host/prepare", data={"csrf": token, "names": "Ann\nBob\nCat", "do": "count"})
    assert "Short by 1 of full tables" in browser.get("/host/people").text
    kit = backend.guests.arrive("Kit", 0)
    assert kit
    browser.post("/host/people", data={"csrf": token, "id": kit.id, "take": "1"})
    browser.post("/host/people", data={"csrf": token, "id": kit.id, "to": "stands_in"})
    assert "These could stand in" in browser.get("/host/people").text
    browser.post("/host/people", data={"csrf": token, "id": kit.id, "to": "here"})
    assert "Short by" not in browser.get("/host/people").text


def test_the_host_takes_what_somebody_owes(backend: FakeBackend) -> None:
    browser, token = logged_in(backend)
    backend.guests.sign_up("Ann", "", "", False, 0)
    ann = backend.guests.of("Ann")
    assert ann
    assert "1 owes." in browser.get("/host/people").text
    browser.post("/host/people", data={"csrf": token, "id": ann.id, "pays": "1"})
    assert "owes" not in browser.get("/host/people").text
