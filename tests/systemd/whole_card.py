"""Power cuts over a whole card, FAT and partitions included, from all writes that QEMU recorded of it.

`PYTHONPATH=.:tests .venv/bin/python -m systemd.whole_card IMAGE LOG` cuts the start of a head's Pi that makes
its hall: IMAGE as it was before, LOG by QEMU's `blklogwrites` (README.md of `systemd`). Nothing is booted.
"""

import argparse
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import TypeVar

from pi_bunco.errors import BuncoError
from pi_bunco.provision.folder import Folder
from systemd.cable import BOOT_AT, ROOT_AT
from systemd.fuse_disk import Write
from systemd.recorder import play

DATA_AT = ROOT_AT + (2048 << 20)
_SECTOR, _DISCARD = 512, 4
_ENTRY = struct.Struct("<QQQQ")
_FIRMWARE = "vmlinuz", "initrd.img", "cmdline.txt", "issue.txt"
"""Files without which a Pi does not start, and which nothing of ours writes."""
T = TypeVar("T")


def recorded(log: Path) -> Iterator[Write]:
    """QEMU's notes in the form of the kernel's `dm-log-writes`; what was discarded is left as it is."""
    with log.open("rb") as file:
        at = _SECTOR
        while at + _SECTOR <= log.stat().st_size:
            file.seek(at)
            sector, sectors, flags, _ = _ENTRY.unpack(file.read(_ENTRY.size))
            at += _SECTOR
            if not flags & _DISCARD:
                yield Write(sector * _SECTOR, sectors * _SECTOR, at, sectors == 0)
                at += sectors * _SECTOR


def copied(disk: Path, to: Path) -> Path:
    subprocess.run(["cp", "--sparse=always", disk, to], check=True)
    return to


def boot_files(disk: Path, work: Path) -> dict[str, bytes]:
    """The files of the boot partition after the look that a start takes at it; `OSError` if that fails."""
    part = work / "boot.img"
    with disk.open("rb") as whole:
        whole.seek(BOOT_AT)
        part.write_bytes(whole.read(ROOT_AT - BOOT_AT))
    done = subprocess.run(["fsck.vfat", "-a", part], capture_output=True, text=True, check=False)
    if done.returncode > 1:
        raise OSError(done.stdout)
    with tempfile.TemporaryDirectory(dir=work) as name:
        subprocess.run(["mcopy", "-s", "-n", "-i", part, "::", name], check=True, capture_output=True)
        files = (file for file in Path(name).rglob("*") if file.is_file())
        return {str(file.relative_to(name)).lstrip("/"): file.read_bytes() for file in files}


def within(disk: Path, at: int, look: Callable[[Path], T]) -> T:
    """The finding of `look` in the partition that begins at that byte."""
    attach = ["losetup", "--find", "--show", f"--offset={at}", str(disk)]
    loop = subprocess.run(attach, check=True, capture_output=True, text=True).stdout.strip()
    try:
        with tempfile.TemporaryDirectory() as name:
            subprocess.run(["mount", loop, name], check=True)
            try:
                return look(Path(name))
            finally:
                subprocess.run(["umount", name], check=True)
    finally:
        subprocess.run(["losetup", "--detach", loop], check=True)


def hall(data: Path) -> dict[str, bytes]:
    """The folder of the hall on the data partition; `BuncoError` if it cannot be gone on with."""
    folder = data / "hall"
    if folder.exists():
        Folder(folder).kept()
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def looked_at(cut: Path, work: Path, before: dict[str, bytes]) -> str:
    """The damage on a card after a cut; "" if nothing is dead or lost. `before` are its boot files."""
    try:
        files, made = boot_files(cut, work), within(cut, DATA_AT, hall)
        within(cut, ROOT_AT, lambda root: (root / "etc/hostname").read_text())
    except (BuncoError, OSError, subprocess.CalledProcessError) as error:
        return str(error)
    lost = [name for name in _FIRMWARE if files.get(name) != before[name]]
    lost += [] if files.get("config.txt", b"").startswith(before["config.txt"]) else ["config.txt"]
    if "written" in made:  # by then all that the Pi takes over is on the boot partition
        card = {name.removeprefix("head/"): data for name, data in made.items() if name.startswith("head/")}
        lost += [name for name in card if not files.get(name)]
    return ", ".join(lost)


def main() -> int:
    """Counts what is dead."""
    parser = argparse.ArgumentParser(prog="systemd.whole_card")
    parser.add_argument("image", type=Path)
    parser.add_argument("log", type=Path)
    parser.add_argument("--cuts", type=int, default=1000)
    parser.add_argument("--between", type=int, nargs=2, help="these numbers of writes alone")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    random, dead = Random(options.seed), 0
    every = list(recorded(options.log))
    first, last = options.between or (0, len(every))
    places = sorted(random.sample(range(first, last + 1), min(options.cuts, last + 1 - first)))
    print(f"{len(every)} writes and flushes were recorded", flush=True)
    with tempfile.TemporaryDirectory(prefix="card-") as name:
        work = Path(name)
        flushed = copied(options.image, work / "flushed")
        before, played = boot_files(flushed, work), 0
        for place in places:
            safe = next((n for n in range(place, played, -1) if every[n - 1].flush), played)
            play(options.log, flushed, every[played:safe])
            played = safe
            cut = copied(flushed, work / "cut")
            play(options.log, cut, [one for one in every[safe:place] if random.random() < 0.5])
            if why := looked_at(cut, work, before):
                dead += 1
                print(f"after {place}: {why}", flush=True)
    print(f"{len(places)} cuts looked at, {dead} dead or with a loss")
    return int(bool(dead))


if __name__ == "__main__":
    sys.exit(main())
