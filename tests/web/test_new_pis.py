"""Pis ask at `/join`; the host sees two words and taps, and only what the authority signed counts."""

import re
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import cast

import msgspec
import pytest

from pi_bunco.devices.protocols import Button, Press
from pi_bunco.enrol import protocol
from pi_bunco.enrol.keys import JoiningPanel
from pi_bunco.enrol.protocol import (
    OPENED_AFTER_MS,
    Attempt,
    Joined,
    JoinQuestion,
    Offer,
    Reply,
    Signature,
    SignRequest,
    TurnedDown,
    Undecided,
    draw_attempt,
)
from pi_bunco.enrol.reasons import MadeOnLaptop
from pi_bunco.web.site.joining import JoiningPis
from web.backends import FakeBackend
from web.test_host_pages import logged_in

CA = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"


class Authority:
    """Signs, or does not."""

    def __init__(self, place: Path) -> None:
        self.asked: list[SignRequest] = []
        self.answer: Callable[[SignRequest], bytes] = lambda _: msgspec.json.encode(Signature(CA))
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(place))
        self._socket.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                link, _ = self._socket.accept()
            except OSError:
                return
            with link, link.makefile("rwb") as stream:
                request = msgspec.json.decode(stream.readline(), type=SignRequest)
                self.asked.append(request)
                stream.write(self.answer(request) + b"\n")

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


@pytest.fixture
def authority(backend: FakeBackend, tmp_path: Path) -> Iterator[Authority]:
    found = Authority(tmp_path / "authority")
    backend.pis = JoiningPis("home", tmp_path / "authority", backend.clock, Random(1).randbytes)
    yield found
    found.close()


def asked(backend: FakeBackend, question: JoinQuestion) -> Reply:
    answer = backend.browser().post("/join", content=protocol.encoded(question))
    assert answer.status_code == 200
    return protocol.reply(answer.content)


def asking(backend: FakeBackend, seed: int = 1) -> tuple[Attempt, str]:
    """A Pi that waits, and its words."""
    attempt = draw_attempt(Random(seed).randbytes)
    offer = asked(backend, attempt.hello("Raspberry Pi 4 <b>"))
    assert isinstance(offer, Offer)
    assert asked(backend, attempt.request()) == Undecided()
    return attempt, " ".join(protocol.shown(offer, attempt.request())[0])


def test_the_host_sees_the_words_and_one_tap_signs_that_request(
    backend: FakeBackend, authority: Authority
) -> None:
    attempt, words = asking(backend)
    browser, token = logged_in(backend)
    assert "A new Pi: which table?" in browser.get("/host").text
    page = browser.get("/host/pis").text
    assert words in page
    assert "<b>" not in page.partition("It says that it is")[2].partition("</p>")[0]
    id = attempt.hello().commitment
    assert f'value="{id}"' in page
    browser.post("/host/pis", data={"csrf": token, "id": id, "table": "3", "plays": "usb"})
    assert authority.asked == [SignRequest(), SignRequest(3, attempt.password_hash)]
    assert asked(backend, attempt.request()) == Joined(3, "usb")
    assert "Table 3 has its Pi" in browser.get("/host/pis").text


def test_nobody_is_taken_in_by_who_is_no_host(backend: FakeBackend, authority: Authority) -> None:
    attempt, _ = asking(backend)
    tap = {"id": attempt.hello().commitment, "table": "3", "plays": "gpio"}
    assert backend.browser().post("/host/pis", data=tap).headers["location"] == "/host/login"
    browser, _ = logged_in(backend)
    assert browser.post("/host/pis", data=tap | {"csrf": "x"}).status_code == 403
    assert authority.asked == [SignRequest()]
    assert asked(backend, attempt.request()) == Undecided()


@pytest.mark.parametrize("table", ["0", "801", "x", "²", "-1", ""])
def test_join_of_an_unknown_table_does_nothing(
    backend: FakeBackend, authority: Authority, table: str
) -> None:
    attempt, _ = asking(backend)
    browser, token = logged_in(backend)
    form = {"csrf": token, "id": attempt.hello().commitment, "table": table, "plays": "gpio"}
    browser.post("/host/pis", data=form)
    assert authority.asked == [SignRequest()]


def test_a_table_that_a_phone_plays_is_not_given_to_a_pi(backend: FakeBackend, authority: Authority) -> None:
    attempt, _ = asking(backend)
    browser, token = logged_in(backend)
    assert 'name="table" value="1"' not in re.sub(r"\s+", " ", browser.get("/host/pis").text)
    form = {"csrf": token, "id": attempt.hello().commitment, "table": "1", "plays": "gpio"}
    browser.post("/host/pis", data=form)
    assert "Table 1 is played by a phone" in browser.get("/host/pis").text
    assert authority.asked == [SignRequest()]


def test_an_authority_that_refuses_or_is_silent_is_told_and_the_pi_waits_on(
    backend: FakeBackend, authority: Authority
) -> None:
    attempt, words = asking(backend)
    browser, token = logged_in(backend)
    form = {"csrf": token, "id": attempt.hello().commitment, "table": "3", "plays": "gpio"}
    for answer, sentence in (
        (msgspec.json.encode(Signature(CA, "The card is full.")), "The card is full."),
        (b"", "pi-bunco-authority does not answer"),
    ):
        authority.answer = lambda _, answer=answer: answer  # type: ignore[misc]
        browser.post("/host/pis", data=form)
        page = browser.get("/host/pis").text
        assert sentence in page
        assert words in page
        assert asked(backend, attempt.request()) == Undecided()


