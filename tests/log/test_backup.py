"""Backups of stores in use, and what restore does with whole, damaged and malicious ones."""

import contextlib
import io
import json
import os
import socket
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.processes import Service, done, head, run, table
from disks import Told
from logs import logged
from pi_bunco.cli import main
from pi_bunco.doctor.bundle import redacted_settings
from pi_bunco.doctor.stores import STORE_KINDS
from pi_bunco.game import facts
from pi_bunco.log import backup, journal
from pi_bunco.log.backup import MANIFEST_TEXT, SETTINGS_TEXT, BackupError, Home
from pi_bunco.log.chain import LOG_KEY, continues, read_key
from pi_bunco.log.journal import Journal
from pi_bunco.log.log_store import Replica
from pi_bunco.runtime.writer import Reports
from pi_bunco.wire.broker import Broker
from pi_bunco.wire.outbox import OutboxFile

PEOPLE = ("Ann", "Bob", "Cat", "Dee")
QUIET = Reports(lambda _: None, lambda why: pytest.fail(why))
Said = pytest.CaptureFixture[str]


def evening(folder: Path, id: str = "first") -> Journal:
    """The journal there, in use, with an evening in it."""
    store = Journal(folder / "journal.db", QUIET)
    store.append(logged(1, id, facts.EveningOpen(0, "gong", PEOPLE, id=id)))
    return store


@pytest.fixture
def pi(tmp_path: Path) -> Home:
    """The stores of a head's Pi."""
    folder = tmp_path / "pi"
    for service in ("head", "table"):
        (folder / service).mkdir(parents=True)
    evening(folder / "head").close(30)
    box = OutboxFile(folder / "table/outbox.db", QUIET, 0.0)
    box.append(evening="first", epoch=1, err=1.0, up=1, boot="b", fact=facts.UndoPressed())
    box.close(30)
    replica = Replica(folder / "table/replica.db", QUIET)
    replica.chain("first").add(begun := logged(1, "first", facts.EveningOpen(0, "gong", PEOPLE, id="first")))
    replica.put(begun)
    replica.close(30)
    return Home(folder, True, STORE_KINDS)


@pytest.fixture
def saved(pi: Home, tmp_path: Path) -> Path:
    settings = redacted_settings('number = 1\npassword = "hunter22"\n')
    backup.save(pi, settings, tmp_path / "night.tar.gz")
    return tmp_path / "night.tar.gz"


def logs(folder: Path) -> bytes:
    return b"".join(journal.export(folder / "journal.db"))


def test_backup_is_restored(pi: Home, saved: Path, tmp_path: Path) -> None:
    told: list[str] = []
    new = Home(tmp_path / "new", True, STORE_KINDS)
    backup.restore(saved, new, told.append)
    assert logs(new.place("head")) == logs(pi.place("head"))
    assert [path.relative_to(new.folder) for _, path in new.stores()] == [
        path.relative_to(pi.folder) for _, path in pi.stores()
    ]
    box = OutboxFile(new.folder / "table/outbox.db", QUIET, 0.0)
    assert len(box) == 1
    box.close(30)
    assert told[0].startswith(f"The backup is of {socket.gethostname()}, ")
    assert not any("is kept as" in line for line in told)
    assert sum("with 1 facts" in line for line in told) == 3
    assert sorted(one.name for one in new.folder.iterdir()) == ["head", "table"]
    assert saved.stat().st_mode & 0o077 == 0


def test_a_folder_by_hand_takes_it_flat(saved: Path, tmp_path: Path) -> None:
    flat = Home(tmp_path / "flat", False, STORE_KINDS)
    backup.restore(saved, flat, lambda _: None)
    assert sorted(one.name for one in flat.folder.iterdir()) == [
        "journal.db", "outbox.db", "replica.db",
    ]  # fmt: skip


def test_no_password_goes_along(saved: Path) -> None:
    with tarfile.open(saved) as archive:
        file = archive.extractfile(SETTINGS_TEXT)
        assert file
        settings = file.read().decode()
    assert settings == 'number = 1\npassword = "[secret]"\n'


def test_restore_sets_present_stores_aside(saved: Path, pi: Home) -> None:
    path = pi.folder / "head/journal.db"
    old = path.read_bytes()
    path.with_name("journal.db-wal").write_bytes(b"")
    path.with_name("journal.db.before-1").write_bytes(b"an earlier one")
    backup.restore(saved, pi, lambda _: None)
    assert path.with_name("journal.db.before-2").read_bytes() == old
    assert path.with_name("journal.db.before-2-wal").exists()
    assert path.with_name("journal.db.before-1").read_bytes() == b"an earlier one"
    assert not path.with_name("journal.db-wal").exists()


