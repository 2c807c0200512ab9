"""`pi-bunco flash-box`: the drive of a Pico, played by a folder, and a real MicroPython behind a terminal."""

import os
import pty
import subprocess
import tty
from collections.abc import Iterator
from pathlib import Path
from struct import pack

import pytest

from firmware.toolchain import FIRMWARE, MICROPYTHON
from pi_bunco.cli import flash_box, main
from pi_bunco.cli.flash_box import BOARDS, PICO_PORTS, BoxAtUsb, board
from pi_bunco.errors import BuncoError

PICO, PICO_2 = BOARDS
FILES = sorted(path.name for path in FIRMWARE.glob("*.py"))
MPREMOTE = flash_box._mpremote()


def uf2(folder: Path, *families: int) -> Path:
    """A file with a block for each family."""
    blocks = [
        pack("<8I", 0x0A324655, 0x9E5D5157, 0x2000, 0, 256, number, len(families), family)
        + bytes(476)
        + pack("<I", 0x0AB16F30)
        for number, family in enumerate(families)
    ]
    file = folder / "MICROPYTHON.uf2"
    file.write_bytes(b"".join(blocks))
    return file


@pytest.fixture
def drive(tmp_path: Path) -> Path:
    folder = tmp_path / "RPI RP2"
    folder.mkdir()
    info = "UF2 Bootloader v3.0\r\nModel: Raspberry Pi RP2\r\nBoard-ID: RPI-RP2\r\n"
    (folder / "INFO_UF2.TXT").write_text(info, "ascii", newline="")
    return folder


def test_the_board_of_a_file_is_known(tmp_path: Path) -> None:
    assert board(uf2(tmp_path, PICO, PICO)) == ("RPI-RP2", "a Pico")
    assert board(uf2(tmp_path, 0xE48BFF57, PICO_2)) == ("RP2350", "a Pico 2"), "after a block for whatever"


def test_a_file_that_is_damaged_or_for_another_board_is_refused(tmp_path: Path, drive: Path) -> None:
    other = uf2(tmp_path, PICO_2)
    with (
        pytest.raises(BuncoError, match="is for a Pico 2, and the drive is that of RPI-RP2"),
        flash_box._drive(other, drive),
    ):
        pass
    with pytest.raises(BuncoError, match="is not for a Pico"):
        board(uf2(tmp_path, 0xADA52840))
    file = uf2(tmp_path, PICO, PICO)
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(BuncoError, match="not a whole UF2 file: download it again"):
        board(file)
    file.unlink()
    with pytest.raises(BuncoError, match="cannot be read: No such file"):
        board(file)


def test_the_drive_is_found_where_the_system_has_mounted_it(tmp_path: Path, drive: Path) -> None:
    mounts = tmp_path / "proc/self/mounts"
    mounts.parent.mkdir(parents=True)
    (tmp_path / "data").mkdir()
    mounts.write_text("/dev/sda1 /data ext4 rw 0 0\n/dev/sdb1 /RPI\\040RP2 vfat rw 0 0\n")
    image = uf2(tmp_path, PICO, PICO)
    with flash_box._drive(image, None, tmp_path) as place:
        assert place == drive
        flash_box._copy(image, place)
    assert (drive / "micropython.uf2").read_bytes() == image.read_bytes()
    mounts.write_text("")
    with (
        pytest.raises(BuncoError, match=r"no drive RPI-RP2 is there: .* hold its small button BOOTSEL"),
        flash_box._drive(image, None, tmp_path),
    ):
        pass


def test_a_folder_that_is_no_drive_is_told(tmp_path: Path) -> None:
    with (
        pytest.raises(BuncoError, match=r"is not the drive of a Pico"),
        flash_box._drive(uf2(tmp_path, PICO), tmp_path),
    ):
        pass


def test_the_port_is_the_one_that_came_and_not_one_of_two(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / Path(PICO_PORTS).parent
    folder.mkdir(parents=True)
    box = BoxAtUsb(MPREMOTE, None, tmp_path, within_s=0.0)
    with pytest.raises(BuncoError, match="no Pico with MicroPython is at USB"):
        box.wait(set())
    assert capsys.readouterr().out == "Waiting for a Pico with MicroPython at USB, 0 s at most ...\n"
    for number in (1, 2):
        (folder / f"usb-MicroPython_Board_{number}").touch()
    with pytest.raises(BuncoError, match="2 boards are at USB: leave one"):
        box.wait(set())
    first, second = box.ports()
    box.wait({first})
    assert box.port == second


@pytest.fixture
def pico(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """A MicroPython at its prompt: its port, and its files."""
    files = tmp_path / "flash"
    files.mkdir()
    near, far = pty.openpty()
    tty.setraw(far)
    micropython = subprocess.Popen([MICROPYTHON], stdin=near, stdout=near, stderr=near, cwd=files)
    yield os.ttyname(far), files
    micropython.kill()
    micropython.wait()
    os.close(near)
    os.close(far)


@pytest.mark.process
def test_micropython_and_firmware_are_put_onto_a_pico_and_read_back(
    pico: tuple[str, Path], drive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    port, files = pico
    image = uf2(tmp_path, PICO)
    options = ["--micropython", str(image), "--drive", str(drive), "--port", port]
    assert main(["flash-box", *options]) == 0
    assert (drive / "micropython.uf2").read_bytes() == image.read_bytes()
    assert {path.name: path.read_bytes() for path in files.iterdir()} == {
        name: (FIRMWARE / name).read_bytes() for name in FILES
    }
    told = capsys.readouterr().out.splitlines()
    assert told[1:3] == [
        f"The firmware goes onto the Pico ({port}) ...",
        f"Done: {len(FILES)} files, each read back and the same.",
    ]


@pytest.mark.process
def test_a_file_that_came_back_changed_is_named(pico: tuple[str, Path]) -> None:
    port, files = pico
    box = BoxAtUsb(MPREMOTE, port)
    box.copy(["ticks.py", "main.py"])
    (files / "ticks.py").write_bytes(b"# another\n")
    with pytest.raises(BuncoError, match=r"^ticks.py came back changed: flash the box once more$"):
        box.verify(["ticks.py", "main.py"])


@pytest.mark.process
def test_a_micropython_that_is_too_old_is_told(
    pico: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flash_box, "OLDEST", (99, 0))
    box = BoxAtUsb(MPREMOTE, pico[0])
    box.copy(["main.py"])
    with pytest.raises(BuncoError, match=r"and the box needs 99.0 or later: flash a newer one"):
        box.verify(["main.py"])


@pytest.mark.process
def test_a_port_that_nobody_can_use_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["flash-box", "--port", "/dev/none"]) == 2
    told = capsys.readouterr().err
    assert "mpremote cannot use /dev/none (" in told
    assert "hold the roll button while you plug it in again" in told


def test_without_mpremote_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shutil.which", lambda *_more, **_named: None)
    assert main(["flash-box"]) == 2
    assert "needs mpremote: `sudo apt install micropython-mpremote` brings it" in capsys.readouterr().err
