"""Access to the host's pages, and the effect of each of their forms."""

import asyncio
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from pi_bunco.game.opening import opening
from pi_bunco.game.reasons import RolledSince
from pi_bunco.rules import preset
from pi_bunco.web.pages import PAGES
from pi_bunco.web.pages.host.prepare.draft import Draft, changed, groups_of, open_args, rule_set
from pi_bunco.web.site import page_state, pictures
from pi_bunco.web.site.app import App
from pi_bunco.web.site.archive import EveningArchive
from pi_bunco.web.site.login import Login
from pi_bunco.web.site.page_state import PageState
from pi_bunco.web.site.page_store import EveningSummary, jsonl
from pi_bunco.web.site.server import Endpoint
from pi_bunco.web.site.viewer import Viewer
from web.backends import HERE, OPEN, PIN, SEATS, FakeBackend, Look
from web.backends import backend as backends
from web.nights import opened

FAR = ("192.168.4.20", 40000)
TLS = (Endpoint("127.0.0.1", 8443, "cert.pem"),)


def logged_in(backend: FakeBackend) -> tuple[TestClient, str]:
    """A browser with a session, and the token of its forms."""
    browser = backend.browser()
    answer = browser.post("/host/login", data={"pin": PIN, "next": "/host/health"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/host/health")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    return browser, Login(PIN).csrf(browser.cookies["bunco_host"])


def test_who_mistypes_the_pin_need_not_type_the_name_again(backend: FakeBackend) -> None:
    again = backend.browser().post("/host/login", data={"pin": "000000", "name": "Ann & Bob"})
    assert (again.status_code, 'value="Ann &amp; Bob"' in again.text) == (403, True)


def test_nobody_sees_the_hosts_pages_without_the_pin(backend: FakeBackend) -> None:
    browser = backend.browser()
    for path in ("/host", "/host/health", "/host/log", "/host/print/results"):
        answer = browser.get(path)
        assert answer.status_code == 303
        assert answer.headers["location"].startswith("/host/login")
    for path in ("/host/command", "/host/setting", "/host/logout"):
        assert browser.post(path, data={"command": "round_start"}).headers["location"] == "/host/login"
    assert backend.commands == []


def test_a_page_that_stays_open_after_logout_shows_nothing_more_and_loads_itself_again(
    backend: FakeBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "SECOND_S", 0.01)
    browser, token = logged_in(backend)
    site = PageState(backend)
    session = site.login.session(browser.cookies["bunco_host"], site.time_of_day())
    assert session is not None

    async def look() -> None:
        drawn = App(site, PAGES).pictures
        host = Look(drawn.of(Viewer("/host", session=session)))
        assert b"No evening is open" in await host.next()
        site.login.leave(session.token)
        assert await host.next() == b""

    asyncio.run(look())
    browser.post("/host/logout", data={"csrf": token})
    assert browser.get("/host/stream").text == "event: alive\ndata: \n\n"


def test_a_form_gives_the_command_and_its_answer_is_there(backend: FakeBackend) -> None:
    browser, token = logged_in(backend)
    form = {"csrf": token, "command": "undo", "args": '{"table":2,"n":812}', "back": "/host?table=2"}
    answer = browser.post("/host/command", data=form)
    assert (answer.status_code, answer.headers["location"]) == (303, "/host?table=2")
    assert (backend.commands[0].command, backend.commands[0].args) == ("undo", {"table": 2, "n": 812})
    backend.refuse(RolledSince(2))
    said = browser.post("/host/command", data=form, headers={"accept": "application/json"}).json()
    assert said == {"done": False, "command": "undo", "why": ["Table 2 has rolled since."]}


def test_a_command_needs_the_token_of_its_session(backend: FakeBackend) -> None:
    browser, token = logged_in(backend)
    other, _ = logged_in(backend)
    form = {"command": "round_end"}
    assert browser.post("/host/command", data=form).status_code == 403
    asked = {"accept": "text/html", "accept-language": "de"}
    old = browser.post("/host/command", data=form | {"csrf": "x"}, headers=asked)
    assert old.status_code == 403
    assert "Dieses Formular ist alt" in old.text
    assert other.post("/host/command", data=form | {"csrf": token}).status_code == 403
    origin = {"origin": "http://evil.example"}
    assert browser.post("/host/command", data=form | {"csrf": token}, headers=origin).status_code == 403
    assert backend.commands == []


def test_arguments_that_cannot_be_go_no_further(backend: FakeBackend) -> None:
    browser, token = logged_in(backend)
    form = {"csrf": token, "command": "undo", "arg.table": "<script>"}
    said = browser.post("/host/command", data=form, headers={"accept": "application/json"}).json()
    assert said["done"] is False
    assert "table" in said["why"][0]
    assert backend.commands == []


def test_from_another_device_the_pin_is_typed_under_tls_only(backend: FakeBackend) -> None:
    far = backend.browser(client=FAR)
    assert far.get("/host/login").status_code == 403
    assert far.post("/host/login", data={"pin": PIN}).status_code == 403
    backend.start_with(places=TLS)
    assert far.get("/host/login").headers["location"] == "https://127.0.0.1:8443/host/login"
    assert (
        far.post("/host/login", data={"pin": PIN}).headers["location"] == "https://127.0.0.1:8443/host/login"
    )
    secure = backend.browser(HERE.replace("http", "https"), FAR)
    assert "Secure" in secure.post("/host/login", data={"pin": PIN}).headers["set-cookie"]


def test_a_session_outlasts_a_restart_of_the_page(backend: FakeBackend) -> None:
    browser, token = logged_in(backend)
    again = backend.browser()
    again.cookies = browser.cookies
    assert again.post("/host/command", data={"csrf": token, "command": "round_end"}).status_code == 303
    assert [command.command for command in backend.commands] == ["round_end"]


@pytest.mark.parametrize(
    "path",
    ["/nothing", "/static/x/../../pyproject.toml", "/static/x/%2e%2e/%2e%2e/app.py", "/table/0", "/table/x"],
)
def test_unknown_page_is_not_found(backend: FakeBackend, path: str) -> None:
    backend.take(OPEN, SEATS)
    assert backend.browser().get(path).status_code == 404


def test_who_started_the_hall_needs_no_pin_once(backend: FakeBackend) -> None:
    browser = backend.browser()
    assert browser.get("/host/login?key=wrong").status_code == 403
    assert browser.get(f"/host/login?key={backend.settings.key}").status_code == 403
    backend.start_with(key="m" * 22)
    browser = backend.browser()
    assert browser.get(f"/host/login?key={backend.settings.key}").headers["location"] == "/host"
    assert backend.browser().get(f"/host/login?key={backend.settings.key}").headers["location"] == "/host"


def test_every_page_of_the_host_is_drawn(backend: FakeBackend) -> None:
    browser, token = logged_in(backend)
    for known in ((), (OPEN, SEATS)):
        backend.take(*known)
        for path in (
            *("/host", "/host?table=1", "/host?panel=people", "/host/health", "/host/prepare"),
            "/host/results",
            *("/host/prepare?panel=rules", "/host/prepare?panel=money", "/host/prepare?panel=seats"),
            *("/host/log", "/host/evenings", "/host/codes", "/host/print/seats", "/host/print/cards"),
        ):
            answer = browser.get(path)
            assert (path, answer.status_code) == (path, 200)
            assert token in answer.text or "print" in path or "csrf" not in answer.text


def test_an_evening_is_prepared_and_opened_from_the_page(backend: FakeBackend) -> None:
    browser, token = logged_in(backend)
    names = "Ann\nBob\nCat\nDee 19:30\n"
    answer = browser.post("/host/prepare", data={"csrf": token, "names": names, "do": "rules"})
    assert answer.headers["location"] == "/host/prepare?panel=rules"
    browser.post("/host/prepare", data={"csrf": token, "rules": "gong", "each": "5"})
    browser.post("/host/prepare", data={"csrf": token, "do": "open", "back": "/host/prepare?panel=seats"})
    opened, drawn = backend.commands
    assert (opened.command, drawn.command) == ("evening_open", "seats_draw")
    assert opened.args["players"] == ["Ann", "Bob", "Cat", "Dee"]
    assert (opened.args["rules"], opened.args["pot"]) == ("gong", "20.00")
    assert "19:30" in browser.get("/host/prepare").text


def test_tables_that_move_in_groups_are_chosen_with_the_rules(backend: FakeBackend) -> None:
    browser, token = logged_in(backend)
    names = [f"Guest {n}" for n in range(18)]
    browser.post("/host/prepare", data={"csrf": token, "names": "\n".join(names), "rules": "gong"})
    page = "/host/prepare?panel=rules&page=2"
    assert '<option value="3"' not in browser.get(page).text.split('name="groups"')[1].split("</select>")[0]
    browser.post("/host/prepare", data={"csrf": token, "groups": "2"})
    assert '<option value="2" selected>2 groups</option>' in browser.get(page).text
    browser.post("/host/prepare", data={"csrf": token, "do": "open"})
    assert backend.commands[0].args["groups"] == [[1, 2], [3, 4, 5]]
    browser.post("/host/prepare", data={"csrf": token, "rules": "tournament"})
    assert 'name="groups"' not in browser.get(page).text
    assert "groups" not in open_args(Draft(names=tuple(names), rules="tournament", groups=2), 1)


@given(st.integers(4, 400), st.integers(1, 200))
def test_groups_have_every_table_once_and_two_tables_at_least(people: int, groups: int) -> None:
    names = tuple(f"Guest {n}" for n in range(people))
    found = groups_of(Draft(names=names, rules="gong", groups=groups))
    if found is None:
        assert groups == 1 or people <= 12
        return
    assert opening(preset("gong"), names, tuple(map(tuple, found))).groups is not None
    sizes = {len(tables) for tables in found}
    assert min(sizes) >= 2
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("letter", ["a", "ж", "名", "𠀀"])
def test_a_list_of_1500_long_names_is_saved_again_and_opened(backend: FakeBackend, letter: str) -> None:
    browser, token = logged_in(backend)
    names = [f"{n:04} {letter * 35}" for n in range(1500)]
    typed = "\r\n".join(names)
    for before in ("", typed):
        form = {"csrf": token, "names": typed, "before": before, "do": "rules"}
        assert browser.post("/host/prepare", data=form).status_code == 303
    assert browser.get("/host/prepare").text.count(names[-1]) == 2
    browser.post("/host/prepare", data={"csrf": token, "do": "open"})
    assert backend.commands[0].args["players"] == names


def test_more_names_than_an_evening_can_have_are_kept_and_told(backend: FakeBackend) -> None:
    browser, token = logged_in(backend)
    typed = "\n".join(f"Guest {n}" for n in range(1501))
    browser.post("/host/prepare", data={"csrf": token, "names": typed, "do": "people"})
    shown = browser.get("/host/prepare").text
    assert "Guest 1500" in shown
    assert 'pad why"' in shown
    assert "more names than an evening can have: 1500 " in shown
    opened = browser.post("/host/prepare", data={"csrf": token, "do": "open"})
    assert opened.headers["location"] == "/host/prepare?panel=people"
    assert backend.commands == []


def test_a_form_without_end_is_answered_with_a_sentence_and_changes_nothing(backend: FakeBackend) -> None:
    browser, token = logged_in(backend)
    browser.post("/host/prepare", data={"csrf": token, "names": "Ann"})
    answer = browser.post("/host/prepare", data={"csrf": token, "names": "x" * 3_000_000})
    assert answer.status_code == 413
    assert "This form holds more than is taken" in answer.text
    assert ">Ann</textarea>" in browser.get("/host/prepare").text
    far = backend.browser().post("/me", data={"name": "x" * 5000}, headers={"accept-language": "de"})
    assert "mehr, als angenommen wird" in far.text


def test_the_host_is_told_when_nearly_all_streams_are_taken(
    backend: FakeBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser, _ = logged_in(backend)
    assert "pages are open at once" not in browser.get("/host/health").text.split("</p>", 1)[1]
    monkeypatch.setattr(page_state, "MANY", 0)
    backend.changes.changed()
    assert "0 of at most 2000 pages are open at once; 0 times" in browser.get("/host/health").text


def test_the_host_is_told_that_devices_find_no_room(backend: FakeBackend) -> None:
    browser, _ = logged_in(backend)
    backend.browsers.most, backend.browsers.refused = 0, 3
    assert "0 of at most 2000 pages are open at once; 3 times" in browser.get("/host/health").text


def test_an_evening_is_kept_when_a_round_of_it_is_over_and_not_in_between(backend: FakeBackend) -> None:
    night = opened(12).throws(9)
    archive, folded = EveningArchive(backend.archive), backend.controller.folded
    backend.take(*night.log)

    async def kept() -> None:
        archive.look(folded, 0.0)
        await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}))

    asyncio.run(kept())
    told = len(night.log)
    backend.take(*night.ring().finish().log[told:])
    over = len(night.log)
    asyncio.run(kept())
    backend.take(*night.begin().log[over:])
    asyncio.run(kept())
    backend.archive.close()
    (past,) = backend.archive.evenings()
    assert (past.id, past.rounds) == (night.evening.id, 1)
    assert backend.archive.log(past.id) == jsonl(night.log[:over])


