"""The chain of the evening log: every entry carries a keyed hash over itself and the one before it.

Only the head and the hall's laptop have the key, so whatever anybody hands back is exactly what a head of
this hall wrote, or is refused (PROTOCOL.md section 2, The chain). Pure but for the key's file.
"""

import hashlib
import hmac
import secrets
from array import array
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from pi_bunco.errors import BuncoError
from pi_bunco.game import facts
from pi_bunco.game.facts import Fact
from pi_bunco.log.entry import Entry, Origin, entry
from pi_bunco.runtime.files import write

LENGTH = 32
"""Hex digits of a mac."""
LOG_KEY = "log.key"
"""The file, in a head's folder, of the key that it has drawn itself."""
_canonical = msgspec.json.Encoder(order="sorted")


class LogKeyError(BuncoError, ValueError):
    """The file of the log key cannot be used; the text says why."""


class LogKey(Struct, frozen=True):
    """The hall's log key; `base` is what every evening's running number is above."""

    secret: bytes
    base: int = 0

    @property
    def id(self) -> str:
        """The key's name: the first 8 hex digits of its SHA-256."""
        return hashlib.sha256(self.secret).hexdigest()[:8]


def new_key(base: int = 0) -> LogKey:
    """A key drawn from the system's randomness."""
    return LogKey(secrets.token_bytes(32), base)


def key_text(key: LogKey) -> str:
    """The text of the key's file: 64 hex digits, a space, the base of the running numbers, a line end."""
    return f"{key.secret.hex()} {key.base}\n"


def read_key(path: Path) -> LogKey:
    """The key in the file `path`; `LogKeyError` if that is none, `OSError` if it cannot be read."""
    words = path.read_text("ascii", "replace")[:200].split()
    try:
        secret, base = bytes.fromhex(words[0]), int(words[1]) if len(words) > 1 else 0
        if len(words) > 2 or len(secret) != 32 or base < 0:
            raise ValueError
    except (ValueError, IndexError) as error:
        raise LogKeyError(
            f"{path} is no log key: it must hold 64 hex digits, a space and a whole number"
        ) from error
    return LogKey(secret, base)


def kept_key(path: Path) -> LogKey:
    """The key in the file `path`, which is made if there is none; raises as `read_key` does."""
    try:
        return read_key(path)
    except FileNotFoundError:
        key = new_key()
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, key_text(key).encode())
        return key


def mac(key: LogKey, before: str, one: Entry) -> str:
    """The mac of an entry behind one with the mac `before` ("" for the first: the evening's id counts).

    HMAC-SHA256 over `before` and the canonical JSON of evening, fact, n and origin; its first 32 hex digits.
    """
    plain: dict[str, Any] = {
        "evening": one.evening,
        "fact": msgspec.json.decode(one.fact),
        "n": one.n,
        "origin": one.origin,
    }
    text = (before or one.evening).encode() + _canonical.encode(plain)
    return hmac.digest(key.secret, text, "sha256").hex()[:LENGTH]


def chained(
    key: LogKey, before: str, evening: str, n: int, fact: Fact, origin: Origin | None = None
) -> Entry:
    """The entry of a fact with its mac behind `before`."""
    one = entry(evening, n, fact, origin)
    return msgspec.structs.replace(one, mac=mac(key, before, one))


def continues(key: LogKey, before: str, one: Entry) -> bool:
    """Whether this head's key made the entry, right behind the one with the mac `before`."""
    try:
        return hmac.compare_digest(mac(key, before, one), one.mac)
    except (msgspec.MsgspecError, RecursionError):
        return False


def rechained(key: LogKey, entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """A chain of another key, from its first entry on, with the same facts under this one."""
    before, made = "", []
    for one in entries:
        made.append(msgspec.structs.replace(one, mac=mac(key, before, one)))
        before = made[-1].mac
    return tuple(made)


class Macs:
    """The macs of a chain in order, of which no more is kept than tells whether another one is the same."""

    def __init__(self) -> None:
        self.newest = ""
        self._hashes = array("q")

    def __len__(self) -> int:
        return len(self._hashes)

    def append(self, mac: str) -> None:
        """The mac of the next entry."""
        self._hashes.append(hash(mac))
        self.newest = mac

    def has(self, n: int, mac: str) -> bool:
        """Whether entry `n`, from 1 on, is in here with this mac."""
        return n <= len(self) and self._hashes[n - 1] == hash(mac)


class Rank(Struct, frozen=True, order=True):
    """How chains compare: by the evening's running number, then branches that the host chose, then length."""

    no: int
    branches: int
    length: int


def rank(entries: Iterable[Fact]) -> Rank:
    """The rank of a chain of these facts, from the first on."""
    no = branches = length = 0
    for fact in entries:
        length += 1
        if isinstance(fact, facts.EveningOpen):
            no = fact.no or 0
        elif isinstance(fact, facts.Branch):
            branches += 1
    return Rank(no, branches, length)
