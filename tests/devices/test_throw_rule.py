"""The rule that tells a throw from none, whatever the dice do."""

from itertools import permutations
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_bunco.devices.protocols import DICE, ThreeFaces, Throw, ThrowVoid
from pi_bunco.devices.throws.reasons import And, NotSettled, NotThrown, Tilted
from pi_bunco.devices.throws.throw_rule import LIMIT_MS, ThrowOutcomes, Throws

Act = tuple[float, Literal["tumble", "settle", "invalid", "tick"], int, int]

acts: st.SearchStrategy[list[Act]] = st.lists(
    st.tuples(
        st.sampled_from((0.0, 1.0, 10.0, 300.0, 300.0, 2500.0, 10_001.0)),
        st.sampled_from(("tumble", "tumble", "settle", "settle", "settle", "invalid", "tick")),
        st.sampled_from(DICE),
        st.integers(1, 6),
    ),
    max_size=60,
)
three = st.tuples(*[st.integers(1, 6)] * 3)
orders = st.sampled_from(list(permutations(DICE)))


def tumbling() -> Throws:
    """All three dice tumble since 0 ms."""
    throws = Throws()
    for die in DICE:
        throws.tumbled(die, 0)
    return throws


def act(throws: Throws, at: float, kind: str, die: int, face: int) -> ThrowOutcomes:
    match kind:
        case "tumble":
            return throws.tumbled(die, at)
        case "settle":
            return throws.settled(die, face, at)
        case "invalid":
            return throws.invalid(die, "cocked", at)
        case _:
            return throws.tick(at)


def play(throws: Throws, history: list[Act]) -> tuple[float, list[tuple[Throw | ThrowVoid, list[Act]]]]:
    """The outcomes, each with what happened between the outcome before and it."""
    now = 0.0
    outcomes: list[tuple[Throw | ThrowVoid, list[Act]]] = []
    since: list[Act] = []
    for wait, kind, die, face in history:
        now += wait
        step = (now, kind, die, face)
        ended = act(throws, *step)
        for outcome in ended:
            outcomes.append((outcome, [*since, step] if isinstance(outcome, Throw) else since))
            since = []
        if not any(isinstance(outcome, Throw) for outcome in ended):
            since.append(step)
    return now, outcomes


@given(acts)
def test_faces_of_a_throw_come_from_its_own_tumbles(history: list[Act]) -> None:
    for outcome, since in play(Throws(), history)[1]:
        if not isinstance(outcome, Throw):
            continue
        first = min(at for at, kind, _, _ in since if kind == "tumble")
        assert outcome.began == first
        assert outcome.settled - outcome.began <= LIMIT_MS
        for die, face in zip(DICE, outcome.faces, strict=True):
            own = [(at, kind, value) for at, kind, which, value in since if which == die and kind != "tick"]
            tumbles = [index for index, (_, kind, _) in enumerate(own) if kind == "tumble"]
            assert tumbles, "a die that did not tumble is in the throw"
            assert own[-1][1:] == ("settle", face)
            assert tumbles[-1] < len(own) - 1


@given(acts)
def test_a_void_names_a_die_and_comes_when_the_time_is_over(history: list[Act]) -> None:
    for outcome, since in play(Throws(), history)[1]:
        if isinstance(outcome, ThrowVoid):
            assert "die " in outcome.why
            assert outcome.at - LIMIT_MS in [at for at, kind, _, _ in since if kind == "tumble"]


@given(acts, three, orders, orders)
def test_one_full_tumble_is_one_throw(
    history: list[Act], faces: ThreeFaces, up: ThreeFaces, down: ThreeFaces
) -> None:
    throws = Throws()
    start = play(throws, history)[0] + LIMIT_MS + 1
    throws.tick(start)
    outcomes = [throws.tumbled(die, start + 10 * index) for index, die in enumerate(up)]
    outcomes += [throws.settled(die, faces[die - 1], start + 900 + index) for index, die in enumerate(down)]
    outcomes += [throws.tick(start + 60_000)]
    assert [one for ended in outcomes for one in ended] == [Throw(faces, start, start + 902)]


def test_settling_at_the_limit_counts_and_after_it_does_not() -> None:
    for late, expected in ((0, Throw((1, 4, 6), 0, 10_000)), (1, ThrowVoid.because(NotSettled(3), 10_000))):
        throws = tumbling()
        throws.settled(1, 1, 500)
        throws.settled(2, 4, 500)
        assert throws.settled(3, 6, 10_000 + late) == [expected]


def test_a_die_alone_is_void() -> None:
    throws = Throws()
    throws.tumbled(2, 0)
    throws.settled(2, 5, 700)
    assert throws.tick(10_000) == []
    assert throws.tick(10_001) == [ThrowVoid.because(And(NotThrown(1), NotThrown(3)), 10_000)]
    assert not throws.open


@given(three, three, st.sampled_from(DICE))
def test_a_die_that_tumbles_again_counts_with_its_last_face(
    faces: ThreeFaces, old: ThreeFaces, again: int
) -> None:
    throws = tumbling()
    throws.settled(again, old[again - 1], 100)
    throws.tumbled(again, 200)
    outcomes = [throws.settled(die, faces[die - 1], 300) for die in DICE if die != again]
    assert outcomes == [[], []]
    assert throws.settled(again, faces[again - 1], 400) == [Throw(faces, 0, 400)]


@pytest.mark.parametrize("rolled_again", [True, False])
def test_a_tilted_die_may_be_rolled_again_and_is_named_if_it_is_not(rolled_again: bool) -> None:
    throws = tumbling()
    throws.settled(1, 1, 500)
    throws.settled(2, 2, 500)
    assert throws.invalid(3, "cocked", 600) == []
    if rolled_again:
        throws.tumbled(3, 3000)
        assert throws.settled(3, 3, 4000) == [Throw((1, 2, 3), 0, 4000)]
    else:
        assert throws.tick(10_001) == [ThrowVoid.because(Tilted(3), 10_000)]


def test_news_of_a_throw_that_was_given_up_opens_none() -> None:
    throws = Throws()
    throws.tumbled(1, 0)
    throws.tick(10_001)
    throws.tumbled(2, 50)
    assert not throws.open
    throws.tumbled(2, 10_001)
    assert throws.open