def test_past_evenings_are_looked_at_and_taken_home(backend: FakeBackend) -> None:
    browser, _ = logged_in(backend)
    backend.take(OPEN, SEATS)
    backend.archive.archive(EveningSummary("old1", 0.0, "", "gong", ("Ann",), 0, ()), jsonl([OPEN, SEATS]))
    backend.archive.close()
    assert "old1" in browser.get("/host/evenings").text
    assert browser.get("/host/results?evening=old1").status_code == 200
    log = browser.get("/host/log.jsonl?evening=old1")
    assert log.content == jsonl([OPEN, SEATS])
    assert re.search(r'filename="bunco-19\d\d-\d\d-\d\d.jsonl"', log.headers["content-disposition"])
    assert browser.get("/host/results?evening=other").status_code == 404
    assert backend.browser().get("/host/log.jsonl").headers["location"] == "/host/login"


def test_a_word_stands_before_the_warning_that_a_browser_gives_once(tmp_path: Path) -> None:
    backend = FakeBackend(tmp_path)
    backend.start_with(places=TLS, vouched=False)
    browser = backend.browser("http://192.168.4.1:8080", FAR)
    page = browser.get("/host", headers={"host": "bunco"})
    assert page.status_code == 200
    assert 'href="https://bunco:8443/host"' in page.text
    assert browser.get("/host", headers={"host": "bunco"}).headers["location"] == "https://bunco:8443/host"
    backend.archive.close()


