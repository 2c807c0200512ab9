"""Copies a Pi's folder onto the boot partition of its card, and reads it back."""

import errno
import os
import shutil
import sys
from collections.abc import Collection
from pathlib import Path
from random import Random

from pi_bunco.errors import ProvisionError
from pi_bunco.provision.seed import META, PACKAGES, another_id
from pi_bunco.runtime import files

SIGNS = ("config.txt", "cmdline.txt", "issue.txt")
"""Files of every boot partition of Raspberry Pi OS."""
_SEED = ("meta-data", "user-data")
"""Files that it has besides since it starts with cloud-init, October 2025."""
_FREE_BYTES = 4_000_000


def put(folder: Path, card: Path, random: Random) -> tuple[str, ...]:
    """Puts every file of `folder` onto the boot partition mounted at `card`, and returns their names.

    The card gets an id that no other has, so that the Pi does all that it says, whatever it did before.
    `ProvisionError` if that is no boot partition, is full, or does not hold what was written.
    """
    if missing := [name for name in SIGNS if not (card / name).is_file()]:
        raise ProvisionError(
            f"{card} has no {' and no '.join(missing)}, so it is not the drive bootfs of a card with"
            " Raspberry Pi OS; write that onto the card first"
        )
    if missing := [name for name in _SEED if not (card / name).is_file()]:
        raise ProvisionError(
            f"{card} has no {' and no '.join(missing)}: the Raspberry Pi OS on it is from before October 2025"
            " and would not look at what is copied there; write the one of Debian 13 (Trixie) onto the card"
        )
    found = sorted(file for file in folder.rglob("*") if file.is_file())
    needed = sum(file.stat().st_size for file in found)
    if (free := shutil.disk_usage(card).free) < needed + _FREE_BYTES:
        raise ProvisionError(
            f"{card} has {free // 1_000_000} MB left, and the files need {needed // 1_000_000} MB"
        )
    names = tuple(str(file.relative_to(folder)) for file in found)
    if (meta := folder / META).exists():
        files.write(meta, another_id(meta.read_text("utf-8"), random).encode())
    try:
        _without_old_packages(card, names)
        for name, file in zip(names, found, strict=True):
            (card / name).parent.mkdir(parents=True, exist_ok=True)
            files.write(card / name, file.read_bytes())
    except OSError as error:
        locked = error.errno == errno.EROFS
        mend = "; push the small switch at the side of the card's adapter back" if locked else ""
        raise ProvisionError(f"{card} cannot be written: {error.strerror or error}{mend}") from error
    if damaged := [name for name in names if _read_back(card / name) != (folder / name).read_bytes()]:
        raise ProvisionError(f"{card} does not hold {', '.join(damaged)} as it was written; use another card")
    return names


def _without_old_packages(card: Path, names: Collection[str]) -> None:
    """Removes older packages: two versions beside each other leave the installed one to chance."""
    if any(name.endswith(".deb") for name in names):
        for old in (card / PACKAGES).glob("*.deb*"):
            if str(old.relative_to(card)) not in names:
                old.unlink()


def _read_back(file: Path) -> bytes:
    """Content of the card itself, and not only of this machine's memory of it."""
    if sys.platform == "linux":
        with file.open("rb") as stream:
            os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return file.read_bytes()
