"""The file that makes a Pi table 7, or the head: written on the host's laptop, dropped on the boot partition.

It holds the settings and the files of one Pi, secrets included, so the Pi takes it and blanks it at once.
"""

import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import tomli_w
from msgspec import Meta, Struct

from pi_bunco.errors import BuncoError

Role = Literal["table", "head"]
FILE_MODES = {
    r"ca\.pem": 0o644,
    r"broker/(cert\.pem|joined)": 0o644,
    r"broker/(acl|passwd|key\.pem)": 0o600,
    r"secrets/[a-z]+/[a-z0-9-]+": 0o600,
}
"""The files that can be handed over, below `/etc/pi-bunco`, with their modes; no other path is taken."""
_DONE = "# This file was taken over by the Pi; nothing secret is left in it.\n"


class HandoverError(BuncoError, ValueError):
    """A file of the boot partition that cannot be taken; the text says what is wrong with it."""


class PiSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The Pi that it is for: `number` is its table's, 0 for a head without a table; `hall` is its site."""

    role: Role
    number: Annotated[int, Meta(ge=0, le=999)]
    hall: str

    def __str__(self) -> str:
        return f"the {self.role} of hall {self.hall}" + (f", table {self.number}" if self.number else "")


class Handover(Struct, frozen=True, forbid_unknown_fields=True):
    """One Pi's share: the settings of `pi-bunco.toml`, and files below `/etc/pi-bunco` by their paths."""

    device: PiSettings
    settings: dict[str, Any]
    files: dict[str, str] = {}


_END = "# The end: without this line the file is not whole."


def mode(path: str) -> int | None:
    """The mode of a file that may be handed over, None for any other path."""
    return next((mode for pattern, mode in FILE_MODES.items() if re.fullmatch(pattern, path)), None)


def dump(handover: Handover) -> str:
    """The text of the file, TOML."""
    return f"{tomli_w.dumps(msgspec.to_builtins(handover), multiline_strings=True)}{_END}\n"


def parse(text: str, name: str = "pi-bunco.toml") -> Handover | None:
    """The hand-over in the text, None where it has been taken already; `HandoverError` on anything else."""
    if text.startswith(_DONE):
        return None
    try:
        found = msgspec.convert(tomllib.loads(text), Handover)
    except tomllib.TOMLDecodeError as error:
        raise HandoverError(
            f"{name} is no TOML: {error}; copy it again from the folder it was made in"
        ) from error
    except RecursionError as error:
        raise HandoverError(f"{name} is not made by pi-bunco provision: brackets within brackets") from error
    except msgspec.ValidationError as error:
        raise HandoverError(f"{name} is not made by pi-bunco provision: {error}") from error
    if not text.rstrip().endswith(_END):
        raise HandoverError(f"{name} is not whole: its end is missing; copy it again")
    if strange := [path for path in found.files if mode(path) is None]:
        raise HandoverError(f"{name} would write {', '.join(strange)}, which is no file of pi-bunco")
    return found


def taken(handover: Handover) -> str:
    """The rest on the boot partition: the Pi that this card belongs to, and nothing secret."""
    return f"{_DONE}# It is {handover.device}.\n"


def read(path: Path) -> Handover | None:
    """As `parse` does, from a file; `HandoverError` if it cannot be read."""
    try:
        return parse(path.read_text("utf-8-sig"), path.name)
    except OSError as error:
        raise HandoverError(f"{path} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise HandoverError(
            f"{path.name} is no text in UTF-8, as an editor may have saved it;"
            " copy it again from the folder it was made in"
        ) from error
