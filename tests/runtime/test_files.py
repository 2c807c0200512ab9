"""Files are old or new and whole, and a lock has one process at a time."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pi_bunco.runtime import files


def test_a_file_is_written_whole_with_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "one"
    files.write(file, b"first")
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"first", 0o600)
    files.write(file, b"second", 0o644)
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"second", 0o644)
    assert os.listdir(tmp_path) == ["one"]


def test_failed_write_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "one"
    files.write(file, b"first")
    with pytest.raises(OSError, match="full"), files.written(file) as stream:  # noqa: PT012
        stream.write(b"sec")
        raise OSError("the card is full")
    assert file.read_bytes() == b"first"
    assert os.listdir(tmp_path) == ["one"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to somebody")
def test_a_file_stays_its_owners(tmp_path: Path) -> None:
    file = tmp_path / "one"
    files.write(file, b"first")
    os.chown(file, 4711, 4712)
    files.write(file, b"second")
    assert (file.stat().st_uid, file.stat().st_gid) == (4711, 4712)


@pytest.mark.skipif(sys.platform == "win32", reason="nothing is synced by name there")
def test_a_file_is_synced_once_more_under_its_new_name_for_fat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seen on the boot partition: after a cut up to half a minute later the renamed file had 0 bytes."""
    file, done = tmp_path / "one", list[str]()

    def fsync(descriptor: int) -> None:
        synced = os.fstat(descriptor).st_ino
        done.append(
            next(path.name for path in (tmp_path, *tmp_path.iterdir()) if path.stat().st_ino == synced)
        )

    monkeypatch.setattr(os, "fsync", fsync)
    files.write(file, b"first")
    part = tmp_path / "part"
    part.write_bytes(b"second")
    files.appear(part, file)
    assert done == [".one.new", "one", tmp_path.name, "part", "one", tmp_path.name]


@pytest.mark.parametrize("folder", [False, True])
def test_holder_of_a_lock_is_named(tmp_path: Path, folder: bool) -> None:
    path = tmp_path if folder else tmp_path / "lock"
    flags = os.O_RDONLY if folder else os.O_RDWR | os.O_CREAT
    again = f"""
from pathlib import Path
from pi_bunco.runtime import files
try:
    with files.locked(Path({str(path)!r}), {flags}):
        print("free")
except files.InUse as error:
    print(error.process)
"""

    def asked() -> str:
        return subprocess.run(
            [sys.executable, "-c", again], capture_output=True, text=True, check=True
        ).stdout

    with files.locked(path, flags):
        assert asked().strip() == ("another" if folder else str(os.getpid()))
        assert files.is_locked(path)
    assert asked() == "free\n"
    assert not files.is_locked(path)
    assert not files.is_locked(tmp_path / "none")
