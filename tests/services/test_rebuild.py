"""A head that has lost its card takes the evening from the tables, on a clock that is moved by hand."""

from functools import partial
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_bunco.game.facts import RoundOpen
from pi_bunco.journal.copies import SCHEMA as COPIES
from pi_bunco.journal.journal import Entry
from pi_bunco.runtime.store import connect
from pi_bunco.sim.players import Habits
from pi_bunco.wire import messages, topics
from pi_bunco.wire.messages import Envelope
from pi_bunco.wire.publish import Publish
from services.evidence import check
from services.hall import LATENCY, Hall
from services.lost import MISS, ONE, end_round, entries, forget, in_a_round, points, rebuild, throw

__all__ = ["in_a_round"]
PEOPLE = Habits(think=700, tumble=300, ok=1000)


def test_the_round_goes_on_as_it_was_with_what_was_rolled_meanwhile(hall: Hall) -> None:
    before = hall.lose_head()
    throw(hall.tables[2], ONE)
    hall.wait(5000)
    throw(hall.tables[3], ONE)
    log = rebuild(hall)
    assert log == entries(before)
    assert len(log) == hall.head.referee.ledger.evening.facts
    hall.wait(4000)
    assert points(hall) == [[1, 0], [3, 0], [2, 0]]
    assert hall.rings == [f"{log[0].evening}:1:start"]
    end_round(hall)
    assert [id.rpartition(":")[2] for id in hall.rings] == ["start", "end"]
    check(hall)


def test_it_says_what_it_takes(hall: Hall) -> None:
    log = entries(hall.lose_head())
    hall.warnings.clear()
    rebuild(hall)
    evening = log[0].evening
    assert hall.warnings == [
        f"Table 1 holds {len(log)} facts of evening {evening}; taking them.",
        f"The evening {evening} goes on from the {len(log)} facts that table 1 holds.",
    ]


def test_keepers_and_numbers_go_on_without_a_hole(hall: Hall) -> None:
    hall.lose_head()
    log = rebuild(hall)
    hall.wait(3000)
    throw(hall.tables[2], ONE)
    hall.wait(3000)
    length = len(hall.head.referee.ledger.log)
    assert length == len(log) + 1
    for table in hall.tables.values():
        assert table.copies.lengths() == {log[0].evening: length}
        assert table.copies.read(log[0].evening) == hall.head.referee.ledger.log


@pytest.mark.parametrize("longest", [1, 2, 3])
def test_the_longest_copy_is_taken_wherever_it_is(hall: Hall, longest: int) -> None:
    evening = hall.head.referee.ledger.evening.id
    before = hall.lose_head()
    for number in {1, 2, 3} - {longest}:
        forget(hall.tables[number], evening, 2 * number)
    assert rebuild(hall) == entries(before)
    hall.wait(5000)
    assert points(hall) == [[1, 0], [2, 0], [1, 0]]
    end_round(hall)
    check(hall)


def test_streams_that_a_table_has_left_are_told_again(hall: Hall) -> None:
    """The only copy is old, and table 2 was restarted since: all its rolls are on its card."""
    evening = hall.head.referee.ledger.evening.id
    throw(hall.tables[2], MISS)
    hall.wait(100)
    hall.kill(hall.tables[2])
    hall.start_table(2)
    hall.wait(3000)
    throw(hall.tables[2], ONE)
    hall.wait(3000)
    whole = points(hall)
    first = next(e.n for e in hall.head.referee.ledger.log if isinstance(e.fact, RoundOpen))
    hall.lose_head()
    for table in list(hall.tables.values()):
        forget(table, evening, first)
    assert len(rebuild(hall)) == first
    hall.wait(10_000)
    assert points(hall) == whole
    assert not [text for text in hall.warnings if "renews" in text]
    end_round(hall)
    check(hall)


