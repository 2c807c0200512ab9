"""A table that plays on alone does what the evening would do, and knows what would ring."""

from hypothesis import given
from hypothesis import strategies as st

from pi_bunco.game import facts
from pi_bunco.game.apply import apply
from pi_bunco.game.evening import Evening
from pi_bunco.game.snapshot import predicted_step
from pi_bunco.game.table import Table
from pi_bunco.rules import preset

PLAYERS = tuple("abcd")
DICE = st.tuples(*[st.integers(1, 6)] * 3)
STEPS = st.lists(st.one_of(DICE, st.just("undo"), st.just("confirm")), max_size=40)


@given(STEPS, st.sampled_from(["mybunco", "tournament", "classic", "gong", "bonko"]))
def test_the_evening_rings_exactly_when_the_prediction_says_so(
    steps: list[tuple[int, int, int] | str], rules: str
) -> None:
    evening = Evening()
    apply(evening, facts.EveningOpen(0, rules, PLAYERS, id="e"))
    apply(evening, facts.Seating(0, (PLAYERS,)))  # type: ignore[arg-type]
    apply(evening, facts.RoundOpen(1000))
    assert evening.round is not None
    ours = Table(1, PLAYERS, (False,) * 4, preset(rules), 1)  # type: ignore[arg-type]
    for n, step in enumerate(steps, 1):
        t = 1000 + n
        round_ = evening.round
        if round_ is None or round_.bell is not None:
            return
        fact: facts.Fact
        if step == "undo":
            fact = facts.Undo(t, 1)
        elif step == "confirm":
            fact = facts.Confirm(t, 1)
        else:
            fact = facts.Roll(t, 1, step)  # type: ignore[arg-type]
            outcome = ours.outcome_of(fact)
            expected = outcome is not None and ours.would_ring(outcome)
        assert predicted_step(ours, fact) == apply(evening, fact)
        assert ours.points == round_.tables[0].points
        if isinstance(fact, facts.Roll):
            assert (round_.bell is not None) == expected
