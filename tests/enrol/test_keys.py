"""Keys typed at a Pi without a screen: what an honest run says, and what anybody in between cannot."""

from collections.abc import Sequence
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pi_bunco.devices.protocols import Button, Press
from pi_bunco.enrol import protocol
from pi_bunco.enrol.desk import Desk, PiThatAsks
from pi_bunco.enrol.keys import LATE_ASK_MS, JoiningPanel, ShownKeys, drawn_keys
from pi_bunco.enrol.protocol import (
    ANY_KEY,
    KEY_COUNT,
    KEYS_WITHIN_MS,
    OPENED_AFTER_MS,
    Attempt,
    Offer,
    PanelKey,
    TypedKeys,
    Undecided,
    draw_attempt,
    keys_commitment,
)

CA = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
TAPPED_AT = 10_000.0
WRONG: tuple[PanelKey, ...] = ("one", "one", "one", "one", "one")


class World:
    """A head and Pis that ask it, in virtual time."""

    def __init__(self, seed: int = 1) -> None:
        self.now = 0.0
        self.desk = Desk("home", CA, Random(seed).randbytes)

    def pi(self, seed: int) -> "Pi":
        return Pi(self, seed)

    def shown(self, pi: "Pi") -> PiThatAsks:
        return next(one for one in self.desk.now(self.now).asking if one.id == pi.attempt.hello().commitment)

    def tap(self, pi: "Pi") -> tuple[PanelKey, ...]:
        """The host says that this one has no screen; the keys of the page."""
        self.desk.ask_for_keys(self.shown(pi), self.now)
        return self.asked(pi).keys

    def asked(self, pi: "Pi") -> ShownKeys:
        keys = self.shown(pi).keys
        assert keys
        return keys

    def until(self, end: float, *pis: "Pi") -> None:
        while self.now < end:
            self.now += 2_000.0
            for pi in pis:
                assert pi.ask() == Undecided()


class Pi:
    """A Pi with a panel."""

    def __init__(self, world: World, seed: int) -> None:
        self.world, self.attempt = world, draw_attempt(Random(seed).randbytes)
        self.panel = JoiningPanel(Random(seed + 1000).randbytes, lambda: world.now)
        answer = world.desk.answer(protocol.encoded(self.attempt.hello()), world.now)
        assert isinstance(answer, Offer)
        self.offer = answer
        self.ask()

    def question(self) -> protocol.JoinRequest:
        return self.panel.completed(self.offer, self.attempt.request())

    def ask(self, request: protocol.JoinRequest | None = None) -> protocol.Reply:
        return self.world.desk.answer(protocol.encoded(request or self.question()), self.world.now)

    def type(self, keys: Sequence[Button]) -> None:
        for key in (*keys, "ok"):
            self.panel.put(Press(key, self.world.now, 60))


@pytest.fixture
def world() -> World:
    found = World()
    found.now = TAPPED_AT
    return found


def test_the_keys_of_the_page_are_right_at_that_pi_half_a_minute_later(world: World) -> None:
    pi = world.pi(1)
    keys = world.tap(pi)
    world.until(TAPPED_AT + 8_000, pi)
    pi.type(keys)
    pi.ask()
    assert world.asked(pi).state == "typed"
    world.until(TAPPED_AT + 8_000 + OPENED_AFTER_MS - 2_000, pi)
    assert world.asked(pi).state == "typed"
    world.until(TAPPED_AT + 8_000 + OPENED_AFTER_MS, pi)
    assert world.asked(pi).state == "right"


def test_other_keys_are_wrong_and_the_next_try_has_keys_of_its_own(world: World) -> None:
    pi = world.pi(1)
    before = world.tap(pi)
    pi.type(WRONG)
    world.until(TAPPED_AT + OPENED_AFTER_MS, pi)
    assert world.asked(pi).state == "wrong"
    keys = world.tap(pi)
    assert keys != before
    world.until(world.now + 4_000, pi)
    assert world.asked(pi).state == "waiting"  # what was typed before is still said, and does not count
    pi.type(keys)
    world.until(world.now + OPENED_AFTER_MS, pi)
    assert world.asked(pi).state == "right"


def test_keys_that_come_too_late_or_never_are_late(world: World) -> None:
    slow, silent = world.pi(1), world.pi(2)
    keys = world.tap(slow)
    world.tap(silent)
    world.until(TAPPED_AT + KEYS_WITHIN_MS, slow, silent)
    slow.type(keys)
    world.until(TAPPED_AT + 100_000, slow, silent)
    assert [world.asked(pi).state for pi in (slow, silent)] == ["late", "late"]


