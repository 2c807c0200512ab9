"""Promises that hold after a night, whatever happened: counted from the files that are left."""

from collections import Counter
from pathlib import Path

from pi_bunco.game import facts
from pi_bunco.game.replay import Replay, replay
from pi_bunco.log import journal
from pi_bunco.runtime.store import rows
from pi_bunco.wire.outbox import SCHEMA
from services.hall import Hall


def told(folder: Path, evening: str) -> Counter[tuple[str, int]]:
    """Every fact of the evening that a table has on disk, by stream and seq."""
    found: Counter[tuple[str, int]] = Counter()
    for path in sorted(folder.glob("table*/outbox.db")):
        found.update(rows(path, SCHEMA, "SELECT stream, seq FROM envelopes WHERE evening = ?", (evening,)))
    return found


def check(hall: Hall) -> Replay:
    """No fact lost or double, each bell rung once, and the journal replays to what the head says."""
    evening = hall.evening
    hall.close()
    path = hall.folder / "journal.db"
    entries = journal.read(path, evening.id)
    origins = Counter((entry.origin.stream, entry.origin.seq) for entry in entries if entry.origin)
    assert not [origin for origin, times in origins.items() if times > 1]
    missing = told(hall.folder, evening.id) - origins
    assert not missing, f"lost: {sorted(missing)}"
    played = replay(journal.export(path), "journal")
    kinds = Counter(type(entry.decoded()) for entry in entries)
    opened = kinds[facts.RoundOpen]
    rung = Counter(id.split(":")[2] for id in hall.rings)
    assert len(hall.rings) == len(set(hall.rings))
    assert rung["start"] == opened
    assert sum(rung.values()) - opened == kinds[facts.BellRang]
    assert kinds[facts.BellVoid] or rung["end"] == opened
    return played
