import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from disks import GENEROUS, Disk, Told
from pi_bunco.game.facts import Rolled
from pi_bunco.runtime import store
from pi_bunco.runtime.store import DamagedError
from pi_bunco.runtime.writer import Kept, SqlStatement
from pi_bunco.wire.gate import encode
from pi_bunco.wire.messages import Envelope
from pi_bunco.wire.outbox import ACKNOWLEDGE, MAX_AGAIN, RESEND_AFTER_MS, SCHEMA, OutboxFile, Saved
from pi_bunco.wire.topics import WireError

ROLL = Rolled((1, 1, 4), began=3100, source="dice")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "outbox.db"


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def outbox(path: Path, told: Told) -> Iterator[OutboxFile]:
    outbox = OutboxFile(path, told.reports, 0, stream="s1")
    yield outbox
    outbox.close()


def tell(outbox: OutboxFile, evening: str = "e1", up: int = 0, **changed: Any) -> Envelope:
    fields: dict[str, Any] = {"epoch": 3, "err": 3.0, "boot": "5be2", "fact": ROLL} | changed
    return outbox.append(evening=evening, up=up, **fields)


def again(outbox: OutboxFile, told: Told, stream: str) -> OutboxFile:
    outbox.close()
    return OutboxFile(outbox.path, told.reports, 0, stream=stream)


def places(envelopes: list[Envelope]) -> list[tuple[str, int]]:
    return [(one.stream, one.seq) for one in envelopes]


def test_a_fact_goes_at_once_and_is_saved_in_parallel(told: Told, outbox: OutboxFile) -> None:
    one = tell(outbox)
    assert one == Envelope(1, "e1", "s1", 1, 1, 3, None, 3.0, 0, "5be2", ROLL)
    assert outbox.due(0) == [one]
    assert told.next() == [Saved(one, encode(one))]
    assert tell(outbox).seq == 2
    assert len(outbox) == 2


def test_streams_are_drawn(path: Path, told: Told, outbox: OutboxFile) -> None:
    one, other = (OutboxFile(path.with_name(name), told.reports, 0) for name in ("a.db", "b.db"))
    assert one.stream != other.stream
    assert len(one.stream) == 10
    one.close()
    other.close()


def test_unacknowledged_facts_are_sent_again_after_a_restart(told: Told, outbox: OutboxFile) -> None:
    for _ in range(3):
        tell(outbox)
    outbox.due(0)
    outbox.acknowledged("s1", 1, 1)
    second = again(outbox, told, "s2")
    assert len(second) == 2
    tell(second)
    third = again(second, told, "s3")
    tell(third)
    gone = []
    while due := third.due(0):
        gone += places(due)
        third.acknowledged(due[-1].stream, due[-1].seq, due[-1].seq)
    assert gone == [("s1", 2), ("s1", 3), ("s2", 1), ("s3", 1)]
    third.close()


def test_acknowledged_facts_are_kept_for_a_rebuilt_head(told: Told, outbox: OutboxFile) -> None:
    for _ in range(3):
        tell(outbox)
    outbox.acknowledged("s1", 3, 3)
    second = again(outbox, told, "s2")
    assert len(second) == 0
    second.acknowledged("s1", 1, 1)
    assert len(second) == 2
    assert places(second.due(0)) == [("s1", 2), ("s1", 3)]
    third = again(second, told, "s3")
    assert len(third) == 2
    third.close()


def test_what_has_not_arrived_of_a_closed_evening_is_sent_before_it_is_deleted(
    told: Told, outbox: OutboxFile
) -> None:
    tell(outbox)
    tell(outbox)
    tell(outbox, "e2")
    outbox.acknowledged("s1", 1, 1)
    outbox.evening_over("e1")
    assert places(outbox.due(0)) == [("s1", 2), ("s1", 3)]
    outbox.acknowledged("s1", 2, 2)
    assert outbox.evenings() == ["e2"]
    second = again(outbox, told, "s2")
    assert second.evenings() == ["e2"]
    second.close()


