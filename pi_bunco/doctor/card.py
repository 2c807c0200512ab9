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

from pi_bunco.doctor.findings import SELF, Finding, Level, fault, fine, skipped, warning
from pi_bunco.doctor.machine_state import Machine

_MB = 1_000_000
_FULL_BYTES, _FILLING_BYTES = 100 * _MB, 500 * _MB
_FEW_NAMES = 1000
_NO_MEMORY_BYTES, _LITTLE_MEMORY_BYTES = 40 * _MB, 80 * _MB
_SLOW_WRITE_S, _TOO_SLOW_WRITE_S = 0.25, 1.0
"""Seconds of a usual write that delay what is shown as saved, and that make it useless."""
_STALL_S = 3.0
_MEASURED_WRITES, _MEASURE_WITHIN_S = 20, 2.0
_MEMORY_KINDS = ("tmpfs", "ramfs")
_NEW_CARD = "Copy it with pi-bunco backup now, and take a new card (of an endurance kind)."


class Mount(Struct, frozen=True):
    """One line of /proc/mounts, see `proc(5)`."""

    place: str
    kind: str
    options: tuple[str, ...]


def mounts(text: str) -> tuple[Mount, ...]:
    """The mounts of /proc/mounts; a space in a path is written as \\040."""
    rows = (line.split(" ") for line in text.split("\n"))
    return tuple(
        Mount(
            re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), row[1]),
            row[2],
            tuple(row[3].split(",")),
        )
        for row in rows
        if len(row) >= 4
    )


def _holding(listed: Sequence[Mount], path: str) -> Mount | None:
    """The mount that the path is on: the longest place that it is below, and of several there the last."""
    above = [mount for mount in listed if Path(path).is_relative_to(mount.place)]
    return max(reversed(above), key=lambda mount: len(mount.place), default=None)


def _is_overlaid(listed: Sequence[Mount], mount: Mount) -> bool:
    """True if writes go to memory, as with the overlay of raspi-config."""
    upper = next((one.partition("=")[2] for one in mount.options if one.startswith("upperdir=")), "")
    above = _holding([one for one in listed if one.kind != "overlay"], upper) if upper else None
    return above is not None and above.kind in _MEMORY_KINDS


def look_mounts(machine: Machine, folders: Sequence[str]) -> Iterator[Finding]:
    """Faults where the folders cannot be written, or do not last."""
    listed = mounts(machine.text("proc/mounts") or "")
    if not listed:
        yield skipped("card", "this machine does not tell what is mounted")
        return
    found = [mount for path in folders or ("/",) if (mount := _holding(listed, path))]
    if any("ro" in mount.options for mount in found):
        mend = f"Switch it off and on again. If that does not help, the card is worn: {_NEW_CARD}"
        yield fault("card", f"{SELF} cannot write to its card: it is read-only.", mend)
    elif any(_is_overlaid(listed, mount) for mount in found):
        text = f"{SELF} keeps the evening in memory only: it is gone when the plug is pulled."
        mend = "Switch the overlay file system off: sudo raspi-config, Performance Options."
        yield fault("card", text, mend)
    else:
        yield fine("card", "It can be written.")


def look_folders(machine: Machine, folders: Sequence[str]) -> Iterator[Finding]:
    """Every folder that somebody has put into memory, which may be meant, for a demo."""
    listed = mounts(machine.text("proc/mounts") or "")
    for path in folders:
        mount = _holding(listed, path)
        if mount and mount.kind in _MEMORY_KINDS:
            text = f"What is in {path} is gone when the plug is pulled: it is in memory."
            yield warning("card", text, "Use a --data folder that is on the card.")


def look_wear(machine: Machine) -> Iterator[Finding]:
    """Errors that ext4 has noted on a device, and the wear of an eMMC in tenths.

    A loop device is a file, and no card. The errors are in the file system until the next e2fsck (kernel,
    sysfs-fs-ext4); the wear is 1 to 11 in `life_time` (JEDEC EXT_CSD 268 and 269), which SD cards lack.
    """
    texts = [text.strip() for text in machine.texts("sys/fs/ext4/[!l]*/errors_count")]
    counts = [int(text) for text in texts if text.isdecimal()]
    errors, wear = sum(counts), life(next(machine.texts("sys/block/mmcblk*/device/life_time"), ""))
    if errors:
        text = f"{SELF} has a failing card: {errors} error{'s' if errors > 1 else ''} in its file system."
        yield fault("card health", text, _NEW_CARD)
    elif wear >= 10:
        yield warning("card health", f"{SELF} has a card near the end of its life.", _NEW_CARD)
    elif not counts and not wear:
        yield skipped("card health", "there is no ext4 file system and no eMMC that counts its errors")
    else:
        yield fine("card health", "No errors are counted.")


