import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards import card
from pi_bunco.errors import BuncoError
from pi_bunco.runtime import store
from pi_bunco.runtime.store import DamagedError, Schema, StoreError

SCHEMA = Schema("the notes", 0x4E4F5445, 1, "CREATE TABLE notes (text TEXT NOT NULL) STRICT;")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "no#tes ü.db"


def write(path: Path, *texts: str) -> None:
    with closing(store.connect(path, SCHEMA)) as connection:
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO notes VALUES (?)", [(text,) for text in texts])
        connection.execute("COMMIT")


def notes(path: Path) -> list[str]:
    return [text for (text,) in store.rows(path, SCHEMA, "SELECT text FROM notes")]


def crashed(path: Path, to: Path) -> None:
    """Leaves at `to` what a power cut would: the file and its log, before any checkpoint."""
    with closing(store.connect(path, SCHEMA)) as connection:
        connection.execute("INSERT INTO notes VALUES ('in the log')")
        to.parent.mkdir(parents=True, exist_ok=True)
        for side in ("", "-wal"):
            Path(f"{to}{side}").write_bytes(Path(f"{path}{side}").read_bytes())


def test_there_is_nothing_until_something_connects(path: Path) -> None:
    assert not store.inspect(path, SCHEMA)
    assert notes(path) == []
    assert not path.parent.exists()
    store.connect(path, SCHEMA).close()
    assert [one.name for one in path.parent.iterdir()] == [path.name]
    assert store.inspect(path, SCHEMA)