def test_what_some_head_had_received_says_so_after_a_restart_too(told: Told, outbox: OutboxFile) -> None:
    """Its bell has rung: a head that has lost it must not ring again."""
    tell(outbox)
    tell(outbox)
    outbox.due(0)
    outbox.acknowledged("s1", 1, 0)
    outbox.head_changed()
    assert [one.received for one in outbox.due(1)] == [True, False]
    tell(outbox)  # with this write it is on disk
    second = again(outbox, told, "s2")
    assert [one.received for one in second.due(0)] == [True, False, False]
    second.close()


def test_what_a_head_has_set_aside_has_rung_for_nobody(told: Told, outbox: OutboxFile) -> None:
    """A head that plays another evening has it on disk and never applied it."""
    tell(outbox)
    tell(outbox)
    outbox.acknowledged("s1", 1, 2)
    assert not outbox.due(0)
    second = again(outbox, told, "s2")
    assert not second.due(0)
    second.acknowledged("s1", 0, 0)
    assert [one.received for one in second.due(0)] == [True, False]
    second.close()


def test_all_streams_of_the_evening_are_named_committed_or_not(told: Told, outbox: OutboxFile) -> None:
    tell(outbox)
    tell(outbox)
    outbox.acknowledged("s1", 2, 2)
    second = again(outbox, told, "s2")
    assert second.streams("e1") == (("s1", 2), ("s2", 0))
    tell(second)
    assert second.streams("e1") == (("s1", 2), ("s2", 1))
    assert second.streams("e2") == (("s2", 1),)
    second.close()


def test_a_mark_is_known_until_its_evening_is_over(told: Told, outbox: OutboxFile) -> None:
    assert not outbox.has(("a7c1", 6))
    one = tell(outbox, mark=("a7c1", 6))
    assert one.mark == ("a7c1", 6)
    assert outbox.has(("a7c1", 6))
    second = again(outbox, told, "s2")
    assert second.has(("a7c1", 6))
    assert not second.has(("a7c1", 7))
    assert not second.has(None)
    second.close()


def test_another_stream_begins_at_one(told: Told, outbox: OutboxFile) -> None:
    tell(outbox)
    outbox.acknowledged("s1", 1, 1)
    assert outbox.renew("s2") == "s2"
    assert tell(outbox, "e2").seq == 1
    assert places(outbox.due(0)) == [("s2", 1)]
    assert len(outbox.renew()) == 10


def test_number_and_age_of_unsent_facts(told: Told, outbox: OutboxFile) -> None:
    for up in range(100):
        tell(outbox, up=1000 + up)
    assert len(outbox.due(1100)) == 100
    assert outbox.oldest_ms(1100) == 100
    assert outbox.due(1100) == []
    outbox.reconnected()
    assert len(outbox.due(1100)) == 100
    assert len(outbox.due(1100 + RESEND_AFTER_MS)) == MAX_AGAIN


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"mark": ("x" * 65, 1)}, "length <= 64"),
        ({"evening": ""}, "length >= 1"),
        ({"epoch": -1}, ">= 0"),
        ({"up": 2**70}, "cannot be sent"),
        ({"fact": Rolled((1, 1, 7))}, "<= 6"),
    ],
)
def test_outbox_refuses_facts_that_a_head_would_drop(
    outbox: OutboxFile, changed: dict[str, Any], why: str
) -> None:
    with pytest.raises(WireError, match=why):
        tell(outbox, **changed)
    assert len(outbox) == 0
    assert tell(outbox).seq == 1


def test_values_are_committed_with_their_fact(told: Told, outbox: OutboxFile) -> None:
    dice = {"boot": "5be2", "seq": 41}
    one = tell(outbox, kept={"dice": dice})
    assert told.next() == [Saved(one, encode(one)), Kept("dice", dice)]
    outbox.keep("epoch", 4)
    assert told.next() == [Kept("epoch", 4)]
    second = again(outbox, told, "s2")
    assert second.kept == {"dice": dice, "epoch": 4}
    second.close()