def test_the_people_of_a_past_evening_are_put_on_the_list(tmp_path: Path) -> None:
    before = FakeBackend(tmp_path)
    before.archive.archive(EveningSummary("old1", 0.0, "", "gong", ("Ann", "Bob"), 0, ()), b"")
    before.archive.close()
    before.guests.close()
    for backend in backends(tmp_path):
        browser, token = logged_in(backend)
        browser.post("/host/prepare", data={"csrf": token, "names": "Ann", "do": "count"})
        browser.post("/host/prepare", data={"csrf": token, "people_of": "old1"})
        assert ">Ann\nBob</textarea>" in browser.get("/host/prepare").text
        assert [one.name for one in backend.guests.people.values()] == ["Ann", "Bob"]


@pytest.mark.parametrize("rules", ["classic", "gong", "bonko", "mybunco"])
@pytest.mark.parametrize("team", ["none", "table"])
def test_who_plays_together_is_chosen_with_what_goes_with_it(rules: str, team: str) -> None:
    draft = changed(changed(Draft(), {"rules": rules}), {"set.team": team})
    chosen = rule_set(draft)
    assert chosen.team == team
    if team == "none":
        assert (chosen.move.tables, chosen.tie.method) == ("chain", "one_roll")
    assert rule_set(changed(draft, {"set.team": "pairs"})).team == "pairs"
