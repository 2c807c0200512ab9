"""Pi and head between them: what an honest run shows, and what anybody in between cannot have."""

import base64
import hashlib
from collections.abc import Callable
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pi_bunco.enrol import protocol
from pi_bunco.enrol.desk import FORGOTTEN_AFTER_MS, MAX_HELLOS_PER_HOUR, Desk
from pi_bunco.enrol.protocol import (
    Attempt,
    Joined,
    JoinHello,
    JoinQuestion,
    JoinRequest,
    Offer,
    Reply,
    TurnedDown,
    Undecided,
    commitment,
    draw_attempt,
    shown,
)

CA = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
SEEDS = st.integers(0, 2**64)


def drawn(seed: int) -> Callable[[int], bytes]:
    return Random(seed).randbytes


def desk(seed: int = 1, hall: str = "home", ca: str | None = CA) -> Desk:
    return Desk(hall, ca, drawn(seed))


def asked(at: Desk, question: JoinQuestion, now: float = 0.0) -> Reply:
    return protocol.reply(protocol.encoded(at.answer(protocol.encoded(question), now)))


def offered(at: Desk, attempt: Attempt, now: float = 0.0) -> Offer:
    offer = asked(at, attempt.hello("Raspberry Pi 4"), now)
    assert isinstance(offer, Offer)
    return offer


def turned_down(answer: Reply) -> TurnedDown:
    assert isinstance(answer, TurnedDown)
    return answer


def test_there_are_2048_words_that_four_letters_tell_apart() -> None:
    assert len({word[:4] for word in protocol.listed()}) == len(protocol.listed()) == 2**protocol.WORD_BITS
    assert protocol.two_words(b"\0" * 32) == ("abandon", "abandon")
    assert protocol.two_words(b"\xff" * 32) == ("zoo", "zoo")


@given(st.binary(min_size=32, max_size=32))
def test_a_light_blinks_so_that_it_can_be_counted(digest: bytes) -> None:
    groups = protocol.blinks(digest)
    assert len(groups) == protocol.BLINK_GROUPS
    assert set(groups) <= set(range(1, protocol.MOST_BLINKS + 1))


@given(SEEDS, SEEDS, st.integers(1, 800))
def test_head_and_pi_show_the_same_words_and_the_pi_learns_its_table(pi: int, head: int, table: int) -> None:
    at, attempt = desk(head), draw_attempt(drawn(pi))
    offer = offered(at, attempt)
    assert asked(at, attempt.request()) == Undecided()
    (waiting,) = at.now(0.0).asking
    assert (waiting.words, waiting.blinks) == shown(offer, attempt.request())
    assert waiting.request == attempt.request()
    at.take_in(waiting, table, "usb", 0.0)
    assert asked(at, attempt.request()) == Joined(table, "usb")
    assert at.now(0.0).asking == ()


@given(SEEDS, SEEDS)
def test_the_password_never_travels(pi: int, head: int) -> None:
    at, attempt = desk(head), draw_attempt(drawn(pi))
    offer = offered(at, attempt)
    said = b"".join(protocol.encoded(one) for one in (attempt.hello(), offer, attempt.request(), Joined(3)))
    assert attempt.password.encode() not in said
    assert attempt.password not in repr(attempt)


@given(SEEDS, st.sampled_from(["hall", "ca", "nonce", "password_hash", "pi"]))
def test_any_changed_byte_changes_the_words(seed: int, field: str) -> None:
    one, other = draw_attempt(drawn(seed)), draw_attempt(drawn(seed + 1))
    offer, request = Offer("home", CA, drawn(seed + 2)(32).hex()), one.request()
    changed_offer, changed_request = {
        "hall": (replace(offer, hall="hom"), request),
        "ca": (replace(offer, ca=CA + "\n"), request),
        "nonce": (replace(offer, nonce=drawn(seed + 3)(32).hex()), request),
        "password_hash": (offer, replace(request, password_hash=other.password_hash)),
        "pi": (offer, replace(request, nonce=other.nonce)),
    }[field]
    assert shown(offer, request) != shown(changed_offer, changed_request)


