"""Properties of every evening, whatever the rule set and however odd its facts."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.drawn import QUICK, logs, played
from game.evenings import Play, fact, state, table_state
from pi_bunco.errors import FactError
from pi_bunco.game import facts
from pi_bunco.game.apply import apply
from pi_bunco.game.evening import Evening
from pi_bunco.game.replay import evening_report
from pi_bunco.game.round import Round
from pi_bunco.game.snapshot import MIN_ENTRIES, TableSnapshot, restored, snapshot
from pi_bunco.game.table import FINAL, PLAYING, Table
from pi_bunco.rules.patterns import CALLS

Log = list[facts.Fact]


def all_tables(evening: Evening) -> list[Table]:
    rounds = [*evening.rounds, *([evening.round] if evening.round else [])]
    return [table for round_ in rounds for table in round_.tables]


@QUICK
@given(logs())
def test_points_are_conserved_between_teams_and_cards(log: Log) -> None:
    evening = played(log)
    assert evening.rules is not None
    for table in all_tables(evening):
        cards = [table.seat_points[0] + table.seat_points[2], table.seat_points[1] + table.seat_points[3]]
        if evening.rules.tie.method == "session" and table.rolloffs:
            assert all(team >= card for team, card in zip(table.points, cards, strict=True))
        else:
            assert table.points == cards


@QUICK
@given(logs(without=["leave", "arrive", "substitute"]))
def test_every_table_of_a_finished_round_has_one_winner(log: Log) -> None:
    evening = played(log)
    for round_ in evening_report(evening)["rounds"]:
        assert {table["winner"] for table in round_["tables"]} <= {"US", "THEM"}
    for tally in evening.standings.values():
        assert tally.wins + tally.losses == len(evening.rounds)


# `test_cancel_of_a_reopened_round_keeps_people_in_their_seats` has the two together.
@pytest.mark.parametrize("without", ["reopen", "round_cancel"])
@QUICK
@given(st.data())
def test_between_rounds_everybody_has_one_seat_and_ghosts_are_apart(
    without: str, data: st.DataObject
) -> None:
    evening = Evening()
    for one in data.draw(logs(without=[without])):
        apply(evening, one)
        if evening.round or evening.seating is None:
            continue
        seated = sorted(name for names in evening.seating for name in names)
        assert seated == sorted([*evening.people.present, *evening.people.ghosts])
        for names in evening.seating:
            a, b, c, d = (name in evening.people.ghosts for name in names)
            assert a + b + c + d > 2 or not ((a and c) or (b and d))


@QUICK
@given(logs(), st.data())
def test_replay_of_a_prefix_is_the_state_at_that_point(log: Log, data: st.DataObject) -> None:
    """Nothing that was reported earlier changes when the evening goes on, and no state is shared."""
    at = data.draw(st.integers(1, len(log)))
    evening = played(log[:at])
    then, before = evening_report(played(log[:at])), state(evening)
    assert evening_report(evening) == then
    assert state(played(log[:at])) | {"round": None} == before | {"round": None}
    for one in log[at:]:
        apply(evening, one)
    assert evening_report(evening) == evening_report(played(log))


NO_BREAK: dict[str, Any] = {"evening.break_after": None}
MAY_DIFFER_AFTER_UNDO = ("undone", "bell_t", "before_bell", "rang")
"""The times that the next rolls take, and the bell, which stays rung."""


def but_for_the_bell(table: Table) -> dict[str, Any]:
    return {name: value for name, value in table_state(table).items() if name not in MAY_DIFFER_AFTER_UNDO}


def rolled(evening: Evening, one: facts.Fact) -> tuple[Table, dict[str, Any]] | None:
    """Applies a fact: the table of a roll that counted and can be taken back, and how it was before."""
    table = evening.round.tables[one.table - 1] if isinstance(one, facts.Roll) and evening.round else None
    before, was = (but_for_the_bell(table), table.phase) if table else ({}, FINAL)
    if apply(evening, one) is not None or table is None or table.final:
        return None
    return None if was != table.phase else (table, before)  # a late roll closes the roll-off for good


@QUICK
@given(logs())
def test_undo_of_the_last_roll_equals_never_having_rolled(log: Log) -> None:
    evening = Evening()
    for one in log:
        if found := rolled(evening, one):
            table, before = found
            assert apply(evening, fact("undo", table=table.number)) is None
            assert but_for_the_bell(table) == before


@QUICK
@given(logs(without=["turn"]), st.integers(1, 4))
def test_rolls_taken_back_and_made_again_change_nothing(log: Log, count: int) -> None:
    """Rolls are taken back and made again, however late and whatever rang in between."""
    evening = Evening()
    for one in log:
        found = rolled(evening, one)
        if found is None or found[0].phase != PLAYING or found[0].undone:
            continue
        table, before = found[0], but_for_the_bell(found[0])
        outcomes = [entry[0] for entry in table.entries if entry[0] >= 0][-count:]
        for _ in outcomes:
            assert apply(evening, fact("undo", table=table.number)) is None
        for outcome in outcomes:
            again = fact("roll", 10**3, table=table.number, call=list(CALLS)[outcome])
            assert apply(evening, again) is None
        after = but_for_the_bell(table)
        for place in ("entries", "bag"):
            del before[place], after[place]
        assert after == before


@QUICK
@given(logs(without=["reopen", "pause", "bypass", "restore", "hand"], dice=False, **NO_BREAK))
def test_a_cancelled_round_equals_never_having_opened(log: Log) -> None:
    evening, before = Evening(), {}
    for one in log:
        then = state(evening)
        if apply(evening, one) is not None:
            continue
        if isinstance(one, facts.RoundOpen):
            before = then
        elif isinstance(one, facts.RoundCancel):
            but_for = {"epoch": 0, "phase_t": 0}  # the number is used up, and time has passed
            assert state(evening) | but_for == before | but_for


@QUICK
@given(logs(without=["reopen"]))
def test_the_bell_rings_once_a_round_unless_it_is_void(log: Log) -> None:
    evening = Evening()
    rung: dict[int, int] = {}
    voided: dict[int, int] = {}
    for one in log:
        before = evening.round and evening.round.bell
        running = evening.round
        counted = apply(evening, one) is None
        if running is None:
            continue
        if before is None and running.bell is not None:
            rung[running.epoch] = rung.get(running.epoch, 0) + 1
        if counted and isinstance(one, facts.BellVoid):
            voided[running.epoch] = voided.get(running.epoch, 0) + 1
    assert all(times <= 1 + voided.get(epoch, 0) for epoch, times in rung.items())


@QUICK
@given(logs())
def test_an_ignored_fact_changes_nothing_but_counters(log: Log) -> None:
    evening = Evening()
    for one in log:
        before = state(evening)
        why = apply(evening, one)
        if why is None:
            continue
        assert state(evening) == before, why
        text = why.english()
        assert text == text.strip()
        assert text[-1] != "."


STRANGE = [
    fact("evening", rules="gong", players=["a", "b", "c", "d"]),
    fact("seating", tables=[["a", "b", "c", "d"]]),
    fact("seating", tables=[]),
    fact("evening_close"),
    fact("roll", table=99, call="one"),
    fact("roll", 2**31, table=1, dice=[1, 1, 1], epoch=10**40),
    fact("bell", 2**31),
    fact("turn", table=1, seat="D", rolls=9999),
    fact("round_close", by="time"),
]


@QUICK
@given(
    logs(), st.lists(st.tuples(st.integers(0, 60), st.sampled_from(STRANGE)), max_size=8), st.integers(0, 3)
)
def test_no_well_formed_fact_raises_anything_but_a_fact_error(
    log: Log, strange: list[tuple[int, facts.Fact]], cut: int
) -> None:
    log = log[cut:]
    for place, one in strange:
        log.insert(place, one)
    evening = Evening()
    for one in log:
        before = state(evening)
        try:
            apply(evening, one)
        except FactError:
            assert state(evening) == before
        evening_report(evening)


@QUICK
@given(logs())
def test_reopen_and_the_same_result_again_changes_nothing(log: Log) -> None:
    evening = Evening()
    for one in log:
        finished = len(evening.rounds)
        apply(evening, one)
        if len(evening.rounds) > finished:
            before = evening_report(evening)
            assert apply(evening, fact("reopen", 0, table=getattr(one, "table", 0))) is None
            assert evening.round is not None
            assert apply(evening, one) is None
            assert evening_report(evening) == before


@QUICK
@given(logs())
def test_a_table_carried_in_a_message_is_the_same(log: Log) -> None:
    evening = Evening()
    for one in log:
        apply(evening, one)
        if evening.round:
            table = evening.round.tables[0]
            assert table_state(carried(table, evening.round)) == table_state(table)


def carried(table: Table, round_: Round) -> Table:
    """The table that another machine makes from the message about this one."""
    kept = msgspec.json.decode(msgspec.json.encode(snapshot(table)), type=TableSnapshot)
    return restored(kept, Table(table.number, table.seats, table.ghosts, round_.rules, round_.target))


def test_a_table_carried_in_a_message_takes_rolls_back_alike() -> None:
    play = Play("mybunco").open()
    play.roll(2, "1" * 130)
    play.close()
    play.roll(2, "1")
    table = play.table(2)
    assert MIN_ENTRIES <= len(snapshot(table).entries) / 3 < 2 * MIN_ENTRIES
    twin = carried(table, play.running)
    table.undo()
    twin.undo()
    assert twin.undone == table.undone
