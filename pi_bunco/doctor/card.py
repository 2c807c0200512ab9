"""The card that everything is kept on: writable, healthy, fast enough, with room; and the memory."""

import os
import re
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from pi_bunco.doctor.findings import SELF, Finding, Level, skipped
from pi_bunco.doctor.machine import Machine

_MB = 1_000_000
_FULL, _FILLING = 100 * _MB, 500 * _MB
_FEW = 1000  # names
_NO_MEMORY, _LITTLE_MEMORY = 40 * _MB, 80 * _MB
SLOW, TOO_SLOW = 0.25, 1.0
"""Seconds of a usual write that delay what is shown as saved, and that make it useless."""
_STALL = 3.0
SYNCS, WITHIN = 20, 2.0
"""So many writes are measured, and seconds after which no more are."""
_MEMORY_KINDS = ("tmpfs", "ramfs")
_NEW_CARD = "Copy it with pi-bunco backup now, and take a new card (of an endurance kind)."
_ROOM = "Delete what is not needed (old logs, packages: sudo apt clean), or take a larger card."


class Mount(Struct, frozen=True):
    """One line of /proc/mounts, see `proc(5)`."""

    source: str
    place: str
    kind: str
    options: tuple[str, ...]


class Syncs(Struct, frozen=True):
    """Seconds that writes to the card took, each until it was safe."""

    median: float
    worst: float


class Room(Struct, frozen=True):
    """Free bytes and free names (None where the file system does not count them)."""

    bytes: int
    names: int | None


def mounts(text: str) -> tuple[Mount, ...]:
    """The mounts of /proc/mounts; a space in a path is written as \\040."""
    rows = (line.split(" ") for line in text.split("\n"))
    return tuple(
        Mount(_plain(row[0]), _plain(row[1]), row[2], tuple(row[3].split(",")))
        for row in rows
        if len(row) >= 4
    )


def read_mounts(machine: Machine) -> tuple[Mount, ...]:
    """What is mounted."""
    return mounts(machine.text("proc/mounts") or "")


def _plain(word: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), word)


def holding(listed: Sequence[Mount], path: str) -> Mount | None:
    """The mount that the path is on: the longest place that it is below, and of several there the last."""
    above = [mount for mount in listed if Path(path).is_relative_to(mount.place)]
    return max(reversed(above), key=lambda mount: len(mount.place), default=None)


def _overlaid(listed: Sequence[Mount], mount: Mount) -> bool:
    """Whether what is written goes to memory, as with the overlay of raspi-config."""
    upper = next((one.partition("=")[2] for one in mount.options if one.startswith("upperdir=")), "")
    above = holding([one for one in listed if one.kind != "overlay"], upper) if upper else None
    return above is not None and above.kind in _MEMORY_KINDS


def judge_mounts(listed: Sequence[Mount], folders: Sequence[str]) -> Iterator[Finding]:
    """Whether the folders can be written, and last."""
    if not listed:
        yield skipped("card", "this machine does not tell what is mounted")
        return
    found = [mount for path in folders or ("/",) if (mount := holding(listed, path))]
    if any("ro" in mount.options for mount in found):
        mend = f"Switch it off and on again. If that does not help, the card is worn: {_NEW_CARD}"
        yield Finding("card", "fault", f"{SELF} cannot write to its card: it is read-only.", mend)
    elif any(_overlaid(listed, mount) for mount in found):
        text = f"{SELF} keeps the evening in memory only: it is gone when the plug is pulled."
        mend = "Switch the overlay file system off: sudo raspi-config, Performance Options."
        yield Finding("card", "fault", text, mend)
    else:
        yield Finding("card", "ok", "It can be written.")


def judge_folders(listed: Sequence[Mount], folders: Sequence[str]) -> Iterator[Finding]:
    """Every folder that somebody has put into memory, which may be meant, for a demo."""
    for path in folders:
        mount = holding(listed, path)
        if mount and mount.kind in _MEMORY_KINDS:
            text = f"What is in {path} is gone when the plug is pulled: it is in memory."
            yield Finding("card", "warning", text, "Use a --data folder that is on the card.")


def read_wear(machine: Machine) -> tuple[int | None, int]:
    """Errors that ext4 has noted (None without ext4), and the wear of an eMMC in tenths (0: unknown).

    The errors are in the file system until the next e2fsck (kernel, sysfs-fs-ext4); the wear is 1 to 11 in
    `life_time` (JEDEC EXT_CSD 268 and 269), which SD cards do not have.
    """
    counts = [
        int(text)
        for path in machine.glob("sys/fs/ext4/*/errors_count")
        if (text := (machine.text(path.relative_to(machine.places.root)) or "").strip()).isdecimal()
    ]
    return sum(counts) if counts else None, life(machine.first("sys/block/mmcblk*/device/life_time") or "")