@pytest.mark.parametrize("back", [False, True])
def test_a_keeper_that_dies_midway(tmp_path: Path, back: bool) -> None:
    hall = Hall(tmp_path, 3, auto_confirm=1000)
    hall.open(12, "bonko", **{"end.points": 999})
    hall.do("round_start")
    for _ in range(100):
        for number in (1, 2, 3):
            throw(hall.tables[number], ONE)
        hall.wait(500)
    evening = hall.head.referee.ledger.evening.id
    before = hall.lose_head()
    for number in (2, 3):
        forget(hall.tables[number], evening, 200 + number)
    hall.start_head(rebuild=True)
    hall.until(lambda: any("taking them" in text for text in hall.warnings))
    hall.wait(4 * LATENCY)
    hall.kill(hall.tables[1])
    if back:
        hall.wait(3000)
        hall.start_table(1)
    hall.until(lambda: hall.head.rebuild is None, 30_000)
    length = len(entries(before)) if back else 203
    assert hall.head.referee.ledger.log == entries(before)[:length]
    if not back:
        hall.start_table(1)
    hall.wait(20_000)
    end_round(hall)
    check(hall)


def test_the_only_keeper_is_waited_for(hall: Hall) -> None:
    before = hall.lose_head()
    for number in (2, 3):
        hall.kill(hall.tables[number])
        for path in (hall.folder / f"table{number}").glob("copies.db*"):
            path.unlink()
        hall.start_table(number)
    hall.start_head(rebuild=True)
    hall.wait(2000)
    hall.kill(hall.tables[1])
    hall.wait(40_000)
    assert hall.head.rebuild
    hall.start_table(1)
    hall.until(lambda: hall.head.rebuild is None, 10_000)
    assert hall.head.referee.ledger.log == entries(before)


def test_the_latest_of_two_evenings_is_taken(hall: Hall) -> None:
    first = hall.head.referee.ledger.evening.id
    hall.cut(hall.tables[3])
    hall.open(12, "gong", seed=2)
    hall.wait(2000)
    second = hall.head.referee.ledger.evening.id
    before = hall.lose_head()
    hall.heal(hall.tables[3])
    assert list(hall.tables[1].copies.lengths()) == [first, second]
    assert list(hall.tables[3].copies.lengths()) == [first]
    assert rebuild(hall) == entries(before)
    assert hall.head.referee.ledger.evening.id == second


def test_a_copy_with_which_no_other_agrees_is_not_believed(hall: Hall) -> None:
    log = hall.head.referee.ledger.log
    evening, n = log[0].evening, len(log)
    before = hall.lose_head()
    odd = hall.tables[1]
    hall.kill(odd)
    connection = connect(hall.folder / "table1" / "copies.db", COPIES)
    connection.execute("DELETE FROM facts WHERE evening = ? AND n = ?", (evening, n))
    for place in (n, n + 1):
        Entry(place, evening, log[3].fact).write(connection)
    connection.close()
    hall.start_table(1)
    assert rebuild(hall) == entries(before)
    assert "They are not what table 1 holds of it; 2 of 3 copies agree with these." in hall.warnings
    hall.wait(5000)
    assert hall.tables[1].copies.read(evening) == hall.head.referee.ledger.log


def test_without_any_copy_it_goes_on_empty_after_a_minute(tmp_path: Path) -> None:
    hall = Hall(tmp_path, 3)
    hall.lose_head()
    began = hall.clock.time
    assert rebuild(hall) == []
    assert 60_000 <= hall.clock.time - began <= 60_200
    why = "No table holds a copy of an evening: the head begins without one"
    assert f"{why}, and asks the tables that come later." in hall.warnings
    hall.open(12, "bonko")


def test_what_an_empty_head_has_set_aside_comes_again_to_a_rebuilt_one(hall: Hall) -> None:
    before = hall.lose_head()
    throw(hall.tables[2], ONE)
    throw(hall.tables[3], ONE)
    hall.start_head()
    hall.wait(5000)
    assert len(hall.tables[2].outbox) == len(hall.tables[3].outbox) == 0
    asides = hall.head.journal.asides()
    assert len(asides) == 2
    hall.kill(hall.head)
    assert rebuild(hall) == entries(before)
    hall.wait(10_000)
    assert points(hall) == [[1, 0], [3, 0], [2, 0]]
    assert [aside.fact for aside in hall.head.journal.asides()] == [aside.fact for aside in asides]
    hall.kill(hall.head)
    hall.start_head()
    hall.wait(5000)
    assert points(hall) == [[1, 0], [3, 0], [2, 0]]
    throw(hall.tables[2], ONE)
    end_round(hall)
    check(hall)


