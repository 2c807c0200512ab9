import json
from collections.abc import Callable, Iterable
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from logs import logged
from pi_bunco.game import facts
from pi_bunco.hall import evidence
from pi_bunco.log.entry import Origin
from pi_bunco.log.journal import Journal, latest
from pi_bunco.runtime.writer import Reports
from pi_bunco.wire.messages import Envelope
from pi_bunco.wire.outbox import OutboxFile

HEAD: tuple[facts.Fact, ...] = (
    facts.EveningOpen(0, "classic", ("Ann", "Bob", "Cat", "Dee")),
    facts.Seating(0, (("Ann", "Bob", "Cat", "Dee"),)),
    facts.RoundOpen(5),
)
BUNCO = facts.Roll(12, 1, (1, 1, 1), source="dice", epoch=1)
LOG = (
    *(logged(n, "e1", fact) for n, fact in enumerate(HEAD, 1)),
    logged(4, "e1", facts.Roll(9, 1, (1, 2, 3), source="dice", epoch=1), Origin(1, "s", 1)),
    logged(5, "e1", BUNCO, Origin(1, "s", 2)),
    logged(6, "e1", facts.BellRang(13, 1)),
)
BELLS = "e0:1:end", "e1:1:start", "e1:1:end"


def envelope(seq: int, dice: Iterable[int], evening: str = "e1") -> Envelope:
    one, two, three = dice
    fact = facts.Rolled((one, two, three), source="dice")
    return Envelope(1, evening, "s", seq, 1, 1, 9, 1.0, 9, "b", fact)


HELD = {(1, "s", 1): envelope(1, (1, 2, 3)), (1, "s", 2): envelope(2, (1, 1, 1))}


@pytest.fixture
def bells(tmp_path: Path) -> Callable[..., Path]:
    def write(*ids: str) -> Path:
        path = tmp_path / "bells.jsonl"
        path.write_text("".join(f"{json.dumps({'id': id, 't': 1})}\n" for id in ids))
        return path

    return write


def test_a_night_in_order_gives_no_complaint(bells: Callable[..., Path]) -> None:
    found = evidence.examine(LOG, HELD, bells(*BELLS))
    assert found == evidence.Evidence(2, 1, 1, 1, 0, 0, 0, 0, ())
    assert found.complaints == []


def test_fact_missing_in_the_journal_is_lost(bells: Callable[..., Path]) -> None:
    log = [entry for entry in LOG if entry.decoded() != BUNCO]
    found = evidence.examine(log, HELD, bells(*BELLS))
    assert (found.absent, found.gaps) == (1, 0)
    assert found.complaints == ["Not in the journal: 1 fact that a table had saved."]
    assert evidence.missing(HELD, log) == 1
    assert evidence.missing(HELD, LOG) == 0


def test_a_fact_that_is_there_twice_is_double(bells: Callable[..., Path]) -> None:
    found = evidence.examine([*LOG, logged(7, "e1", BUNCO, Origin(1, "s", 2))], HELD, bells(*BELLS))
    assert (found.double, found.absent) == (1, 0)
    assert "Twice in the journal: 1 fact." in found.complaints


def test_a_fact_that_is_another_than_the_table_saved_is_changed(bells: Callable[..., Path]) -> None:
    found = evidence.examine(LOG, HELD | {(1, "s", 1): envelope(1, (6, 6, 6))}, bells(*BELLS))
    assert found.changed == 1
    assert len(found.complaints) == 1


def test_a_place_that_nobody_has_is_a_gap_and_no_complaint(bells: Callable[..., Path]) -> None:
    found = evidence.examine([*LOG[:3], *LOG[4:]], {(1, "s", 2): HELD[1, "s", 2]}, bells(*BELLS))
    assert (found.gaps, found.absent, found.complaints) == (1, 0, [])


@pytest.mark.parametrize(
    ("rang", "complaint"),
    [
        (("e1:1:start",), "The signal 1:end (round:signal) did not sound."),
        (("e1:1:end",), "The signal 1:start (round:signal) did not sound."),
        ((*BELLS, "e1:1:end"), "The signal 1:end (round:signal) sounded 2 times."),
        ((*BELLS, "e1:2:start"), "The signal 2:start (round:signal) sounded without a reason."),
    ],
)
def test_every_bell_sounds_once(bells: Callable[..., Path], rang: tuple[str, ...], complaint: str) -> None:
    assert evidence.examine(LOG, HELD, bells(*rang)).complaints == [complaint]


def test_a_round_that_was_broken_off_needs_no_end_bell(bells: Callable[..., Path]) -> None:
    found = evidence.examine(LOG[:5], HELD, bells("e1:1:start"))
    assert (found.starts, found.ends, found.wrong_bells) == (1, 0, ())


def test_empty_evidence_has_no_complaint(tmp_path: Path) -> None:
    assert latest(tmp_path / "journal.db") == []
    assert evidence.examine([], {}, tmp_path / "none").complaints == []


def test_the_files_are_read_as_the_services_write_them(tmp_path: Path) -> None:
    written: SimpleQueue[Any] = SimpleQueue()
    reports = Reports(written.put, lambda why: pytest.fail(why))
    journal = Journal(tmp_path / "journal.db", reports)
    (tmp_path / "table2").mkdir()
    outbox = OutboxFile(tmp_path / "table2" / "outbox.db", reports, 0.0, "s")
    journal.append(*LOG)
    for evening in ("e0", "e1"):
        outbox.append(evening=evening, epoch=1, err=1.0, up=9, boot="b", fact=envelope(1, (1, 2, 3)).fact)
    journal.close()
    outbox.close()
    assert latest(tmp_path / "journal.db") == list(LOG)
    held = evidence.saved(tmp_path, "e1")
    assert {key: one.fact for key, one in held.items()} == {(2, "s", 2): envelope(1, (1, 2, 3)).fact}
