"""The two files of the log: what is in them stays, and an older package reads and goes on with them."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from disks import StepWriter
from logs import chain
from pi_bunco.game import facts
from pi_bunco.log.entry import Entry, Origin
from pi_bunco.log.journal import Journal, asides, latest, positions
from pi_bunco.log.log_store import LogStore, Replica
from pi_bunco.log.records import Answered, StrayFact
from pi_bunco.runtime.writer import Reports
from pi_bunco.wire.log_exchange import LogExchange
from pi_bunco.wire.messages import HeadStatus, LogEntries, LogLine

OPEN = facts.EveningOpen(0, "gong", ("Ann", "Bob", "Cat", "Dee"), id="e1", no=3)
QUIET = Reports(lambda _: None, lambda why: pytest.fail(why))
RECORDED = Path(__file__).parent / "recorded"
"""Dumps of the two files as the package wrote them before one class had both."""


def up(leaf: str) -> str:
    return f"up/{leaf}"


def log(*minutes: int, evening: str = "e1", no: int = 3) -> list[Entry]:
    """An evening of breaks of these lengths."""
    pauses: list[facts.Fact] = [facts.Pause(n, each) for n, each in enumerate(minutes)]
    return chain(evening, [(one, None) for one in (replace(OPEN, id=evening, no=no), *pauses)])


def alone(entries: list[Entry], n: int) -> Entry:
    """Entry `n` as it goes out alone."""
    return replace(entries[n - 1], before=entries[n - 2].mac)


@pytest.fixture(name="store")
def an_empty_replica(tmp_path: Path) -> Iterator[LogStore]:
    with closing(Replica(tmp_path / "replica.db", QUIET, StepWriter)) as store:
        yield store


def answered(exchange: LogExchange, entries: list[Entry]) -> None:
    lines = tuple(LogLine(one.n, one.fact, one.origin, one.mac) for one in entries)
    exchange.answer(LogEntries(entries[0].evening, lines))


def following(store: LogStore, entries: list[Entry]) -> LogExchange:
    """A node that a head has given these entries."""
    exchange = LogExchange(up, store)
    exchange.head(HeadStatus("online", "h1", evening=entries[0].evening, length=len(entries)))
    answered(exchange, entries)
    return exchange


def asked(exchange: LogExchange, now: float = 0.0) -> list[int]:
    return [one.message.start for one in exchange.ask(now)]  # type: ignore[union-attr]


def handed_back(exchange: LogExchange, now: float) -> list[LogEntries]:
    return [one.message for one in exchange.ask(now) if isinstance(one.message, LogEntries)]


def rolled(*places: int) -> list[tuple[facts.Fact, Origin | None]]:
    """An evening with a roll of table 1 at each of these places of its stream."""
    rolls = [(facts.Roll(100 * n, 1, (1, 2, n)), Origin(1, "s", n)) for n in places]
    return [(OPEN, None), *rolls]


def test_an_end_that_the_log_left_is_handed_back_until_it_lacks_no_fact_of_a_table(store: LogStore) -> None:
    left, other = chain("e1", rolled(1, 2, 3)), chain("e1", rolled(1, 4, 5, 6))
    exchange = following(store, left)
    exchange.entry(alone(other, 5))
    assert not handed_back(exchange, 0.0)  # the new log is not here yet
    answered(exchange, other)
    (end,) = handed_back(exchange, 5000.0)
    assert [one.n for one in end.entries] == [3, 4]
    assert [one.mac for one in end.entries] == [one.mac for one in left[2:]]
    assert not handed_back(exchange, 5100.0)
    assert handed_back(exchange, 8000.0) == [end]
    answered(exchange, chain("e1", rolled(1, 4, 5, 6, 2, 3))[4:])
    assert not handed_back(exchange, 11_000.0)


def test_an_end_with_facts_of_a_head_is_handed_back_until_the_host_has_chosen(store: LogStore) -> None:
    """Trace: the head's question for it came behind the head's own log, which was the better one."""
    other = log(1, 20, 3)
    exchange = following(store, log(1, 2))
    exchange.entry(alone(other, 4))
    answered(exchange, other)
    for now in (5000.0, 8000.0):
        assert [[one.n for one in end.entries] for end in handed_back(exchange, now)] == [[3]]
    told = [(one.decoded(), one.origin) for one in other]
    answered(exchange, chain("e1", [*told, (facts.Branch(50, 2), None)])[3:])
    assert not handed_back(exchange, 11_000.0)


def test_another_log_is_taken_from_its_first_entry_on_beside_the_one_that_is_here(store: LogStore) -> None:
    exchange, other = following(store, log(1, 2)), log(1, 20, 3)
    assert exchange.entry(alone(other, 4)).another
    assert asked(exchange) == [1]
    assert list(store.read("e1")) == log(1, 2)
    answered(exchange, other)
    assert [one.mac for one in store.read("e1")] == [one.mac for one in other]
    store.close()
    again = Replica(store.path, QUIET, StepWriter)
    assert [len(one) for one in again._chains.values()] == [3, 4]
    assert LogExchange(up, again).known() == other
    again.close()


@pytest.mark.parametrize("chosen", [3, 4])
def test_no_entry_is_put_behind_one_of_another_log_that_came_meanwhile(store: LogStore, chosen: int) -> None:
    """Trace: a replica met the head's log, the host chose a shorter end, and behind that one it put the rest
    of the head's answer: it told of a log that no head had written, and each head waited for it.
    """
    here, left, end = log(1, 2, 3), log(1, 20, 30, 40, 50), log(1, 2, 30)[:chosen]
    exchange = following(store, here)
    exchange.entry(alone(left, 6))
    answered(exchange, left[3:])
    answered(exchange, end)
    answered(exchange, left[chosen:])
    assert exchange.known() == end


def test_uncommitted_entries_are_read_too(store: LogStore) -> None:
    exchange = following(store, log(1, 2))
    store.writer.commit()  # type: ignore[attr-defined]
    answered(exchange, log(1, 2, 3)[2:])
    assert exchange.known() == log(1, 2, 3)
    assert list(store.read("e1", 4)) == log(1, 2, 3)[3:]


def test_what_is_missing_is_asked_for_from_the_last_entry_on(store: LogStore) -> None:
    """Nobody who sees a gap knows whether both of its ends are of one log."""
    exchange = following(store, log(1, 2))
    exchange.head(HeadStatus("online", "h2", evening="e1", length=5))
    assert asked(exchange) == [3]
    answered(exchange, log(1, 20, 3, 4)[2:])
    assert asked(exchange) == [1]


def test_the_chains_of_three_evenings_are_kept_and_of_the_one_that_goes_on(store: LogStore) -> None:
    for no in (4, 5, 6, 2):
        following(store, log(1, evening=f"e{no}", no=no))
    assert {one.evening for one in store._chains.values()} == {"e4", "e5", "e6", "e2"}
    following(store, log(1, evening="e7", no=7))
    assert {one.evening for one in store._chains.values()} == {"e5", "e6", "e7"}
    store.close()
    again = Replica(store.path, QUIET, StepWriter)
    assert {one.evening for one in again._chains.values()} == {"e5", "e6", "e7"}
    again.close()


def test_who_keeps_no_replica_asks_for_nothing_and_has_nothing() -> None:
    exchange = LogExchange(up, None)
    exchange.head(HeadStatus("online", "h1", evening="e1", length=5))
    assert not exchange.entry(log()[0]).entries
    assert (asked(exchange), exchange.claim(), exchange.length) == ([], None, 0)


# The files, and an older package.

NUMBERS = ("application_id", "user_version")
MARKED = Origin(2, "s", 2, ("box", 7))
EVENING = chain(
    "e1",
    [
        (OPEN, None),
        (facts.Roll(1500, 1, (1, 2, 6), source="dice", epoch=1), Origin(1, "s", 1)),
        (facts.Roll(1700, 2, (3, 3, 3), source="dice", epoch=1), MARKED),
        (facts.Pause(1800, 5), None),
    ],
)
OTHER = [*EVENING[:2], *chain("e1", [(one.decoded(), one.origin) for one in (*EVENING[:2], EVENING[3])])[2:]]
"""Another end of it."""


def write_journal(path: Path) -> None:
    with closing(Journal(path, QUIET, StepWriter)) as journal:
        journal.append(*OTHER, answer=Answered("k1", {"id": "k1", "done": True}))
        journal.take(EVENING[2:])
        journal.set_aside(StrayFact("e0", Origin(3, "t", 4), {"kind": "bell_seen"}))
        journal.keep("began", {"at": 1.0, "boot": "b", "evening": "e1"})


def write_replica(path: Path) -> None:
    with closing(Replica(path, QUIET, StepWriter)) as store:
        exchange = following(store, OTHER)
        answered(exchange, EVENING[2:])
        answered(exchange, EVENING)


def dump(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        pragmas = [
            f"PRAGMA {name} = {connection.execute(f'PRAGMA {name}').fetchone()[0]};" for name in NUMBERS
        ]
        return "\n".join([*pragmas, *connection.iterdump()]) + "\n"


@pytest.mark.parametrize(("name", "write"), [("journal", write_journal), ("replica", write_replica)])
def test_a_file_is_as_an_older_package_writes_it(
    name: str, write: Callable[[Path], None], tmp_path: Path
) -> None:
    path = tmp_path / f"{name}.db"
    write(path)
    assert dump(path) == (RECORDED / f"{name}.sql").read_text()


def recorded(name: str, folder: Path) -> Path:
    """A file as the older package has written it."""
    with closing(sqlite3.connect(folder / f"{name}.db")) as connection:
        connection.executescript((RECORDED / f"{name}.sql").read_text())
    return folder / f"{name}.db"


def test_the_journal_of_an_older_package_goes_on(tmp_path: Path) -> None:
    path = recorded("journal", tmp_path)
    with closing(Journal(path, QUIET, StepWriter)) as journal:
        assert latest(path) == EVENING
        assert (journal.answers(), journal.highest_no()) == ({"k1": {"id": "k1", "done": True}}, 3)
        assert asides(path) == [StrayFact("e0", Origin(3, "t", 4), {"kind": "bell_seen"})]
        assert positions(path) == {(1, "s"): 1, (2, "s"): 2, (3, "t"): 4}
        journal.append(chain("e1", [(one.decoded(), one.origin) for one in (*EVENING, EVENING[3])])[4])
        journal.writer.commit()  # type: ignore[attr-defined]
        assert [one.n for one in latest(path)] == [1, 2, 3, 4, 5]


def test_the_replica_of_an_older_package_goes_on(tmp_path: Path) -> None:
    with closing(Replica(recorded("replica", tmp_path), QUIET, StepWriter)) as store:
        exchange = LogExchange(up, store)
        assert exchange.known() == EVENING
        claim = exchange.claim()
        assert claim is not None
        assert (claim.evening, claim.no, claim.length, claim.mac) == ("e1", 3, 4, EVENING[3].mac)