def life(text: str) -> int:
    """The worse half of `0x01 0x02`, 0 if there is none."""
    return max((int(one, 16) for one in re.findall(r"\b0x([0-9a-fA-F]{1,2})\b", text)), default=0)


def time_writes(folder: Path, clock: Callable[[], float] = time.monotonic) -> tuple[float, float]:
    """The median and the slowest of some writes as a store makes them, in seconds; `OSError` if it cannot.

    Nothing is left behind.
    """
    took: list[float] = []
    end = clock() + _MEASURE_WITHIN_S
    with tempfile.TemporaryFile(prefix=".doctor-", dir=folder) as file:
        while len(took) < _MEASURED_WRITES and (not took or clock() < end):
            began = clock()
            file.write(os.urandom(4096))
            file.flush()
            os.fsync(file.fileno())
            took.append(clock() - began)
    return statistics.median(took), max(took)


def judge_writes(median: float, slowest: float) -> Finding:
    """The speed of the card, from seconds that writes took."""
    measured = f"a write takes {_time(median)}, the slowest of {_MEASURED_WRITES} took {_time(slowest)}"
    if median >= _TOO_SLOW_WRITE_S:
        return fault("card speed", f"{SELF} has a card that is far too slow: {measured}.", _NEW_CARD)
    if median >= _SLOW_WRITE_S or slowest >= _STALL_S:
        return warning("card speed", f"{SELF} has a slow card: {measured}.", _NEW_CARD)
    return fine("card speed", f"{measured[0].upper()}{measured[1:]}.")


def judge_slowest(seconds: float) -> Iterator[Finding]:
    """The same from the slowest write that a service made lately."""
    if seconds >= _STALL_S:
        text = f"{SELF} has a slow card: saving took over {seconds // _STALL_S * _STALL_S:.0f} s."
        yield warning("card speed", text, _NEW_CARD)


def _time(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.1f} ms"


def read_room(folder: Path) -> tuple[int, int | None]:
    """Bytes and names (None where they are not counted) that are free, for those who are not root.

    A folder that is still to be made has the room of the one that it goes into.
    """
    folder = next((one for one in (folder, *folder.absolute().parents) if one.exists()), folder)
    if sys.platform == "win32":
        return shutil.disk_usage(folder).free, None
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize, found.f_favail if found.f_files else None


def judge_room(free: int, names: int | None) -> Finding:
    """The room for an evening, which takes a few MB and some files."""
    mend = "Delete what is not needed (old logs, packages: sudo apt clean), or take a larger card."
    if free < _FULL_BYTES:
        return fault("disk space", f"{SELF} has a full card: {_left(free)}.", mend)
    if names is not None and names < _FEW_NAMES:
        return fault("disk space", f"{SELF} has a card with too many files.", mend)
    if free < _FILLING_BYTES:
        return warning("disk space", f"{SELF} has a card that is almost full: {_left(free)}.", mend)
    return fine("disk space", f"{free / 1000 / _MB:.1f} GB left.")


def _left(free: int) -> str:
    return f"{free // (10 * _MB) * 10} MB left"


def look_memory(machine: Machine) -> Iterator[Finding]:
    """The memory that programs can still get."""
    mend = "Switch it off and on again; if that does not last, run nothing else on it (no desktop)."
    free = available(machine.text("proc/meminfo") or "")
    if free is None:
        yield skipped("memory", "this machine does not tell how much is free")
    elif free < _LITTLE_MEMORY_BYTES:
        level: Level = "fault" if free < _NO_MEMORY_BYTES else "warning"
        yield Finding("memory", level, f"{SELF} runs out of memory: {_left(free)}.", mend)
    else:
        yield fine("memory", f"{free // _MB} MB left.")


def available(text: str) -> int | None:
    """Bytes that are available, of /proc/meminfo, see `proc(5)`."""
    found = re.search(r"^MemAvailable:\s+([0-9]+) kB$", text, re.MULTILINE)
    return int(found[1]) * 1024 if found else None
