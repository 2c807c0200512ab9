"""A request that no page of the hall makes is refused before a page sees it."""

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from pi_bunco.web.site.guard import MAX_BODY_BYTES, MOST_OF_HOST_BYTES, Guard, TooLarge, allow_host


async def echo(request: Request) -> PlainTextResponse:
    return PlainTextResponse(str(len(await request.body())))


async def of_host(request: Request) -> PlainTextResponse:
    allow_host(request)
    return await echo(request)


async def too_large(_request: Request, _error: Exception) -> PlainTextResponse:
    return PlainTextResponse("too large", 413)


def client(**more: object) -> TestClient:
    app = Starlette(
        routes=[Route("/", echo, methods=["GET", "POST"]), Route("/host", of_host, methods=["POST"])],
        exception_handlers={TooLarge: too_large},
    )
    return TestClient(Guard(app, ["Bunco", "bunco.local"]), base_url="http://127.0.0.1:8080", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:8080", "BUNCO:8080", "bunco.local", "[::1]:8080"])
def test_the_names_and_addresses_of_the_hall_are_answered(host: str) -> None:
    assert client().get("/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "bunco.local.evil.example", "127.0.0.1.evil.example", "[", "192.168.4.1", ""]
)
def test_another_host_is_refused(host: str) -> None:
    answer = client().get("/", headers={"host": host})
    assert answer.status_code == 421
    assert "script-src 'self'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_another_site_may_look_at_nothing_and_press_nothing(headers: dict[str, str]) -> None:
    assert client().post("/", headers=headers).status_code == 403
    assert "access-control-allow-origin" not in client().get("/", headers=headers).headers


def test_a_form_of_our_own_is_taken() -> None:
    ours = {"origin": "http://127.0.0.1:8080", "sec-fetch-site": "same-origin"}
    assert client().post("/", headers=ours, content=b"x").text == "1"


def test_a_huge_body_is_refused_whether_it_says_so_or_not() -> None:
    assert client().post("/", content=b"x" * (MAX_BODY_BYTES + 1)).status_code == 413
    assert client().post("/", content=(b"x" * 1000 for _ in range(MAX_BODY_BYTES))).status_code == 413
    assert client().post("/", content=(b"x" for _ in range(MAX_BODY_BYTES))).text == str(MAX_BODY_BYTES)
    assert client().post("/", headers={"content-length": "9" * 30}).status_code == 413


def test_a_host_may_send_more_but_not_without_end() -> None:
    assert client().post("/host", content=b"x" * MOST_OF_HOST_BYTES).text == str(MOST_OF_HOST_BYTES)
    assert client().post("/host", content=b"x" * (MOST_OF_HOST_BYTES + 1)).status_code == 413
