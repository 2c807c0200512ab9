"""Who gets to the host's pages, and what a form of theirs does."""

import pytest
from starlette.testclient import TestClient

from web.backends import HERE, OPEN, PIN, SEATS, FakeBackend

FAR = ("192.168.4.20", 40000)


def logged_in(backend: FakeBackend) -> tuple[TestClient, str]:
    """A browser with a session, and the token of its forms."""
    browser = backend.browser()
    answer = browser.post("/host/login", data={"pin": PIN, "next": "/host/health"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/host/health")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    return browser, csrf(browser, backend)


def csrf(browser: TestClient, backend: FakeBackend) -> str:
    from pi_bunco.web.login import Login

    return Login(PIN).csrf(browser.cookies["bunco_host"])


def test_nobody_sees_the_hosts_pages_without_the_pin(backend: FakeBackend) -> None:
    browser = backend.browser()
    for path in ("/host", "/host/health", "/host/log", "/host/stream", "/host/print/results"):
        answer = browser.get(path)
        assert answer.status_code == 303
        assert answer.headers["location"].startswith("/host/login")
    for path in ("/host/command", "/host/setting", "/host/logout"):
        assert browser.post(path, data={"command": "round_start"}).headers["location"] == "/host/login"
    assert backend.commands == []


def test_a_form_gives_the_command_and_its_answer_is_there(backend: FakeBackend) -> None:
    browser, token = logged_in(backend)
    form = {"csrf": token, "command": "undo", "args": '{"table":2,"n":812}', "back": "/host?table=2"}
    answer = browser.post("/host/command", data=form)
    assert (answer.status_code, answer.headers["location"]) == (303, "/host?table=2")
    assert (backend.commands[0].command, backend.commands[0].args) == ("undo", {"table": 2, "n": 812})
    backend.answer = (False, ("Table 2 has rolled again since.",))
    said = browser.post("/host/command", data=form, headers={"accept": "application/json"}).json()
    assert said == {"done": False, "command": "undo", "why": ["Table 2 has rolled again since."]}


def test_a_command_needs_the_token_of_its_session(backend: FakeBackend) -> None:
    browser, token = logged_in(backend)
    other, _ = logged_in(backend)
    form = {"command": "round_end"}
    assert browser.post("/host/command", data=form).status_code == 403
    assert browser.post("/host/command", data=form | {"csrf": "x"}).status_code == 403
    assert other.post("/host/command", data=form | {"csrf": token}).status_code == 403
    assert (
        browser.post(
            "/host/command", data=form | {"csrf": token}, headers={"origin": "http://evil.example"}
        ).status_code
        == 403
    )
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
    backend.tls_port = 8443
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
    [
        "/nothing",
        "/static/x/../../pyproject.toml",
        "/static/x/%2e%2e/%2e%2e/models.py",
        "/table/0",
        "/table/x",
    ],
)
def test_what_is_no_page_is_not_found(backend: FakeBackend, path: str) -> None:
    backend.take(OPEN, SEATS)
    assert backend.browser().get(path).status_code == 404