def test_while_the_authority_is_silent_a_pi_is_told_to_ask_again(
    backend: FakeBackend, authority: Authority
) -> None:
    authority.answer = lambda _: b""
    hello = draw_attempt(Random(1).randbytes).hello()
    answer = asked(backend, hello)
    assert isinstance(answer, TurnedDown)
    assert answer.again
    authority.answer = lambda _: msgspec.json.encode(Signature(CA))
    assert isinstance(asked(backend, hello), Offer)


def test_a_head_that_is_no_pi_takes_none_in(backend: FakeBackend) -> None:
    answer = asked(backend, draw_attempt(Random(1).randbytes).hello())
    assert isinstance(answer, TurnedDown)
    assert "takes no Pis in" in answer.why


def test_a_pi_that_is_not_ours_is_sent_away(backend: FakeBackend, authority: Authority) -> None:
    attempt, words = asking(backend)
    browser, token = logged_in(backend)
    browser.post("/host/pis", data={"csrf": token, "id": attempt.hello().commitment, "away": "1"})
    assert words not in browser.get("/host/pis").text
    assert isinstance(asked(backend, attempt.request()), TurnedDown)


def test_a_pi_without_a_screen_is_taken_in_by_keys_at_its_panel_and_a_tap(
    backend: FakeBackend, authority: Authority
) -> None:
    attempt = draw_attempt(Random(1).randbytes)
    offer = asked(backend, attempt.hello())
    assert isinstance(offer, Offer)
    panel = JoiningPanel(Random(2).randbytes, backend.clock.now)
    assert asked(backend, panel.completed(offer, attempt.request())) == Undecided()
    browser, token = logged_in(backend)
    form = {"csrf": token, "id": attempt.hello().commitment}
    browser.post("/host/pis", data=form | {"keys": "1"})
    page = browser.get("/host/pis").text
    found = re.search(r"([A-Z]+(?:, [A-Z]+){4}), OK", page)
    assert found
    assert "Press these at its panel now" in page
    browser.post("/host/pis", data=form | {"table": "3", "plays": "usb"})
    assert "That Pi waits for keys at its panel" in browser.get("/host/pis").text
    for key in (*found[1].lower().split(", "), "ok"):
        panel.put(Press(cast("Button", key), backend.clock.now(), 60))
    asked(backend, panel.completed(offer, attempt.request()))
    assert "Keys were pressed." in browser.get("/host/pis").text
    for _ in range(2):  # a Pi that says nothing for half a minute has gone
        backend.clock.advance(OPENED_AFTER_MS / 2)
        asked(backend, panel.completed(offer, attempt.request()))
    assert "These keys were pressed at this Pi." in browser.get("/host/pis").text
    assert authority.asked == [SignRequest()]  # nobody is taken in by keys alone
    browser.post("/host/pis", data=form | {"table": "3", "plays": "usb"})
    assert authority.asked[1:] == [SignRequest(3, attempt.password_hash)]
    assert asked(backend, attempt.request()) == Joined(3, "usb")


def test_keys_that_do_not_come_are_said_and_a_pi_that_has_gone_is_not_waited_for(
    backend: FakeBackend, authority: Authority
) -> None:
    attempt, words = asking(backend)
    browser, token = logged_in(backend)
    form = {"csrf": token, "keys": "1"}
    browser.post("/host/pis", data=form | {"id": attempt.hello().commitment})
    assert words not in browser.get("/host/pis").text
    for _ in range(2):
        backend.clock.advance(16_000)
        asked(backend, attempt.request())
    page = browser.get("/host/pis").text
    assert "No keys were pressed at this Pi within half a minute." in page
    assert words in page
    browser.post("/host/pis", data=form | {"id": "0" * 64})
    assert "That Pi has gone" in browser.get("/host/pis").text


def test_a_copy_of_the_hall_is_for_a_host_and_comes_from_the_authority(
    backend: FakeBackend, authority: Authority
) -> None:
    authority.answer = lambda _: msgspec.json.encode(Signature(copy=b"sealed"))
    assert backend.browser().post("/host/pis/copy").headers["location"] == "/host/login"
    browser, token = logged_in(backend)
    assert browser.post("/host/pis/copy", data={"csrf": "x"}).status_code == 403
    assert authority.asked == []
    answer = browser.post("/host/pis/copy", data={"csrf": token})
    assert (answer.content, answer.headers["content-disposition"]) == (
        b"sealed",
        'attachment; filename="hall.copy"',
    )
    assert authority.asked == [SignRequest(copy=True)]
    authority.answer = lambda _: msgspec.json.encode(Signature.refused(MadeOnLaptop()))
    browser.post("/host/pis/copy", data={"csrf": token})
    assert "This hall was made on a laptop" in browser.get("/host/pis").text
    browser.post("/host/pis/copy", data={"csrf": token})
    german = browser.get("/host/pis", headers={"accept-language": "de"}).text
    assert "Dieser Saal wurde an einem Laptop" in german


def test_more_than_may_ask_are_told_to_the_host(backend: FakeBackend, authority: Authority) -> None:
    for seed in range(64):
        asked(backend, draw_attempt(Random(seed).randbytes).hello())
    browser, _ = logged_in(backend)
    assert "no more may" in browser.get("/host/pis").text