def test_stores_in_use_are_saved(pi: Home, tmp_path: Path) -> None:
    told = Told()
    store = Journal(pi.folder / "head/journal.db", told.reports)
    with contextlib.closing(store):
        store.append(logged(1, "second", facts.EveningOpen(0, "gong", PEOPLE, id="second")))
        told.committed(1)
        made = backup.save(pi, None, tmp_path / "b.tar.gz")
    assert [item.facts for item in made.stores] == [2, 1, 1]


def test_services_that_run_keep_their_stores(broker: Broker, tmp_path: Path) -> None:
    data, file = tmp_path / "data", tmp_path / "b.tar.gz"
    starts: tuple[Callable[[], Service], ...] = (lambda: head(broker, data), lambda: table(broker, data, 1))
    for start in starts:
        with start() as service:
            assert "ready" in service.ready()
            assert run("backup", "--data", data, file).returncode == 0
            before = sorted((one.name, one.stat().st_ino) for one in data.glob("*.db"))
            refused = run("restore", "--data", data, file)
            assert refused.returncode == 2
            assert b"sudo systemctl stop pi-bunco-" in refused.stderr
            assert start is not starts[1] or f"process {service.process.pid} uses".encode() in refused.stderr
            assert sorted((one.name, one.stat().st_ino) for one in data.glob("*.db")) == before
            service.terminate()
        assert run("restore", "--data", data, file).returncode == 0
        file.unlink()


def test_a_head_on_a_new_card_goes_on_with_the_same_chain(broker: Broker, tmp_path: Path) -> None:
    """A head without provisioning has drawn its log key, and a new card would draw another one."""
    data, new, file = tmp_path / "data", tmp_path / "new", tmp_path / "b.tar.gz"
    with head(broker, data) as service:
        service.ready()
        done(broker, "open", "--rules", "gong", "--players", ",".join(PEOPLE))
        service.terminate()
    made = run("backup", "--data", data, file)
    assert b"It has the log key" in made.stdout
    assert run("restore", "--data", new, file).returncode == 0
    assert (new / "log.key").stat().st_mode & 0o077 == 0
    with head(broker, new) as service:
        service.ready()
        done(broker, "draw")
        service.terminate()
    entries = journal.read(new / "journal.db", journal.evenings(new / "journal.db")[-1].id)
    key = read_key(data / "log.key")
    assert len(entries) > len(journal.read(data / "journal.db", entries[0].evening))
    macs = ["", *(entry.mac for entry in entries)]
    assert all(continues(key, before, entry) for before, entry in zip(macs, entries, strict=False))


def test_another_log_key_is_set_aside(pi: Home, tmp_path: Path) -> None:
    key, told = pi.folder / "head" / LOG_KEY, list[str]()
    key.write_text(f"{'ab' * 32} 0\n", "ascii")
    backup.save(pi, None, tmp_path / "b.tar.gz")
    backup.restore(tmp_path / "b.tar.gz", pi, lambda _: None)
    assert not key.with_name(f"{LOG_KEY}.before-1").exists()
    key.write_text(f"{'cd' * 32} 0\n", "ascii")
    backup.restore(tmp_path / "b.tar.gz", pi, told.append)
    assert read_key(key).secret == bytes.fromhex("ab" * 32)
    assert read_key(key.with_name(f"{LOG_KEY}.before-1")).secret == bytes.fromhex("cd" * 32)
    assert any("is kept as" in line and LOG_KEY in line for line in told)


