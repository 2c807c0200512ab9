import io
import json
import os
import sys
from pathlib import Path

import pytest

from logs import logged
from pi_bunco.cli import main
from pi_bunco.game import facts
from pi_bunco.log.journal import Journal
from pi_bunco.runtime.writer import Reports

PEOPLE = ("Ann", "Bob", "Cat", "Dee")
QUIET = Reports(lambda _: None, lambda why: pytest.fail(why))
Said = pytest.CaptureFixture[str]


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """A journal of two evenings, the second with a seating."""
    path = tmp_path / "journal.db"
    store = Journal(path, QUIET)
    store.append(logged(1, "first", facts.EveningOpen(0, "bonko", PEOPLE, id="first")))
    store.append(logged(1, "second", facts.EveningOpen(0, "gong", PEOPLE, id="second")))
    store.append(logged(2, "second", facts.Seating(5, (PEOPLE,))))
    assert store.close(30) == []
    return path


def run(*arguments: object) -> int:
    return main(["export", *map(str, arguments)])


def test_the_latest_evening_is_written_one_fact_a_line(journal: Path, capsys: Said) -> None:
    assert run(journal) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [json.loads(line)["kind"] for line in lines] == ["evening", "seating"]
    assert run("--data", journal.parent, "--evening", "first") == 0
    assert json.loads(capsys.readouterr().out)["id"] == "first"


def test_exported_log_can_be_replayed(journal: Path, capsys: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(journal) == 0
    log = io.TextIOWrapper(io.BytesIO(capsys.readouterr().out.encode()))
    monkeypatch.setattr(sys, "stdin", log)
    assert main(["replay", "-", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["next_seating"] == [list(PEOPLE)]


def test_the_evenings_are_listed_the_oldest_first(journal: Path, capsys: Said) -> None:
    assert run(journal, "--list") == 0
    assert capsys.readouterr().out.splitlines() == [
        "first  date unknown  bonko  1 facts  4 players: Ann, Bob, Cat, Dee",
        "second  date unknown  gong  2 facts  4 players: Ann, Bob, Cat, Dee",
    ]


def test_a_file_is_written_whole(journal: Path, tmp_path: Path, capsys: Said) -> None:
    log = tmp_path / "night.jsonl"
    log.write_text("an older one")
    assert run(journal, "-o", log) == 2
    assert log.read_text() == "an older one"
    assert "exists already and is kept; --force writes over it" in capsys.readouterr().err
    assert run(journal, "-o", log, "--force") == 0
    assert len(log.read_text().splitlines()) == 2
    assert sorted(tmp_path.glob("night*")) == [log]
    assert capsys.readouterr().out == ""


def test_the_data_folder_may_be_in_the_config(journal: Path, tmp_path: Path, capsys: Said) -> None:
    (tmp_path / "c.toml").write_text(f'data = "{tmp_path}"')
    assert run("--config", tmp_path / "c.toml", "--list") == 0
    assert "second" in capsys.readouterr().out


def test_a_backup_can_be_made_while_the_journal_is_in_use(
    journal: Path, tmp_path: Path, capsys: Said
) -> None:
    store = Journal(journal, QUIET)
    try:
        assert run(journal, "--backup", tmp_path / "copy.db") == 0
    finally:
        store.close(30)
    assert run(tmp_path / "copy.db", "--list") == 0
    assert "second  date unknown  gong  2 facts" in capsys.readouterr().out
    assert run(journal, "--backup", tmp_path / "copy.db") == 2
    assert "copy.db exists already; it is kept" in capsys.readouterr().err


def test_export_of_an_invalid_journal_prints_only_the_error(
    journal: Path, tmp_path: Path, capsys: Said
) -> None:
    (tmp_path / "torn.db").write_bytes(journal.read_bytes()[:5000])
    (tmp_path / "text.db").write_text("hello")
    wrong = {
        (tmp_path / "none.db",): f"there is no journal {tmp_path}/none.db",
        (tmp_path / "torn.db",): "it is kept",
        (tmp_path / "text.db",): "it is kept",
        (journal, "--evening", "third"): "there is no evening third in the journal",
        (journal, "-o", tmp_path / "no" / "file"): "cannot be written: No such file or directory",
        (journal, "-o", journal): "is the journal itself",
        (journal, "--data", tmp_path): "name the journal once",
        (): "--data is missing",
    }
    before = journal.read_bytes()
    for arguments, why in wrong.items():
        assert run(*arguments) == 2, arguments
        out, said = capsys.readouterr()
        assert out == ""
        assert why in said
        assert said.startswith("pi-bunco export: ")
    assert journal.read_bytes() == before


def test_a_journal_without_an_evening_says_so(tmp_path: Path, capsys: Said) -> None:
    store = Journal(tmp_path / "journal.db", QUIET)
    store.keep("a", 1)
    store.close(30)
    assert run("--data", tmp_path) == 2
    assert "there is no evening in the journal" in capsys.readouterr().err
    assert run("--data", tmp_path, "--list") == 0
    assert capsys.readouterr().out == ""


def test_the_reader_may_go_away(journal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with `pi-bunco export | head -1`."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as pipe:
        monkeypatch.setattr(sys, "stdout", pipe)
        assert run(journal) == 1
