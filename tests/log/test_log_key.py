"""No single damaged file stops a start: the log key, its copy, and the notes of what has rung."""

from pathlib import Path

import pytest

from pi_bunco.head.service import Notes
from pi_bunco.log.chain import LOG_KEY, SPARE_KEY, read_key, sound_key

SPOILED = {
    "empty": b"",
    "torn": b"3f" * 20,
    "zeros": bytes(67),
    "no text": b"\xff\xfe" * 30,
    "a number too large": b"3f" * 32 + b" " + b"9" * 5000,
}


@pytest.mark.parametrize("content", SPOILED.values(), ids=list(SPOILED))
@pytest.mark.parametrize("name", [LOG_KEY, SPARE_KEY])
def test_a_spoiled_file_of_the_key_is_taken_from_the_other(tmp_path: Path, name: str, content: bytes) -> None:
    """Trace: a head starts, is switched off, a card spoils one file, it starts: exit 2 at every start."""
    paths = tmp_path / LOG_KEY, tmp_path / SPARE_KEY
    key, why = sound_key(*paths)
    assert why == ""
    (tmp_path / name).write_bytes(content)
    again, why = sound_key(*paths)
    assert again == key
    assert bool(why) == (name == LOG_KEY)
    assert sound_key(*paths) == (key, "")
    assert (tmp_path / f"{name}.damaged").read_bytes() == content


@pytest.mark.parametrize("content", SPOILED.values(), ids=list(SPOILED))
def test_where_both_are_spoiled_a_new_key_is_drawn_and_kept(tmp_path: Path, content: bytes) -> None:
    paths = tmp_path / LOG_KEY, tmp_path / SPARE_KEY
    before, _ = sound_key(*paths)
    for path in paths:
        path.write_bytes(content)
    key, why = sound_key(*paths)
    assert key != before
    assert "a new one is drawn" in why
    assert sound_key(*paths) == (key, "")


def test_a_spoiled_key_of_the_hall_is_left_as_it_is(tmp_path: Path) -> None:
    """It is a credential of the service, which it cannot write."""
    hall, spare = tmp_path / "etc" / "log-key", tmp_path / SPARE_KEY
    hall.parent.mkdir()
    hall.write_text("ab" * 32 + " 100\n")
    key, _ = sound_key(hall, spare)
    hall.write_bytes(b"")
    again, why = sound_key(hall, spare)
    assert (again, hall.read_bytes()) == (key, b"")
    assert why.endswith(f"the copy in {spare} is used.")
    assert read_key(spare).base == 100


@pytest.mark.parametrize("content", SPOILED.values(), ids=list(SPOILED))
def test_spoiled_notes_of_what_has_rung_are_passed_over(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "rung.jsonl").write_bytes(content + b"\n" + b"[" * 10_000)
    notes = Notes(tmp_path / "rung.jsonl", "b")
    assert notes.all() == {}
    notes.close()
