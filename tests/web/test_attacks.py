"""Attacks on the pages over a real socket."""

import re

import httpx
import pytest

from pi_bunco.web.site.login import MAX_TRIES
from web.backends import OPEN, PIN, SEATS, START, FakeBackend
from web.served import answer, get

PATHS = (
    "/static/x/../../../pyproject.toml",
    "/static/x/..%2f..%2fapp.py",
    "/static/x/%2e%2e/%2e%2e/app.py",
    "/static/x//etc/passwd",
    "/static/x/fonts",
    "/..%2f..%2fetc%2fpasswd",
    "/host/print/..%2f..%2fresults",
    "/table/1%00/play",
    "/table/99999999999999999999/play",
)


@pytest.fixture(autouse=True)
def begun(backend: FakeBackend) -> None:
    """A round is open."""
    backend.take(OPEN, SEATS, START)


def browser(port: int, **more: str) -> httpx.Client:
    return httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=more, timeout=30)


def test_headers_that_claim_another_address_give_no_more_tries_of_a_pin(port: int) -> None:
    for n in range(MAX_TRIES):
        with browser(port, **{"x-forwarded-for": f"10.0.0.{n}", "x-real-ip": f"10.0.0.{n}"}) as liar:
            assert liar.post("/host/login", data={"pin": "000000"}).status_code == 403
    with browser(port, forwarded="for=10.0.0.99") as liar:
        assert "waits" in liar.post("/host/login", data={"pin": PIN}).text


def test_who_guesses_a_tables_code_waits_whatever_table_it_is(port: int, backend: FakeBackend) -> None:
    backend.phones[2] = backend.phones[1]
    with browser(port) as guesser:
        for n in range(MAX_TRIES):
            path = f"/table/{n % 2 + 1}/play"
            guess = {"code": f"00000{n}"}
            assert guesser.post(path, data=guess).headers["location"] == f"{path}?wrong=1"
        assert guesser.post("/table/1/play", data={"code": "123456"}).status_code == 403
        assert guesser.get("/table/2/play?code=123456").status_code == 403


def test_a_session_that_somebody_planted_is_none(port: int) -> None:
    with browser(port) as victim:
        victim.cookies.set("bunco_host", "planted", path="/host")
        begun = victim.post("/host/login", data={"pin": PIN})
        cookie = begun.headers["set-cookie"]
        assert "planted" not in cookie
        for flag in ("HttpOnly", "SameSite=strict", "Path=/host"):
            assert flag in cookie
    with browser(port) as thief:
        thief.cookies.set("bunco_host", "planted", path="/host")
        assert thief.get("/host").headers["location"].startswith("/host/login")


def test_a_phones_cookie_opens_its_own_table_alone(port: int, backend: FakeBackend) -> None:
    backend.phones[2] = backend.phones[1]
    code = backend.sources().codes.code("e1", 1).digits
    with browser(port) as phone:
        cookie = phone.post("/table/1/play", data={"code": code}).headers["set-cookie"]
        assert "Path=/table/1" in cookie
        value = re.search(r"bunco_table1=(\w+)", cookie)
        assert value is not None
    with browser(port, cookie=f"bunco_table2={value[1]}; bunco_table1={value[1]}") as thief:
        tap = {"mark_boot": "a", "mark_seq": "1", "tap": "bunco"}
        assert thief.post("/table/2/tap", data=tap).status_code == 403
    assert backend.phones[2].taps == []


def test_a_phone_is_there_for_as_long_as_its_page_is_open(port: int, backend: FakeBackend) -> None:
    there = backend.phone_link._looking
    with browser(port) as phone:
        assert phone.post("/table/1/play", data={"code": backend.code()}).status_code == 303
        with phone.stream("GET", "/table/1/play/stream") as stream:
            parts = stream.iter_bytes()  # one that nobody holds closes the connection
            assert any(b"event: page" in part for part in parts)
            assert there == {1: 1}
        while there:
            assert phone.get("/healthz").content


def test_no_path_leads_out(port: int) -> None:
    for path in PATHS:
        got = answer(port, get(path))
        assert got.split(b" ")[1] in (b"303", b"400", b"404"), path
        assert b"root:" not in got, path
        assert b"import" not in got, path


def test_names_are_text_wherever_they_come_from(port: int) -> None:
    hostile = "<script>alert(1)</script>" * 100
    with browser(port) as guest:
        guest.post("/me", data={"name": hostile})
        for path in ("/me", f"/?names={hostile}", f"/{hostile}", f"/me?tab={hostile}"):
            shown = guest.get(path, headers={"accept": "text/html"}).text
            assert "<script>alert" not in shown
            assert len(shown) < 20_000
