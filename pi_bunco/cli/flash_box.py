"""`pi-bunco flash-box`: puts MicroPython and the dice box's firmware onto a Pico at this machine's USB."""

import argparse
import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from struct import unpack_from

from pi_bunco.cli.parser import argument, say
from pi_bunco.errors import BuncoError

BOARDS = {0xE48BFF56: ("RPI-RP2", "a Pico"), 0xE48BFF59: ("RP2350", "a Pico 2")}
"""By a UF2 file's family: the name of the board's drive, and the board."""
BLOCK_BYTES = 512
BLOCK_MARKS = (0x0A324655, 0x9E5D5157, 0x0AB16F30)
"""The first two words of a UF2 block, and its last."""
PICO_PORTS = "dev/serial/by-id/usb-MicroPython_*"
PORT_WITHIN_S = 30.0
PORT_LOOK_EVERY_S = 0.5
MPREMOTE_WITHIN_S = 120.0
OLDEST = (1, 24)
"""The first MicroPython that the firmware was tried with."""
FIRMWARE = (Path(__file__).parents[2] / "firmware", Path("/usr/share/pi-bunco/firmware"))
"""Of a checkout, and of the package."""
_READ_BACK = """
import binascii, hashlib, sys
print(*sys.implementation.version[:2])
for name in {names!r}:
    digest = hashlib.sha256()
    with open(name, "rb") as file:
        while True:
            part = file.read(512)
            if not part:
                break
            digest.update(part)
    print(name, binascii.hexlify(digest.digest()).decode())
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `pi-bunco flash-box`."""
    text = "MicroPython for this board, from micropython.org/download; not needed where the Pico has it"
    argument(parser, "--micropython FILE.uf2", text, type=Path)
    argument(parser, "--drive FOLDER", "where the Pico's drive is, if it is not found by its name", type=Path)
    argument(parser, "--port PORT", "the Pico's serial port, if there is more than one")


def run(options: argparse.Namespace) -> int:
    """Flashes one Pico; `BuncoError` says what to do instead."""
    box = BoxAtUsb(_mpremote(), options.port)
    # The one that starts the box is the last.
    names = sorted(
        (path.name for path in _firmware().glob("*.py")), key=lambda name: (name == "main.py", name)
    )
    if options.micropython:
        before = set(box.ports())
        with _drive(options.micropython, options.drive) as drive:
            say(f"MicroPython goes onto the Pico ({drive}) ...")
            _copy(options.micropython, drive)
        box.wait(before)
    else:
        box.wait(set())
    say(f"The firmware goes onto the Pico ({box.port}) ...")
    box.copy(names)
    box.verify(names)
    box.reset()
    say(f"Done: {len(names)} files, each read back and the same.")
    say("The LEDs run through their self-test and go dark: press the button, the dice tumble.")
    say('Then put dice = "serial" into /etc/pi-bunco/pi-bunco.toml, and try it with pi-bunco check.')
    return 0


class BoxAtUsb:
    """A Pico with MicroPython at a serial port, reached by the program `mpremote`."""

    def __init__(
        self,
        mpremote: str,
        port: str | None,
        root: Path = Path("/"),
        within_s: float = PORT_WITHIN_S,
    ) -> None:
        self.port = port or ""
        self._mpremote, self._root, self._within_s = mpremote, root, within_s

    def ports(self) -> list[str]:
        """The ports of every MicroPython board."""
        return sorted(str(path) for path in self._root.glob(PICO_PORTS))

    def wait(self, before: set[str]) -> None:
        """Waits for the board's port, which is none of `before`."""
        if self.port:
            return
        left_s = self._within_s
        if len(self.ports()) == len(before):
            say(f"Waiting for a Pico with MicroPython at USB, {left_s:.0f} s at most ...")
        while not (found := [port for port in self.ports() if port not in before]):
            if left_s <= 0:
                raise BuncoError(
                    "no Pico with MicroPython is at USB: use a cable that carries data, and flash MicroPython"
                    " first (--micropython FILE.uf2, with BOOTSEL held while you plug it in)"
                )
            threading.Event().wait(PORT_LOOK_EVERY_S)
            left_s -= PORT_LOOK_EVERY_S
        if len(found) > 1:
            raise BuncoError(f"{len(found)} boards are at USB: leave one, or say which: --port {found[0]}")
        self.port = found[0]

    def copy(self, names: list[str]) -> None:
        """Puts the files onto the Pico, the one that starts the box last."""
        folder = _firmware()
        words = [["cp", str(folder / name), f":{name}"] for name in names]
        self._ask(*[word for number, copy in enumerate(words) for word in (["+", *copy] if number else copy)])

    def verify(self, names: list[str]) -> None:
        """Reads the files back; `BuncoError` names those that differ."""
        version, *lines = self._ask("exec", _READ_BACK.format(names=names)).splitlines()[-1 - len(names) :]
        if tuple(map(int, version.split())) < OLDEST:
            oldest = ".".join(map(str, OLDEST))
            raise BuncoError(
                f"the Pico has MicroPython {version.replace(' ', '.')}, and the box needs {oldest} or later:"
                " flash a newer one (--micropython FILE.uf2)"
            )
        digests = dict(line.split() for line in lines)
        folder = _firmware()
        damaged = [
            name
            for name in names
            if digests.get(name) != hashlib.sha256((folder / name).read_bytes()).hexdigest()
        ]
        if damaged:
            raise BuncoError(f"{' and '.join(damaged)} came back changed: flash the box once more")

    def reset(self) -> None:
        """Starts the box."""
        self._ask("reset")

    def _ask(self, *words: str) -> str:
        command = [self._mpremote, "connect", self.port, "resume", *words]
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=MPREMOTE_WITHIN_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise BuncoError(_port_fails(self.port, "it does not answer")) from None
        if done.returncode:
            why = (done.stdout.strip().splitlines() or [f"status {done.returncode}"])[-1]
            raise BuncoError(_port_fails(self.port, why.removeprefix("mpremote: ")))
        return done.stdout


