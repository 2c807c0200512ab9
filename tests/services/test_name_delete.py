"""A name is taken out of the logs of closed evenings, and out of every store that hears of it."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from msgspec.structs import replace

from disks import StepWriter
from logs import KEY, chain
from pi_bunco.game import codec, facts
from pi_bunco.log.chain import continues
from pi_bunco.log.entry import Entry
from pi_bunco.log.journal import SCHEMA, evenings, read
from pi_bunco.log.log_store import LogStore, Replica
from pi_bunco.log.rewriting import Renaming, written_anew
from pi_bunco.runtime import store
from pi_bunco.runtime.writer import Reports
from pi_bunco.wire import topics
from pi_bunco.wire.client import Publish
from pi_bunco.wire.messages import Command
from services.hall import BUNCO, ONE, Hall
from services.in_a_round import broker_restarts, recovered

NAME = "Zoë Quartermain"
QUIET = Reports(lambda _: None, lambda _: None)


def evening(hall: Hall, title: str) -> None:
    """An evening of one round with Zoë in it, which is closed."""
    others = [f"P{n}" for n in range(1, 12)]
    hall.do("evening_open", rules="bonko", players=[NAME, *others], seed=1, name=title, replace=True)
    hall.do("seats_draw")
    hall.do("round_start")
    hall.wait(3000)
    for number, faces in ((2, ONE), (3, ONE), (1, BUNCO)):
        hall.roll(number, *faces)
    hall.until(lambda: len(hall.evening.rounds) == 1)
    hall.do("prize", **{"for": "buncos", "to": [NAME]})
    hall.do("substitute", **{"out": "P1", "in": "Late Comer"})
    hall.do("evening_close", unfinished=True)
    hall.wait(2000)


@pytest.fixture(name="hall")
def two_evenings(tmp_path: Path) -> Hall:
    hall = Hall(tmp_path, 3, auto_confirm=1000)
    evening(hall, "first")
    evening(hall, "second")
    return hall


def named(paths: Iterable[Path]) -> list[str]:
    """The files that have the name in any of their bytes."""
    return [
        str(one) for one in paths if NAME.encode() in one.read_bytes() or b"Quartermain" in one.read_bytes()
    ]


def files(hall: Hall, *places: str) -> list[Path]:
    return [one for place in places for one in (hall.folder / place).glob("*.db*")]


ALL = (".", "table1", "table2", "table3")


def delete(hall: Hall) -> str:
    answer = hall.ask("name_delete", names=[NAME.upper(), NAME])
    assert answer.done, answer.why
    hall.wait(20_000)
    return next(name for name in hall.evening.people.holders if name.startswith("Guest "))


def test_the_name_is_in_no_byte_of_any_store_and_the_evening_is_as_it_was(hall: Hall) -> None:
    before, log = hall.evening, hall.log
    assert len(named(files(hall, *ALL))) >= 4
    pseudonym = delete(hall)
    assert named(files(hall, *ALL)) == []
    assert [(one.n, one.origin) for one in hall.log] == [(one.n, one.origin) for one in log]
    assert hall.evening.people.holders == [
        pseudonym if name == NAME else name for name in before.people.holders
    ]
    mac = ""
    for one in hall.log:
        assert continues(hall.head.referee.log.key, mac, one)
        mac = one.mac
    for number in hall.tables:
        assert hall.replicated(number) == hall.macs()
    assert NAME.encode() not in b"".join(hall.network.retained.values())


def test_both_evenings_have_the_same_pseudonym_after_a_restart(hall: Hall) -> None:
    pseudonym = delete(hall)
    hall.kill(hall.head)
    recovered(hall)
    assert pseudonym in hall.evening.people.holders
    found = [
        read(hall.folder / "journal.db", one.id)[0].plain() for one in evenings(hall.folder / "journal.db")
    ]
    assert [one["players"][0] for one in found] == [pseudonym, pseudonym]


def test_a_pi_that_was_away_brings_no_name_back_and_loses_it(hall: Hall) -> None:
    hall.kill(hall.tables[3])
    pseudonym = delete(hall)
    assert named(files(hall, ".", "table1", "table2")) == []
    assert named(files(hall, "table3"))
    log = hall.macs()
    hall.start_table(3)
    hall.wait(20_000)
    assert named(files(hall, *ALL)) == []
    assert hall.macs()[: len(log)] == log
    assert not hall.head.referee.catch_up.recovery.offers
    assert hall.replicated(3) == hall.macs()
    assert pseudonym in hall.evening.people.holders


def test_a_head_with_the_journal_of_before_takes_the_new_log_unasked(hall: Hall) -> None:
    journal, old = hall.folder / "journal.db", hall.folder / "backup"
    store.copy(journal, SCHEMA, old)
    delete(hall)
    hall.lose_head()
    broker_restarts(hall)
    old.rename(journal)
    recovered(hall)
    hall.wait(20_000)
    assert NAME not in hall.evening.people.holders
    assert not hall.head.referee.catch_up.recovery.offers
    assert not any(NAME in str(one.plain()) for one in read(journal, hall.evening.id))
    assert store.rows(journal, SCHEMA, "SELECT fact FROM forks") == []


def test_an_evening_that_is_open_is_closed_first(hall: Hall) -> None:
    hall.do("evening_reopen")
    answer = hall.ask("name_delete", names=[NAME])
    assert not answer.done
    assert NAME in hall.evening.people.holders
    assert [way.command for way in answer.ways] == ["evening_close"]


def test_a_crash_before_the_commit_changes_nothing(hall: Hall) -> None:
    log = hall.macs()
    command = Command("k-lost", "name_delete", {"names": [NAME]}, "ann")
    hall.network.publish(Publish(topics.up("home", "host-ann", "command"), command))
    hall.wait(2)  # the head has it, its disk has not
    hall.kill(hall.head)
    recovered(hall)
    assert hall.macs()[: len(log)] == log
    assert hall.ask_again("k-lost", "name_delete", names=[NAME]).done
    hall.wait(20_000)
    assert named(files(hall, *ALL)) == []


def committed(replica: LogStore) -> None:
    assert isinstance(replica.writer, StepWriter)
    replica.writer.commit()


def old_and_new(tmp_path: Path) -> tuple[LogStore, list[Entry], list[Entry]]:
    """A replica with the log of an evening, and that log written anew."""
    replica = Replica(tmp_path / "replica.db", QUIET, StepWriter)
    opening = facts.EveningOpen(0, "gong", ("Ann", "Bob", "Cat", NAME), id="e1", no=3)
    told: list[tuple[facts.Fact, None]] = [
        (opening, None),
        (facts.Pause(1, 5), None),
        (facts.Resume(2), None),
    ]
    old = chain("e1", told)
    for one in old:
        replica.chain("e1").add(one)
    replica.put(*old)
    return replica, old, list(written_anew(KEY, old, Renaming((NAME,), "Guest 1")))


def test_the_old_log_stays_until_the_new_one_is_as_long(tmp_path: Path) -> None:
    replica, old, new = old_and_new(tmp_path)
    fresh = replica.fork("e1")
    for one in new[:2]:
        fresh.add(one)
    replica.put(*new[:2])
    assert not replica.drop_old({"e1": 1}, following="e1")
    assert [one.mac for one in replica.read("e1")] == [one.mac for one in old]
    fresh.add(new[2])
    replica.put(new[2])
    assert replica.drop_old({"e1": 1}, following="e1")
    committed(replica)
    assert [one.mac for one in replica.read("e1")] == [one.mac for one in new]
    assert named(tmp_path.glob("*.db*")) == []


def test_of_an_evening_that_nobody_follows_the_old_log_goes_at_once(tmp_path: Path) -> None:
    replica, _, _ = old_and_new(tmp_path)
    assert replica.drop_old({"e1": 1}, following="e2")
    committed(replica)
    assert list(replica.read("e1")) == []
    assert named(tmp_path.glob("*.db*")) == []


def test_whoever_asked_is_renamed_too_and_what_names_nobody_is_as_it_was() -> None:
    renaming = Renaming(("Ann",), "Guest 1")
    leave = facts.Leave(1, "ann", "Ann (web)")
    assert renaming.applied(leave) == replace(leave, player="Guest 1", by="Guest 1 (web)")
    dice = facts.Rolloff(1, "buncos", {"Ann": (1,), "Annika": (2,)})
    assert renaming.applied(dice) == replace(dice, dice={"Guest 1": (1,), "Annika": (2,)})
    decide = facts.PrizeDecision(1, "champion", ("Bob", "ANN"))
    assert renaming.applied(decide) == replace(decide, to=("Bob", "Guest 1"))
    pause = facts.Pause(1, 5, "Annika")
    assert renaming.applied(pause) is pause


@pytest.mark.parametrize("written", ["ZOË LEE", "Zoe\u0308  Lee", "zoë lee"])
def test_a_name_is_found_in_a_log_in_any_spelling(written: str) -> None:
    found = Renaming(("Zoë Lee",), "Guest 1").in_text(codec.encode(facts.Leave(1, written)).decode())
    assert found