def test_commits_are_durable(path: Path) -> None:
    with closing(store.connect(path, SCHEMA)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_a_connection_holds_little_of_its_store_in_memory(path: Path) -> None:
    with closing(store.connect(path, SCHEMA)) as connection:
        assert connection.execute("PRAGMA cache_size").fetchone() == (-store.CACHE_KB,)


def test_half_made_store_is_made_anew(path: Path) -> None:
    path.parent.mkdir()
    for side in (".part", ".part-wal", ".part-journal"):
        path.with_name(path.name + side).write_bytes(b"half a store")
    write(path, "a")
    assert notes(path) == ["a"]


def test_the_log_of_a_cut_is_read(path: Path, tmp_path: Path) -> None:
    to = tmp_path / "cut" / "notes.db"
    crashed(path, to)
    assert store.inspect(to, SCHEMA)
    assert notes(to) == ["in the log"]
    write(to, "after")
    assert notes(to) == ["in the log", "after"]


def test_a_log_without_its_file_is_kept(path: Path, tmp_path: Path) -> None:
    to = tmp_path / "cut" / "notes.db"
    crashed(path, to)
    to.unlink()
    log = Path(f"{to}-wal").read_bytes()
    with pytest.raises(DamagedError, match="-wal file is there"):
        store.inspect(to, SCHEMA)
    with pytest.raises(DamagedError, match="-wal file is there"):
        store.connect(to, SCHEMA)
    assert store.set_aside(to) == to.with_name("notes.db.damaged-1")
    assert Path(f"{to}.damaged-1-wal").read_bytes() == log
    assert not store.inspect(to, SCHEMA)


def assert_refused(path: Path, why: str) -> None:
    """The file at `path` is refused by everything and is the same as before."""
    before = path.read_bytes()
    for look in (store.inspect, store.connect, lambda path, schema: notes(path)):
        with pytest.raises(DamagedError, match=why) as caught:
            look(path, SCHEMA)
        assert isinstance(caught.value, BuncoError)
        assert isinstance(caught.value, OSError)
        assert str(path) in str(caught.value)
        assert path.read_bytes() == before


@given(content=st.binary(max_size=9000))
def test_random_bytes_are_refused_and_kept(content: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("random") / "notes.db"
    path.write_bytes(content)
    assert_refused(path, "it is kept")


def test_another_programs_file_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "cookies.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE cookies (name TEXT)")
    assert_refused(path, "another program's file")


def test_another_store_of_ours_is_refused(path: Path) -> None:
    store.connect(path, Schema("the journal", 7, 1, "")).close()
    assert_refused(path, "is not the notes")


def test_another_version_is_refused(path: Path) -> None:
    store.connect(path, Schema("the notes", SCHEMA.application, 2, "")).close()
    assert_refused(path, "has version 2, not 1")


@pytest.mark.parametrize("keep", [1, 100, 4096, 5000, 12288])
def test_a_truncated_file_is_refused_and_kept(path: Path, keep: int) -> None:
    write(path, *("x" * 500 for _ in range(100)))
    path.write_bytes(path.read_bytes()[:keep])
    before = path.read_bytes()
    with pytest.raises(DamagedError, match="it is kept"):
        store.inspect(path, SCHEMA)
    assert path.read_bytes() == before


def test_pages_of_zeros_are_found(path: Path) -> None:
    write(path, *("x" * 500 for _ in range(100)))
    content = bytearray(path.read_bytes())
    content[8192:16384] = bytes(8192)
    path.write_bytes(content)
    with pytest.raises(DamagedError, match="damaged"):
        store.inspect(path, SCHEMA)


@pytest.mark.parametrize("damage", ["x'66ff'", "x'ff'"])
def test_text_that_is_none_is_damage(path: Path, damage: str) -> None:
    write(path, "one")
    with closing(store.connect(path, SCHEMA)) as connection:
        connection.execute(f"UPDATE notes SET text = CAST({damage} AS TEXT)")
    with pytest.raises(DamagedError, match="the file is damaged; it is kept"):
        notes(path)
    assert path.exists()


def test_a_folder_in_the_files_place_is_an_error_but_no_damage(path: Path) -> None:
    path.mkdir(parents=True)
    for look in (store.inspect, store.connect):
        with pytest.raises(StoreError, match=r"cannot be opened|Is a directory") as caught:
            look(path, SCHEMA)
        assert not isinstance(caught.value, DamagedError)


def test_a_file_in_the_folders_place_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    with pytest.raises(StoreError, match="the notes"):
        store.connect(tmp_path / "data" / "notes.db", SCHEMA)


def test_setting_aside_never_overwrites(path: Path) -> None:
    for n in (1, 2, 3):
        write(path, str(n))
        assert store.set_aside(path) == path.with_name(f"{path.name}.damaged-{n}")
    for n in (1, 2, 3):
        assert notes(path.with_name(f"{path.name}.damaged-{n}")) == [str(n)]


def test_setting_aside_takes_the_log_along(path: Path, tmp_path: Path) -> None:
    to = tmp_path / "cut" / "notes.db"
    crashed(path, to)
    assert notes(store.set_aside(to)) == ["in the log"]
    assert not Path(f"{to}-wal").exists()


def test_a_copy_is_whole_while_the_store_is_in_use(path: Path, tmp_path: Path) -> None:
    to = tmp_path / "copy.db"
    with closing(store.connect(path, SCHEMA)) as connection:
        connection.execute("INSERT INTO notes VALUES ('a')")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO notes VALUES ('not committed')")
        store.copy(path, SCHEMA, to)
        connection.execute("ROLLBACK")
    assert [one.name for one in tmp_path.iterdir() if one.is_file()] == ["copy.db"]
    assert store.inspect(to, SCHEMA)
    assert notes(to) == ["a"]


def test_a_copy_replaces_nothing_and_needs_a_store(path: Path, tmp_path: Path) -> None:
    to = tmp_path / "copy.db"
    with pytest.raises(StoreError, match="cannot be opened"):
        store.copy(path, SCHEMA, to)
    write(path, "a")
    to.write_text("precious")
    with pytest.raises(StoreError, match="exists already"):
        store.copy(path, SCHEMA, to)
    assert to.read_text() == "precious"


def test_a_copy_can_be_written_to_again(path: Path, tmp_path: Path) -> None:
    to = tmp_path / "copy.db"
    write(path, "a")
    store.copy(path, SCHEMA, to)
    write(to, "b")
    assert notes(to) == ["a", "b"]
    with closing(store.connect(to, SCHEMA)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_read_only_card_is_read_whatever_a_power_cut_has_left_on_it(tmp_path: Path) -> None:
    with card(tmp_path / "card") as bad:
        write(bad.path / "closed", "a")
        write(tmp_path / "there", "b")
        crashed(tmp_path / "there", bad.path / "cut")
        before = sorted(one.name for one in bad.path.iterdir())
        bad.turn_read_only()
        assert store.inspect(bad.path / "closed", SCHEMA)
        assert notes(bad.path / "closed") == ["a"]
        assert notes(bad.path / "cut") == ["b", "in the log"]
        for name in ("closed", "cut"):
            with pytest.raises(StoreError, match="is read-only"):
                store.connect(bad.path / name, SCHEMA)
        with pytest.raises(StoreError, match="Read-only file system"):
            store.connect(bad.path / "new", SCHEMA)
        assert sorted(one.name for one in bad.path.iterdir()) == before


def test_a_full_card_is_read(tmp_path: Path) -> None:
    with card(tmp_path / "card") as bad:
        write(bad.path / "closed", "a")
        bad.fill()
        assert notes(bad.path / "closed") == ["a"]


def opened(path: Path) -> list[str]:
    store.inspect(path, SCHEMA)
    return [path.name, *notes(path)]


def test_a_damaged_store_is_set_aside_and_a_new_one_begun(path: Path) -> None:
    write(path, "a")
    told: list[str] = []
    assert store.sound(path, opened, told.append) == [path.name, "a"]
    assert told == []
    path.write_bytes(b"torn" * 1000)
    assert store.sound(path, opened, told.append) == [path.name]
    (why,) = told
    assert "the notes" in why
    assert why.endswith(f"it is kept; set aside as {path}.damaged-1")
    assert Path(f"{path}.damaged-1").read_bytes() == b"torn" * 1000


def test_a_damaged_store_on_a_read_only_card_stays_and_another_is_begun(tmp_path: Path) -> None:
    with card(tmp_path / "card") as bad:
        (bad.path / "notes").write_bytes(b"torn" * 1000)
        bad.turn_read_only()
        told: list[str] = []
        assert store.sound(bad.path / "notes", opened, told.append) == ["notes.new"]
        assert told[0].endswith("cannot be set aside: Read-only file system")