@given(
    st.lists(
        st.tuples(st.sampled_from((*ANY_KEY, "ok", "undo", "help")), st.integers(0, 20_000)), max_size=30
    )
)
def test_a_pi_opens_only_when_the_head_takes_no_more_commitments(presses: list[tuple[Button, int]]) -> None:
    """Its host saw the keys before the first one was pressed."""
    world = World()
    pi = world.pi(1)
    pressed: list[float] = []
    first = 0.0
    for key, wait in presses:
        world.now += wait
        pressed += [world.now] if key in ANY_KEY else []
        if key == "ok" and len(pressed) >= KEY_COUNT:
            first, pressed = pressed[-KEY_COUNT], []
        pi.panel.put(Press(key, world.now, 60))
        assert not pi.question().keys or world.now - first > KEYS_WITHIN_MS


def test_somebody_in_between_learns_the_keys_when_they_are_of_no_use(world: World) -> None:
    """The host taps his request, and types at the Pi that he keeps from the head."""
    between = world.pi(2)
    keys = world.tap(between)
    fake = Offer("home", CA.replace("B", "C"), "0" * 64)
    attempt = draw_attempt(Random(1).randbytes)
    victim = JoiningPanel(Random(3).randbytes, lambda: world.now)
    pressed: list[Button] = [*keys, "ok"]
    for key in pressed:
        victim.put(Press(key, world.now, 60))
    opened: TypedKeys | None = None
    while opened is None:
        said = victim.completed(fake, attempt.request())
        opened = said.keys
        relayed = replace(between.attempt.request(), typed=said.typed, keys=said.keys)
        assert between.ask(relayed) == Undecided()  # the victim's commitment is bound to what it was offered
        world.now += 1_000.0
    assert opened.keys == keys
    own = TypedKeys(opened.keys, "ab" * 32)
    request = between.attempt.request()
    commitment = keys_commitment(between.offer, request, own)
    for _ in range(60):
        between.ask(replace(request, typed=commitment, keys=own))
        world.now += 1_000.0
    assert world.asked(between).state == "wrong"


def test_a_commitment_that_is_never_opened_is_wrong(world: World) -> None:
    pi = world.pi(1)
    world.tap(pi)
    silent = replace(pi.attempt.request(), typed="ab" * 32)
    while world.now < TAPPED_AT + KEYS_WITHIN_MS + OPENED_AFTER_MS + LATE_ASK_MS + 4_000:
        pi.ask(silent)
        world.now += 2_000.0
    assert world.asked(pi).state == "wrong"


def test_copied_request_with_the_same_keys_is_refused(world: World) -> None:
    pi = world.pi(1)
    keys = world.tap(pi)
    copy = TypedKeys(WRONG, "ab" * 32)
    commitment = keys_commitment(pi.offer, pi.attempt.request(), copy)
    pi.ask(replace(pi.attempt.request(), typed=commitment))  # faster than the host's fingers
    pi.type(keys)
    world.until(TAPPED_AT + OPENED_AFTER_MS, pi)
    assert world.asked(pi).state == "typed"
    pi.ask(replace(pi.attempt.request(), typed=commitment, keys=copy))
    assert world.asked(pi).state == "wrong"


def test_another_pi_at_which_keys_are_typed_at_the_same_time_is_not_meant(world: World) -> None:
    mine, strange = world.pi(1), world.pi(2)
    keys = world.tap(mine)
    for pi in (strange, mine):
        pi.type(keys)
    world.until(TAPPED_AT + OPENED_AFTER_MS, mine, strange)
    assert world.asked(mine).state == "right"
    assert world.shown(strange).keys is None


@given(st.integers(0, 2**64))
def test_no_guess_is_better_than_another(seed: int) -> None:
    keys = drawn_keys(Random(seed).randbytes)
    assert len(keys) == KEY_COUNT
    assert set(keys) <= set(ANY_KEY)
    assert len(ANY_KEY) ** KEY_COUNT == 3_125


def test_only_what_is_typed_whole_is_said(world: World) -> None:
    pi = world.pi(1)
    pi.type(ANY_KEY[:4])
    assert pi.question() == pi.attempt.request()
    pi.type(["undo", *ANY_KEY])  # the last five before OK
    assert pi.question().typed
    world.now += OPENED_AFTER_MS
    opened = pi.question().keys
    assert opened
    assert opened.keys == ANY_KEY


def test_a_request_of_before_keys_were_known_is_understood(world: World) -> None:
    attempt: Attempt = world.pi(1).attempt
    request = attempt.request()
    old = {"kind": "request", "password_hash": request.password_hash, "nonce": request.nonce, "version": 1}
    assert world.desk.answer(msgspec.json.encode(old), world.now) == Undecided()
