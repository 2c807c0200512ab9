"""A copy of a hall that its head's Pi made: sealed there, kept on a laptop, and opened there by its key.

The page hands the copy out and cannot open it: its key follows from that of the authority, is stored nowhere
besides, and stands on the head's screen.
"""

import hashlib
from pathlib import Path

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from msgspec import Struct

from pi_bunco.enrol.protocol import Bytes
from pi_bunco.errors import ProvisionError
from pi_bunco.provision.accounts import LETTERS
from pi_bunco.provision.folder import CERTIFICATES, JOINED, KEPT, Folder

BEGIN = b"pi-bunco hall copy 1\n"
NONCE_BYTES = 12
KEY_LETTERS = 16
"""Of 31 kinds: 79 bits."""


class HallFiles(Struct, frozen=True, forbid_unknown_fields=True):
    """The files of a hall's folder from which all others follow, by their names."""

    files: dict[str, str]


def copy_key(ca_key: str) -> str:
    """The key by which the copy is opened, as it is shown and typed."""
    number = int.from_bytes(hashlib.sha256(BEGIN + ca_key.encode()).digest())
    letters = "".join(LETTERS[number // len(LETTERS) ** place % len(LETTERS)] for place in range(KEY_LETTERS))
    return "-".join(letters[at : at + 4] for at in range(0, KEY_LETTERS, 4))


def sealed(hall: Path, joined: str, random: Bytes) -> bytes:
    """The copy of the hall's folder, with the accounts of Pis that joined; `OSError` if it cannot be read."""
    names = (KEPT, *(f"ca/{name}" for name in CERTIFICATES.values()))
    kept = {name: (hall / name).read_text("utf-8") for name in names} | {JOINED: joined}
    key, nonce = copy_key(kept[f"ca/{CERTIFICATES['ca_key']}"]), random(NONCE_BYTES)
    data = msgspec.json.encode(HallFiles(kept))
    return BEGIN + nonce + AESGCM(_bits(key)).encrypt(nonce, data, BEGIN)


def open_copy(data: bytes, key: str, out: Path) -> None:
    """Makes the hall's folder `out` of a copy; `ProvisionError` if that is none, or not with this key."""
    if not data.startswith(BEGIN):
        raise ProvisionError("that file is no copy of a hall, as the host's page of a head hands it out")
    folder, nonce = Folder(out), data[len(BEGIN) : len(BEGIN) + NONCE_BYTES]
    if folder.kept() is not None:
        raise ProvisionError(f"{out} has a hall already: name a new folder")
    try:
        found = AESGCM(_bits(key)).decrypt(nonce, data[len(BEGIN) + NONCE_BYTES :], BEGIN)
    except (InvalidTag, ValueError) as error:
        raise ProvisionError(
            "this key does not open the copy: it is the one of 16 letters and digits on the head's screen"
        ) from error
    folder.make()
    files = msgspec.json.decode(found, type=HallFiles).files
    for name, text in sorted(files.items(), key=lambda one: one[0] == KEPT):  # last what makes it a hall
        folder.write(name, text)


def _bits(key: str) -> bytes:
    letters = "".join(letter for letter in key.lower() if letter in LETTERS)
    return hashlib.sha256(BEGIN + letters.encode()).digest()