def repacked(saved: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    """The backup with other members."""
    with tarfile.open(saved) as archive:
        members = {one.name: archive.extractfile(one).read() for one in archive}  # type: ignore[union-attr]
    change(members)
    with tarfile.open(saved, "w:gz") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return saved


def _foreign(members: dict[str, bytes]) -> None:
    members["../escaped.db"] = b"x"


def _absolute(members: dict[str, bytes]) -> None:
    members["/etc/cron.d/x"] = b"x"


def _torn(members: dict[str, bytes]) -> None:
    members["head/journal.db"] = members["head/journal.db"][:5000]


def _exchanged(members: dict[str, bytes]) -> None:
    members["table/replica.db"] = members["head/journal.db"]


def _changed(members: dict[str, bytes]) -> None:
    members["head/journal.db"] = members["head/journal.db"].replace(b"Ann", b"Eve")


def _missing(members: dict[str, bytes]) -> None:
    del members["table/outbox.db"]


def _newer(members: dict[str, bytes]) -> None:
    members[MANIFEST_TEXT] = json.dumps(json.loads(members[MANIFEST_TEXT]) | {"format": 2}).encode()


def _newer_store(members: dict[str, bytes]) -> None:
    data = bytearray(members["head/journal.db"])
    data[63] = 9  # user_version, https://www.sqlite.org/fileformat.html
    members["head/journal.db"] = bytes(data)


def _huge_manifest(members: dict[str, bytes]) -> None:
    members[MANIFEST_TEXT] += b" " * 2**21


def _without_manifest(members: dict[str, bytes]) -> None:
    del members[MANIFEST_TEXT]


@pytest.mark.parametrize(
    "change",
    [
        _foreign,
        _absolute,
        _torn,
        _exchanged,
        _changed,
        _missing,
        _newer,
        _newer_store,
        _huge_manifest,
        _without_manifest,
    ],
)
def test_incomplete_backup_changes_nothing(
    saved: Path, pi: Home, change: Callable[[dict[str, bytes]], None]
) -> None:
    before = everything(pi.folder.parent, saved)
    with pytest.raises(BackupError, match=r"night\.tar\.gz (is|was)"):
        backup.restore(repacked(saved, change), pi, lambda _: None)
    assert everything(pi.folder.parent, saved) == before


def test_links_in_an_archive_lead_nowhere(saved: Path, pi: Home) -> None:
    with tarfile.open(saved, "w:gz") as archive:
        link = tarfile.TarInfo("head/journal.db")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    with pytest.raises(BackupError, match="does not belong into one"):
        backup.restore(saved, pi, lambda _: None)


def test_an_archive_cut_anywhere_is_refused(saved: Path, pi: Home) -> None:
    whole = saved.read_bytes()
    for length in (0, 1, 10, 100, len(whole) // 2, len(whole) - 20, len(whole) - 1):
        saved.write_bytes(whole[:length])
        with pytest.raises(BackupError):
            backup.restore(saved, pi, lambda _: None)
    saved.write_bytes(os.urandom(5000))
    with pytest.raises(BackupError):
        backup.restore(saved, pi, lambda _: None)


def everything(folder: Path, but: Path) -> list[tuple[str, bytes]]:
    return sorted((str(one), one.read_bytes()) for one in folder.rglob("*") if one.is_file() and one != but)


def test_two_backups_of_one_name_do_not_mix(
    pi: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, pack = tmp_path / "new" / "night.tar.gz", backup._pack
    file.parent.mkdir()

    def meanwhile(*arguments: Any) -> None:
        monkeypatch.setattr(backup, "_pack", pack)
        backup.save(pi, None, file)
        pack(*arguments)

    monkeypatch.setattr(backup, "_pack", meanwhile)
    with pytest.raises(BackupError, match="exists already; it is kept"):
        backup.save(pi, None, file)
    with backup.opened(file, tmp_path, STORE_KINDS) as (manifest, _):
        assert manifest.stores
    assert [one.name for one in file.parent.iterdir()] == ["night.tar.gz"]


def test_a_backup_that_cannot_be_made_leaves_nothing(pi: Home, tmp_path: Path) -> None:
    (tmp_path / "there.tar.gz").write_text("mine")
    cases = {
        (pi, tmp_path / "there.tar.gz"): "exists already",
        (pi, tmp_path / "no/folder.tar.gz"): "No such file",
        (Home(tmp_path / "empty", False, STORE_KINDS), tmp_path / "b.tar.gz"): "nothing to back up",
    }
    before = everything(tmp_path, tmp_path)
    for (home, file), why in cases.items():
        with pytest.raises(BackupError, match=why):
            backup.save(home, None, file)
    assert everything(tmp_path, tmp_path) == before


def test_on_the_command_line(pi: Home, tmp_path: Path, capsys: Said) -> None:
    file = str(tmp_path / "b.tar.gz")
    assert main(["backup", "--data", str(pi.folder), file]) == 0
    assert "head/journal.db: 1 facts" in capsys.readouterr().out
    assert main(["restore", "--data", str(tmp_path / "new"), file]) == 0
    assert "journal.db is restored, with 1 facts." in capsys.readouterr().out
    assert main(["export", "--data", str(tmp_path / "new")]) == 0
    assert capsys.readouterr().out.encode() == logs(pi.folder / "head")
    assert main(["backup", "--data", str(pi.folder), file]) == 2
    assert main(["restore", file, "--data", "/proc/none"]) == 2
    assert main(["restore", str(tmp_path / "none"), "--data", str(tmp_path / "new")]) == 2
