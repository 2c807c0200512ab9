"""Copies a Pi's folder onto the boot partition of its card, and reads it back."""

import shutil
from pathlib import Path

from pi_bunco.errors import BuncoError
from pi_bunco.runtime import files

SIGNS = ("config.txt", "cmdline.txt")
"""What every boot partition of Raspberry Pi OS has."""
_ROOM = 4_000_000


class CardError(BuncoError, OSError):
    """A card that cannot be written; the text says why, and what to do."""


def put(folder: Path, card: Path) -> tuple[str, ...]:
    """Puts every file of `folder` onto the boot partition mounted at `card`, and returns their names.

    `CardError` if that is no boot partition, is full, or does not hold what was written.
    """
    if missing := [name for name in SIGNS if not (card / name).is_file()]:
        raise CardError(
            f"{card} has no {' and no '.join(missing)}, so it is not the drive bootfs of a card with"
            " Raspberry Pi OS; write that onto the card first"
        )
    found = sorted(file for file in folder.rglob("*") if file.is_file())
    needed = sum(file.stat().st_size for file in found)
    if (free := shutil.disk_usage(card).free) < needed + _ROOM:
        raise CardError(
            f"{card} has {free // 1_000_000} MB left, and the files need {needed // 1_000_000} MB"
        )
    names = tuple(str(file.relative_to(folder)) for file in found)
    try:
        for name, file in zip(names, found, strict=True):
            _copy(file, card / name)
    except OSError as error:
        raise CardError(f"{card} cannot be written: {error.strerror or error}") from error
    if damaged := [name for name in names if (card / name).read_bytes() != (folder / name).read_bytes()]:
        raise CardError(f"{card} does not hold {', '.join(damaged)} as it was written; use another card")
    return names


def _copy(file: Path, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    files.write(to, file.read_bytes())