def test_parts_that_run_into_each_other_are_not_the_same() -> None:
    offer = Offer("ab", "c", "0" * 64)
    request = draw_attempt(drawn(1)).request()
    assert shown(offer, request) != shown(replace(offer, hall="a", ca="bc"), request)


@given(SEEDS)
def test_commitment_fixes_the_request_before_the_heads_nonce(seed: int) -> None:
    at, attempt = desk(seed), draw_attempt(drawn(seed))
    offered(at, attempt)
    other = draw_attempt(drawn(seed + 1))
    for late in (
        other.request(),
        replace(attempt.request(), nonce=other.nonce),
        replace(attempt.request(), password_hash=other.password_hash),
    ):
        assert "forgotten this request" in turned_down(asked(at, late)).why
    assert at.now(0.0).asking == ()


def test_the_head_draws_its_nonce_anew_for_each_and_after_the_commitment() -> None:
    at = desk()
    nonces = {offered(at, draw_attempt(drawn(seed))).nonce for seed in range(20)}
    assert len(nonces) == 20


def test_a_commitment_that_was_heard_is_not_answered_again() -> None:
    at, attempt = desk(), draw_attempt(drawn(1))
    offered(at, attempt)
    again = turned_down(asked(at, attempt.hello(), 100_000.0))  # although its Pi has gone
    assert "asked before" in again.why
    assert again.again


def test_a_request_that_was_copied_is_refused_and_its_owner_goes_on() -> None:
    at, attempt = desk(), draw_attempt(drawn(1))
    offered(at, attempt)
    asked(at, attempt.request())
    copy = JoinRequest(attempt.password_hash, "ab" * 32)
    assert isinstance(asked(at, JoinHello(commitment(copy))), Offer)
    assert "same password" in turned_down(asked(at, copy)).why
    assert asked(at, attempt.request()) == Undecided()
    assert [pi.request for pi in at.now(0.0).asking] == [attempt.request()]


def test_commitment_alone_gets_no_answer() -> None:
    at, attempt = desk(), draw_attempt(drawn(1))
    offered(at, attempt)
    asked(at, attempt.request())
    at.take_in(at.now(0.0).asking[0], 3, "gpio", 0.0)
    strange = JoinRequest(draw_attempt(drawn(2)).password_hash, attempt.nonce)
    assert isinstance(asked(at, strange), TurnedDown)


def test_two_heads_show_different_words() -> None:
    """And another certificate under the same name is another head."""
    attempt = draw_attempt(drawn(1))
    heads = (desk(1), desk(2, "attic"), desk(1, ca=CA.replace("B", "C")))
    assert len({shown(offered(at, attempt), attempt.request()) for at in heads}) == 3


def test_the_tap_answers_one_request_and_no_other() -> None:
    at = desk()
    attempts = [draw_attempt(drawn(seed)) for seed in range(3)]
    for attempt in attempts:
        offered(at, attempt)
        asked(at, attempt.request())
    second = next(pi for pi in at.now(0.0).asking if pi.request == attempts[1].request())
    at.take_in(second, 7, "gpio", 0.0)
    assert [asked(at, one.request()) for one in attempts] == [Undecided(), Joined(7), Undecided()]


def test_a_pi_that_restarts_asks_with_another_password_and_its_old_request_goes() -> None:
    at, before, after = desk(), draw_attempt(drawn(1)), draw_attempt(drawn(2))
    for attempt, now in ((before, 0.0), (after, 5_000.0)):
        offered(at, attempt, now)
        asked(at, attempt.request(), now)
    assert before.password_hash != after.password_hash
    assert len(at.now(5_000.0).asking) == 2
    assert [pi.request for pi in at.now(FORGOTTEN_AFTER_MS).asking] == [after.request()]


def test_a_pi_that_asks_on_is_not_forgotten_and_one_that_was_away_begins_anew() -> None:
    at, attempt = desk(), draw_attempt(drawn(1))
    offered(at, attempt)
    for now in range(0, 200_000, 20_000):
        assert asked(at, attempt.request(), now) == Undecided()
    away = turned_down(asked(at, attempt.request(), 180_000 + FORGOTTEN_AFTER_MS))
    assert "asks anew" in away.why
    assert away.again