def life(text: str) -> int:
    """The worse half of `0x01 0x02`, 0 if there is none."""
    return max((int(one, 16) for one in re.findall(r"\b0x([0-9a-fA-F]{1,2})\b", text)), default=0)


def judge_wear(errors: int | None, wear: int) -> Iterator[Finding]:
    """Whether the card begins to fail."""
    if errors:
        text = f"{SELF} has a failing card: {errors} error{'s' if errors > 1 else ''} in its file system."
        yield Finding("card health", "fault", text, _NEW_CARD)
    elif wear >= 10:
        yield Finding("card health", "warning", f"{SELF} has a card near the end of its life.", _NEW_CARD)
    elif errors is None and not wear:
        yield skipped("card health", "there is no ext4 file system and no eMMC that counts its errors")
    else:
        yield Finding("card health", "ok", "No errors are counted.")


def read_syncs(folder: Path, clock: Callable[[], float] = time.monotonic) -> Syncs:
    """Writes to the folder as a store does; leaves nothing behind. `OSError` if it cannot."""
    took: list[float] = []
    end = clock() + WITHIN
    with tempfile.TemporaryFile(prefix=".doctor-", dir=folder) as file:
        while len(took) < SYNCS and (not took or clock() < end):
            began = clock()
            file.write(os.urandom(4096))
            file.flush()
            os.fsync(file.fileno())
            took.append(clock() - began)
    return Syncs(statistics.median(took), max(took))


def judge_syncs(syncs: Syncs) -> Iterator[Finding]:
    """Whether a roll is saved soon after it is made."""
    measured = f"a write takes {_ms(syncs.median)}, the slowest of {SYNCS} took {_ms(syncs.worst)}"
    if syncs.median >= TOO_SLOW:
        yield Finding(
            "card speed", "fault", f"{SELF} has a card that is far too slow: {measured}.", _NEW_CARD
        )
    elif syncs.median >= SLOW or syncs.worst >= _STALL:
        yield Finding("card speed", "warning", f"{SELF} has a slow card: {measured}.", _NEW_CARD)
    else:
        yield Finding("card speed", "ok", f"{measured[0].upper()}{measured[1:]}.")


def judge_slowest(seconds: float) -> Iterator[Finding]:
    """The same from the slowest write that a service made lately."""
    if seconds >= _STALL:
        text = f"{SELF} has a slow card: saving took over {seconds // _STALL * _STALL:.0f} s."
        yield Finding("card speed", "warning", text, _NEW_CARD)


def _ms(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.1f} ms"


def read_room(folder: Path) -> Room:
    """What is free where the folder is, or would be made, for those who are not root."""
    folder = next((one for one in (folder, *folder.absolute().parents) if one.exists()), folder)
    if sys.platform == "win32":
        return Room(shutil.disk_usage(folder).free, None)
    found = os.statvfs(folder)
    return Room(found.f_bavail * found.f_frsize, found.f_favail if found.f_files else None)


def judge_room(room: Room) -> Iterator[Finding]:
    """Whether an evening fits: it takes a few MB and some files."""
    left = f"{room.bytes // (10 * _MB) * 10} MB left"
    if room.bytes < _FULL:
        yield Finding("disk space", "fault", f"{SELF} has a full card: {left}.", _ROOM)
    elif room.names is not None and room.names < _FEW:
        yield Finding("disk space", "fault", f"{SELF} has a card with too many files.", _ROOM)
    elif room.bytes < _FILLING:
        yield Finding("disk space", "warning", f"{SELF} has a card that is almost full: {left}.", _ROOM)
    else:
        yield Finding("disk space", "ok", f"{room.bytes / 1000 / _MB:.1f} GB left.")


def available(text: str) -> int | None:
    """Bytes that programs can still get, of /proc/meminfo, see `proc(5)`."""
    found = re.search(r"^MemAvailable:\s+([0-9]+) kB$", text, re.MULTILINE)
    return int(found[1]) * 1024 if found else None


def read_memory(machine: Machine) -> int | None:
    """Bytes that are available."""
    return available(machine.text("proc/meminfo") or "")


def judge_memory(free: int | None) -> Iterator[Finding]:
    """Whether the services have the memory that they need."""
    mend = "Switch it off and on again; if that does not last, run nothing else on it (no desktop)."
    if free is None:
        yield skipped("memory", "this machine does not tell how much is free")
    elif free < _LITTLE_MEMORY:
        level: Level = "fault" if free < _NO_MEMORY else "warning"
        left = f"{free // (10 * _MB) * 10} MB left"
        yield Finding("memory", level, f"{SELF} runs out of memory: {left}.", mend)
    else:
        yield Finding("memory", "ok", f"{free // _MB} MB left.")
