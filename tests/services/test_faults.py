"""A night that survives its host's clumsiness, on a clock that is moved by hand."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random

import pytest

from pi_bunco.play.players import Habits
from pi_bunco.wire.outbox import ASK_COMMIT_AFTER_MS, MAX_AGAIN
from services.evidence import check
from services.hall import BUNCO, DISK, LATENCY, MISS, ONE, Hall, HeadNode, TableNode
from thorough import times

PEOPLE = Habits(think=700, tumble=300, ok=1000, forgets=0.05, dawdles=0.3)


def more_rounds(hall: Hall, played: int) -> bool:
    return len(hall.evening.rounds) > played


@contextmanager
def without_card(node: HeadNode | TableNode) -> Iterator[None]:
    """The node's card cannot be read or written meanwhile."""
    writer = (node.journal if isinstance(node, HeadNode) else node.outbox).writer
    good, writer._open_connection = writer._open_connection, _no_card
    writer._disconnect()
    yield
    writer._open_connection = good


def _no_card() -> sqlite3.Connection:
    raise sqlite3.OperationalError("disk I/O error")


def clumsy(hall: Hall, random: Random) -> None:
    """Pulls a plug, a cable or a card, and puts it back some time later."""
    nodes: list[HeadNode | TableNode] = [hall.head, *hall.tables.values()]
    victim = random.choice(nodes)
    pause = random.choice([1.0, 30.0, 700.0, 4000.0])
    if random.random() < 0.3 and victim is not hall.head:
        hall.cut(victim)
        hall.wait(pause)
        hall.heal(victim)
        return
    if random.random() < 0.2:
        with without_card(victim):
            hall.wait(pause)
        return
    hall.kill(victim)
    hall.wait(pause)
    if isinstance(victim, TableNode):
        hall.start_table(victim.number)
    else:
        hall.start_head()


@pytest.mark.parametrize("seed", range(times(12)))
def test_plugs_pulled_at_random_lose_nothing_and_ring_every_bell_once(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    hall = Hall(tmp_path, 2, PEOPLE, auto_confirm=5000)
    hall.open(8, random.choice(["bonko", "classic", "gong", "tournament"]), **{"evening.sets": 1})
    for played in range(2):
        hall.do("round_start")
        for _ in range(8):
            hall.wait(random.uniform(0, 4000))
            clumsy(hall, random)
        hall.until(partial(more_rounds, hall, played))
        hall.wait(2000)
    replay = check(hall)
    assert len(replay.evening.rounds) == 2


def test_a_table_asks_for_the_word_of_a_commit_that_got_lost(tmp_path: Path) -> None:
    hall = Hall(tmp_path, 3)
    hall.open(12, "bonko")
    hall.do("round_start")
    hall.wait(3000)
    table = hall.tables[2]
    table.throw(ONE)
    hall.wait(LATENCY + DISK - 1)
    subscriptions, table._subscriptions = table._subscriptions, ()
    hall.wait(100)
    table._subscriptions = subscriptions
    assert len(table.outbox) == 1
    hall.wait(ASK_COMMIT_AFTER_MS)
    assert len(table.outbox) == 0


def test_a_head_whose_card_fails_for_long_hears_every_roll_and_rings(tmp_path: Path) -> None:
    hall = Hall(tmp_path, 3, auto_confirm=1000)
    hall.open(12, "bonko")
    hall.do("round_start")
    hall.wait(3000)
    with without_card(hall.head):
        for number in (2, 3):
            hall.tables[number].throw(ONE)
        for _ in range(MAX_AGAIN + 10):
            hall.tables[1].throw(MISS)
            hall.wait(1000)
        hall.tables[1].throw(BUNCO)
        hall.wait(1000)
        assert [id.rpartition(":")[2] for id in hall.rings] == ["start", "end"]
        assert [text for text in hall.warnings if "renews" in text] == []
    hall.until(lambda: len(hall.evening.rounds) == 1)
    hall.until(lambda: all(len(table.outbox) == 0 for table in hall.tables.values()))
    check(hall)


@pytest.mark.parametrize("between", ["plug", "evening"])
def test_neither_a_plug_nor_another_evening_makes_such_a_head_deaf(tmp_path: Path, between: str) -> None:
    hall = Hall(tmp_path, 3, auto_confirm=1000)
    hall.open(12, "bonko")
    hall.do("round_start")
    hall.wait(3000)
    with without_card(hall.head):
        hall.tables[1].throw(MISS)
        hall.wait(500)
        if between == "plug":
            hall.kill(hall.tables[1])
            hall.start_table(1)
            hall.wait(2000)
        else:
            hall.open(12, "bonko")
            hall.do("round_start")
            hall.wait(3000)
        hall.tables[1].throw(BUNCO)
        hall.wait(15_000)
        assert hall.rings[-1] == f"{hall.evening.id}:1:end"
        assert [text for text in hall.warnings if "renews" in text] == []
    hall.tables[2].throw(ONE)  # with something new the head tries its card again
    hall.until(lambda: all(len(table.outbox) == 0 for table in hall.tables.values()))
