import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from pi_bunco.game import facts
from pi_bunco.game.apply import apply
from pi_bunco.game.evening import Evening
from pi_bunco.game.scoreboard import scoreboard
from pi_bunco.hall.screen import Picture, dice, render
from pi_bunco.rules import PRESETS
from pi_bunco.wire.messages import BellSignal

NAMES = ("Ann", "Bob", "Cat", "Dee", "Eve", "Flo", "Gus", "Hal")
MISS, ONE, BUNCO = (2, 3, 4), (1, 3, 4), (1, 1, 1)


def text(picture: Picture, now: float = 0.0, width: int = 80) -> str:
    console = Console(file=io.StringIO(), width=width, height=40, force_terminal=False)
    console.print(render(picture, now))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def picture(*happens: facts.Fact, rules: str = "classic", waiting: tuple[str, ...] = ()) -> Picture:
    """The screen after an evening of two tables has begun and `happens` has happened."""
    evening = Evening()
    start = (
        facts.EveningOpen(0, rules, NAMES, overrides={"evening.sets": 1}),
        facts.Seating(0, (NAMES[:4], NAMES[4:])),
    )
    last: dict[int, tuple[int, facts.Roll]] = {}
    for n, fact in enumerate((*start, *happens), 1):
        apply(evening, fact)
        if isinstance(fact, facts.Roll):
            last[fact.table] = (n, fact)
    return Picture(rules, ("buncos", "wins"), scoreboard(evening, last, waiting))


def roll(table: int, dice: Any, t: int = 10) -> facts.Roll:
    return facts.Roll(t, table, dice)


def test_before_anything_is_known_there_is_the_hint() -> None:
    shown = text(Picture("gong", ("wins",), hint="q: quit"))
    assert "rules gong" in shown
    assert "q: quit" in shown


def test_before_a_round_it_says_who_sits_where() -> None:
    shown = text(picture())
    assert "Table 1, head" in shown
    assert "Table 2" in shown
    assert all(name in shown for name in NAMES)
    assert "0 of 6 rounds played" in shown


def test_a_round_shows_the_turn_the_dice_and_the_points() -> None:
    shown = text(picture(facts.RoundOpen(5), roll(1, ONE), roll(2, MISS)))
    assert "set 1, round 1: roll 1s" in shown
    assert "▸ Ann" in shown
    assert "Ann rolls again" in shown
    assert "⚀ ⚂ ⚃" in shown
    assert "1 to 0" in shown
    assert "▸ Flo" in shown
    assert "Flo has the dice" in shown


def test_a_bunco_is_marked_and_a_table_that_is_done_waits_for_its_ok() -> None:
    after = picture(facts.RoundOpen(5), roll(1, BUNCO), roll(1, MISS, 11), waiting=("Table 2: press OK.",))
    shown = text(after)
    assert "1 Bunco" in shown
    assert shown.count("done, waits for OK") == 2
    assert "Waiting: Table 2: press OK." in shown


def test_a_finished_table_shows_who_won_and_a_tie_its_roll_off() -> None:
    happens = (
        facts.RoundOpen(5),
        roll(1, BUNCO),
        roll(1, MISS, 11),
        facts.Confirm(12, 1),
        facts.Confirm(12, 2),
    )
    shown = text(picture(*happens))
    assert "US win" in shown
    assert "✓ Ann" in shown
    assert "a tie: roll-off" in shown


def test_the_standings_are_in_the_order_of_the_rules() -> None:
    happens = (
        *(facts.RoundOpen(5), roll(1, BUNCO), roll(1, MISS, 11)),
        *(facts.Confirm(12, 1), facts.Decide(12, 2, "THEM")),
    )
    shown = text(picture(*happens))
    line = next(line for line in shown.splitlines() if "Wins/Buncos" in line)
    assert line.split()[1:5] == ["Ann", "1/1", "Cat", "1/0"]


def test_the_bell_is_seen_for_a_while() -> None:
    one = picture()
    one.ring(BellSignal("e1", 1, "start", 7, 5007, "host"), 1000)
    assert "♪ the round begins ♪" in text(one, 3000)
    assert "♪" not in text(one, 4000)


def test_a_table_without_power_says_so() -> None:
    one = picture(facts.RoundOpen(5))
    one.down = frozenset({"table2", "head"})
    one.began = 0.0
    shown = text(one)
    assert "Table 2: no power" in shown
    assert "no power: the head; the tables play on" in shown
    assert "Table 1, head ─" in shown


def test_only_the_latest_news_is_shown() -> None:
    one = picture()
    for n in range(20):
        one.tell(f"event {n}.")
    shown = text(one)
    assert "event 19." in shown
    assert "event 15." not in shown


@pytest.mark.parametrize(("last", "shown"), [(None, "- - -"), ((1, 3, 6), "⚀ ⚂ ⚅"), ("mini", "mini")])
def test_dice(last: Any, shown: str) -> None:
    assert dice(last) == shown


FACTS = st.lists(
    st.one_of(
        st.just(facts.RoundOpen(5)),
        st.builds(roll, st.integers(1, 2), st.tuples(*[st.integers(1, 6)] * 3)),
        st.builds(facts.Roll, st.just(10), st.integers(1, 2), st.none(), st.sampled_from(["bunco", "miss"])),
        st.builds(facts.Confirm, st.just(11), st.integers(1, 2)),
        st.builds(facts.Decide, st.just(11), st.integers(1, 2), st.sampled_from(["US", "THEM"])),
        st.just(facts.RoundClose(10)),
    ),
    max_size=40,
)


@given(FACTS, st.sampled_from(PRESETS), st.integers(30, 200))
def test_whatever_happens_can_be_shown_on_any_screen(happens: list[Any], rules: str, width: int) -> None:
    shown = text(picture(*happens, rules=rules), width=width)
    assert all(len(line.rstrip()) <= width for line in shown.splitlines())