def test_acknowledgements_wait_for_a_write_that_is_needed_anyway(told: Told, outbox: OutboxFile) -> None:
    one = tell(outbox)
    assert told.next() == [Saved(one, encode(one))]
    for _ in range(5):
        outbox.acknowledged("s1", 1, 1)
    outbox.acknowledged("unknown", 7, 7)
    other = tell(outbox)
    assert told.next() == [SqlStatement(ACKNOWLEDGE, ("s1", 1, 1)), Saved(other, encode(other))]


def test_the_table_plays_on_while_the_card_fails(path: Path, told: Told) -> None:
    disk = Disk()
    outbox = OutboxFile(path, told.reports, 0, "s1", disk.start)
    tell(outbox)
    told.committed(1)
    disk.error = "disk I/O error"
    tell(outbox)
    assert told.next() == "disk I/O error"
    tell(outbox)
    assert places(outbox.due(0)) == [("s1", 1), ("s1", 2), ("s1", 3)]
    outbox.acknowledged("s1", 2, 2)
    disk.error = None
    outbox.writer.retry()
    assert told.next() == "recovered"
    told.committed(3)
    second = again(outbox, told, "s2")
    assert len(second) == 1
    second.close()


def test_a_card_that_cannot_be_read_does_not_stop_the_table(path: Path, told: Told) -> None:
    path.mkdir()
    outbox = OutboxFile(path, told.reports, 0, "s1")
    tell(outbox)
    assert str(path) in told.next()
    assert places(outbox.due(0)) == [("s1", 1)]
    path.rmdir()
    outbox.writer.retry()
    assert told.next() == "recovered"
    told.committed(1)
    outbox.close()


def test_an_unreadable_fact_is_damage(path: Path, told: Told, outbox: OutboxFile) -> None:
    tell(outbox)
    told.committed(1)
    outbox.close()
    connection = store.connect(path, SCHEMA)
    connection.execute("UPDATE envelopes SET envelope = '{'")
    connection.close()
    with pytest.raises(DamagedError, match="unreadable fact"):
        OutboxFile(path, told.reports, 0)


APPENDER = """
import sys
import threading
from pathlib import Path
from pi_bunco.game.facts import SawBell
from pi_bunco.wire.outbox import OutboxFile
from pi_bunco.runtime.writer import Reports

room = threading.Semaphore(100)

def committed(records):
    room.release(len(records))
    sys.stdout.write("".join(f"{saved.envelope.seq}\\n" for saved in records))
    sys.stdout.flush()

outbox = OutboxFile(Path(sys.argv[1]), Reports(committed, sys.exit), 0, "s1")
while room.acquire():
    outbox.append(evening="e1", epoch=1, err=None, up=1, boot="b", fact=SawBell())
"""


@pytest.mark.parametrize("lines", [1, 300, 1500])
def test_kill_loses_no_saved_fact(path: Path, told: Told, lines: int) -> None:
    child = subprocess.Popen([sys.executable, "-c", APPENDER, str(path)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    with child.stdout:
        seen = [child.stdout.readline() for _ in range(lines)]
        child.kill()
        seen += [line for line in child.stdout if line.endswith(b"\n")]
    assert child.wait(GENEROUS) == -9
    outbox = OutboxFile(path, told.reports, 0, "s2")
    gone = []
    while due := outbox.due(0):
        gone += places(due)
        outbox.acknowledged(due[-1].stream, due[-1].seq, due[-1].seq)
    assert [int(line) for line in seen] == list(range(1, len(seen) + 1))
    assert len(gone) >= len(seen) >= lines
    assert gone == [("s1", seq) for seq in range(1, len(gone) + 1)]
    outbox.close()