def _port_fails(port: str, why: str) -> str:
    return (
        f"mpremote cannot use {port} ({why}): unplug the Pico, hold the roll button while you plug it in"
        " again (a box that plays lets nobody in), stop what uses the port"
        " (sudo systemctl stop pi-bunco-table), and try again"
    )


def board(uf2: Path) -> tuple[str, str]:
    """The drive's name and the board that a UF2 file is for; `BuncoError` if it is no whole one."""
    try:
        data = uf2.read_bytes()
    except OSError as error:
        raise BuncoError(f"--micropython {uf2} cannot be read: {error.strerror}") from error
    blocks = [data[at : at + BLOCK_BYTES] for at in range(0, len(data), BLOCK_BYTES)]
    for block in blocks:
        if (
            len(block) < BLOCK_BYTES
            or (*unpack_from("<2I", block), *unpack_from("<I", block, 508)) != BLOCK_MARKS
        ):
            raise BuncoError(
                f"{uf2} is not a whole UF2 file: download it again from micropython.org/download"
            )
    families = {unpack_from("<I", block, 28)[0] for block in blocks} & set(BOARDS)
    if len(families) != 1:
        raise BuncoError(f"{uf2} is not for a Pico or a Pico 2")
    return BOARDS[families.pop()]


@contextlib.contextmanager
def _drive(uf2: Path, folder: Path | None, root: Path = Path("/")) -> Iterator[Path]:
    """The drive of a Pico while BOOTSEL is held, mounted as long as it is used."""
    label, name = board(uf2)
    with contextlib.ExitStack() as mounted:
        place = folder or _mounted(root) or mounted.enter_context(_mount(label, root))
        try:
            info = (place / "INFO_UF2.TXT").read_text("ascii", "replace")
        except OSError:
            raise BuncoError(f"{place} is not the drive of a Pico: it has no INFO_UF2.TXT") from None
        ids = [line.partition(":")[2].strip() for line in info.splitlines() if line.startswith("Board-ID:")]
        if not any(label in text for text in ids):
            raise BuncoError(
                f"{uf2.name} is for {name}, and the drive is that of {' '.join(ids) or 'another board'}"
            )
        yield place


def _mounted(root: Path) -> Path | None:
    lines = (root / "proc/self/mounts").read_text("utf-8", "replace").splitlines()
    places = [root / line.split(" ")[1].encode().decode("unicode_escape").lstrip("/") for line in lines]
    return next((place for place in places if (place / "INFO_UF2.TXT").is_file()), None)


@contextlib.contextmanager
def _mount(label: str, root: Path) -> Iterator[Path]:
    device = root / "dev/disk/by-label" / label
    if not device.exists():
        raise BuncoError(
            f"no drive {label} is there: unplug the Pico, hold its small button BOOTSEL while you plug it in"
            " again, let go, and try again"
        )
    with tempfile.TemporaryDirectory(prefix="pi-bunco-pico-") as place:
        done = subprocess.run(["mount", str(device), place], capture_output=True, text=True, check=False)
        if done.returncode:
            raise BuncoError(f"the drive {label} cannot be mounted ({done.stderr.strip()}): begin with sudo")
        try:
            yield Path(place)
        finally:
            subprocess.run(["umount", "--lazy", place], capture_output=True, check=False)


def _copy(uf2: Path, drive: Path) -> None:
    """Copies the file; the drive unmounts itself with its last block."""
    data = uf2.read_bytes()
    written = 0
    try:
        with (drive / "micropython.uf2").open("wb", buffering=0) as file:
            while written < len(data):
                written += file.write(data[written : written + BLOCK_BYTES]) or 0
            os.fsync(file.fileno())
    except OSError as error:
        if written < len(data):
            raise BuncoError(
                f"the drive went away too soon ({error.strerror}): plug it in and try again"
            ) from error


def _mpremote() -> str:
    """The program mpremote; `BuncoError` if it is not installed."""
    found = shutil.which("mpremote") or shutil.which("mpremote", path=str(Path(sys.executable).parent))
    if not found:
        raise BuncoError("flash-box needs mpremote: `sudo apt install micropython-mpremote` brings it")
    return found


def _firmware() -> Path:
    for folder in FIRMWARE:
        if (folder / "main.py").is_file():
            return folder
    raise BuncoError(
        "the box's firmware is not installed: use the Debian package, or a checkout of the project"
    )