def test_a_stranger_waits_and_learns_no_more_than_what_everybody_may_know() -> None:
    at, attempt = desk(), draw_attempt(drawn(1))
    offer = offered(at, attempt)
    assert msgspec.to_builtins(offer).keys() == {"kind", "hall", "ca", "nonce"}
    for now in range(0, 3_600_000, 20_000):
        assert asked(at, attempt.request(), now) == Undecided()


def test_a_pi_that_was_sent_away_does_not_ask_again() -> None:
    at, attempt = desk(), draw_attempt(drawn(1))
    offered(at, attempt)
    asked(at, attempt.request())
    at.send_away(attempt.hello().commitment)
    assert at.now(0.0).asking == ()
    answer = turned_down(asked(at, attempt.request()))
    assert not answer.again
    assert "sent the Pi away" in answer.why
    at.send_away("of one who has gone")


def test_only_so_many_ask_within_an_hour() -> None:
    at = desk()
    for seed in range(MAX_HELLOS_PER_HOUR):
        offered(at, draw_attempt(drawn(seed)), seed * 1000.0)
    late = draw_attempt(drawn(1000)).hello()
    assert at.now(100_000.0).full
    assert "64 Pis have asked" in turned_down(asked(at, late, 100_000.0)).why
    assert isinstance(asked(at, late, 3_600_000.0), Offer)


def test_the_chance_of_somebody_in_between_is_below_one_in_a_thousand_in_an_hour() -> None:
    """Requests that the head answers, times words that the Pi shows, by the kinds of words there are."""
    attempts, at_s = 0, 0.0
    while at_s < 3600:
        at_s += protocol.retry_after_s(attempts)
        attempts += 1
    assert attempts == 17
    assert MAX_HELLOS_PER_HOUR * attempts / 2 ** (2 * protocol.WORD_BITS) < 1 / 3_500
    assert MAX_HELLOS_PER_HOUR * attempts / protocol.MOST_BLINKS**protocol.BLINK_GROUPS < 1 / 1_400


@pytest.mark.parametrize("version", [0, 2, 99])
def test_another_version_is_told_in_a_sentence_that_every_version_reads(version: int) -> None:
    hello = replace(draw_attempt(drawn(1)).hello(), version=version)
    why = turned_down(asked(desk(), hello)).why
    assert f"version {version}" in why
    assert "version 1" in why


def test_a_later_version_may_say_what_this_one_does_not_know() -> None:
    data = msgspec.json.encode({"kind": "later", "version": 2, "more": [1]})
    assert "version 2" in turned_down(desk().answer(data, 0.0)).why


def test_a_head_that_is_no_pi_says_so() -> None:
    answer = turned_down(asked(desk(ca=None), draw_attempt(drawn(1)).hello()))
    assert "takes no Pis in" in answer.why
    assert not answer.again


@given(
    st.binary(max_size=200) | st.dictionaries(st.text(), st.text() | st.integers()).map(msgspec.json.encode)
)
def test_any_bytes_are_turned_down_with_an_answer(data: bytes) -> None:
    assert isinstance(desk().answer(data, 0.0), TurnedDown)


@pytest.mark.parametrize(
    "text", ["", "x", "$7$101$AAAA$BBBB", "$7$101$" + "A" * 16 + "$" + "B" * 86 + "==\nhead:x", "$7$1$"]
)
def test_malformed_password_hash_is_refused(text: str) -> None:
    assert not protocol.is_password_hash(text)
    data = msgspec.json.encode({"kind": "request", "version": 1, "nonce": "0" * 64, "password_hash": text})
    assert "does not understand" in turned_down(desk().answer(data, 0.0)).why


def test_the_hash_is_the_one_that_the_broker_reckons() -> None:
    attempt = draw_attempt(drawn(1))
    _, kind, rounds, salt, digest = attempt.password_hash.split("$")
    assert kind == "7"
    made = hashlib.pbkdf2_hmac("sha512", attempt.password.encode(), base64.b64decode(salt), int(rounds))
    assert base64.b64encode(made).decode() == digest
    assert protocol.is_password_hash(attempt.password_hash)