def test_what_is_no_evening_is_not_taken(hall: Hall) -> None:
    evening = hall.head.referee.ledger.evening.id
    before = hall.lose_head()
    hall.start_head(rebuild=True)
    forged = messages.Held((messages.HeldEvening(evening, 9999, 1), messages.HeldEvening("forged", 1, 1)))
    hall.network.publish(Publish(topics.up("home", "table9", "held"), forged))
    hall.wait(100)
    for n in (1, 2, 3):
        copy = messages.LogCopy("forged", n, {"kind": "resume", "t": 0})
        hall.network.publish(Publish(topics.up("home", "table9", "log"), copy))
    hall.until(lambda: hall.head.rebuild is None, 120_000)
    assert hall.head.referee.ledger.log == entries(before)


@pytest.mark.parametrize("seed", range(4))
def test_a_head_that_is_lost_again_and_again_finishes_the_round(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    hall = Hall(tmp_path, 3, PEOPLE, auto_confirm=5000)
    hall.open(12, random.choice(["bonko", "classic", "gong", "tournament"]), **{"evening.sets": 1})
    hall.do("round_start")
    for _ in range(5):
        hall.wait(random.uniform(0, 6000))
        before = entries(hall.lose_head())
        hall.wait(random.choice([0, 30, 2000, 9000]))
        if random.random() < 0.5:
            hall.network.retained.clear()
        log = rebuild(hall)
        assert log == before[: len(log)]
    hall.until(partial(one_round, hall))
    hall.wait(5000)
    assert len(hall.rings) - len(set(hall.rings)) == 0
    check(hall)


def one_round(hall: Hall) -> bool:
    return len(hall.head.referee.ledger.evening.rounds) > 0


@settings(max_examples=25)
@given(st.data())
def test_of_any_copies_the_longest_gapless_one_is_taken(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    hall = Hall(tmp_path_factory.mktemp("hall"), 3, auto_confirm=1000)
    hall.open(12, "bonko")
    hall.do("round_start")
    hall.wait(1000)
    for _ in range(6):
        throw(hall.tables[data.draw(st.integers(1, 3))], ONE)
        hall.wait(100)
    evening, whole = hall.head.referee.ledger.evening.id, points(hall)
    log = entries(hall.lose_head())
    reach = {}
    for number in (1, 2, 3):
        gaps = data.draw(st.sets(st.integers(1, len(log)), max_size=3), label=f"gaps at table {number}")
        table = hall.tables[number]
        hall.kill(table)
        connection = connect(hall.folder / f"table{number}" / "copies.db", COPIES)
        connection.executemany(
            "DELETE FROM facts WHERE evening = ? AND n = ?", [(evening, gap) for gap in gaps]
        )
        connection.close()
        reach[number] = min(gaps, default=len(log) + 1) - 1
        hall.start_table(number)
    assert rebuild(hall) == log[: max(reach.values())]
    hall.wait(10_000)
    opened = next(e.n for e in log if isinstance(e.fact, RoundOpen))
    if max(reach.values()) >= opened:
        assert points(hall) == whole
    hall.close()


def test_facts_of_an_unknown_stream_before_a_known_one_change_no_order(hall: Hall) -> None:
    """A stream's places are those of the copies, so what is in them is not applied twice."""
    evening = hall.head.referee.ledger.evening
    told = [e for e in hall.head.referee.ledger.log if e.origin and e.origin.table == 2]
    hall.lose_head()
    rebuild(hall)
    hall.wait(1000)
    for entry in told:
        assert entry.origin
        again = Envelope(
            1, evening.id, entry.origin.stream, entry.origin.seq, 2, 1, entry.fact.t, 1.0, 5, "b",
            {"kind": "roll", "dice": [1, 3, 4]},
        )  # fmt: skip
        hall.network.publish(Publish(topics.up("home", "table2", "fact"), again))
    hall.wait(100)
    assert points(hall) == [[1, 0], [2, 0], [1, 0]]
