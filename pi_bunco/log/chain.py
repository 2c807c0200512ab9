"""The chain of the evening log: every entry carries a keyed hash over itself and the one before it.

Only the head and the hall's laptop have the key, so whatever anybody hands back is exactly what a head of
this hall wrote, or is refused (wire/README.md, The chain). Pure but for the key's file.
"""

import contextlib
import hashlib
import hmac
import secrets
from array import array
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Raw, Struct

from pi_bunco.errors import BuncoError, FactError
from pi_bunco.game import codec, facts
from pi_bunco.game.facts import Fact
from pi_bunco.log.entry import Entry, Origin
from pi_bunco.runtime.files import write

MAC_DIGITS = 32
"""Hex digits of a mac."""
LOG_KEY = "log.key"
"""The file, in a head's folder, of the key that it has drawn itself."""
SPARE_KEY = "log.key.spare"
"""The file there of a copy of the hall's key."""
MAX_BASE = 2**52
"""The greatest base of running numbers: there is room behind it."""
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
        if len(words) > 2 or len(secret) != 32 or not 0 <= base <= MAX_BASE:
            raise ValueError
    except (ValueError, IndexError) as error:
        raise LogKeyError(
            f"{path} is no log key: it must hold 64 hex digits, a space and a whole number"
        ) from error
    return LogKey(secret, base)


def sound_key(path: Path, spare: Path) -> tuple[LogKey, str]:
    """The key in the file `path`, and what is wrong with that for a host, a sentence; "" where nothing is.

    No single damaged file stops a start: each start keeps a copy of the key in `spare`, from which a damaged
    one is taken, and where both are, or neither is there yet, a new key is drawn.
    """
    why, key = "", None
    try:
        key = read_key(path)
    except FileNotFoundError:
        pass
    except (LogKeyError, OSError) as error:
        why = f"The log key cannot be read ({error})"
    if key is None:
        with contextlib.suppress(LogKeyError, OSError):
            key = read_key(spare)
            why = f"{why or f'The log key {path} is gone'}: the copy in {spare} is used."
    if key is None:
        key = new_key()
        why = (
            f"{why}: a new one is drawn. Logs that tables keep of before need the host's word." if why else ""
        )
    try:
        for file in {spare, path} if path.parent == spare.parent else {spare}:
            _keep_key(file, key)
    except OSError as error:
        why = why or f"The log key cannot be kept: {error.strerror}."
    return key, why


def _keep_key(path: Path, key: LogKey) -> None:
    """Writes the key's file where it does not say that; keeps a damaged one beside it."""
    with contextlib.suppress(LogKeyError, FileNotFoundError):
        if read_key(path) == key:
            return
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        path.replace(path.with_name(f"{path.name}.damaged"))
    write(path, key_text(key).encode())


def mac(key: LogKey, before: str, one: Entry) -> str:
    """The mac of an entry behind one with the mac `before` ("" for the first: the evening's id counts).

    HMAC-SHA256 over `before` and the canonical JSON of evening, fact, n and origin; its first 32 hex digits.
    """
    return _mac(key, before, one.evening, one.n, one.plain(), one.origin)


def _mac(key: LogKey, before: str, evening: str, n: int, fact: dict[str, Any], origin: Origin | None) -> str:
    plain = {"evening": evening, "fact": fact, "n": n, "origin": origin}
    text = (before or evening).encode() + _canonical.encode(plain)
    digest = _keyed(key.secret).copy()
    digest.update(text)
    return digest.hexdigest()[:MAC_DIGITS]


@cache  # a key takes as long to set up as an entry to hash
def _keyed(secret: bytes) -> hmac.HMAC:
    return hmac.new(secret, digestmod="sha256")


def chained(
    key: LogKey, before: str, evening: str, n: int, fact: Fact, origin: Origin | None = None
) -> Entry:
    """The entry of a fact with its mac behind `before`."""
    plain = codec.plain(fact)
    return Entry(evening, n, Raw(codec.line(plain)), origin, _mac(key, before, evening, n, plain, origin))


def continues(key: LogKey, before: str, one: Entry) -> bool:
    """True if this key made the entry, right behind the one with the mac `before`."""
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


class Rank(Struct, frozen=True, order=True):
    """The order of chains: the evening's running number, branches that the host chose, end bells, length.

    What was made after a bell must stand behind it: the end that has it comes first. Of two that are as long
    the one that was written anew more times is the better one.
    """

    no: int
    branches: int
    bells: int
    length: int
    rewritten: int = 0


Judged = Literal["continues", "repeats", "gap", "fork"]


class Chain:
    """The entries of an evening as far as they tell whether another one is there, or goes on from here."""

    def __init__(self, evening: str = "", start: int = 1, before: str = "") -> None:
        """It begins with entry `start`, behind one with the mac `before`."""
        self.evening = evening
        self.newest = before
        """The mac of the last entry."""
        self.branches = self.bells = 0
        self.rewritten = 0
        """Number of times that the log was written anew."""
        self._no = 0
        self._start = start
        self._hashes = array("q")

    def __len__(self) -> int:
        """The number of the last entry."""
        return self._start - 1 + len(self._hashes)

    @property
    def rank(self) -> Rank:
        """The rank of a chain that is here from its first entry on."""
        return Rank(self._no, self.branches, self.bells, len(self), self.rewritten)

    def has(self, n: int, mac: str) -> bool:
        """True if entry `n` is in here with this mac."""
        return self._start <= n <= len(self) and self._hashes[n - self._start] == hash(mac)

    def judge(self, entry: Entry, key: LogKey | None = None) -> Judged:
        """Its place: it continues only what it stands behind, as far as it says, or as the `key` tells."""
        if entry.n <= len(self):
            return "repeats" if self.has(entry.n, entry.mac) else "fork"
        if entry.n > len(self) + 1:
            return "gap"
        believed = key is None or continues(key, self.newest, entry)
        another = self.newest and entry.before not in (UNSET, self.newest)
        return "continues" if believed and not another else "fork"

    def parts(self, other: "Chain") -> int:
        """The number from which on the other one differs, or ends; both begin with the first entry."""
        pairs = enumerate(zip(self._hashes, other._hashes, strict=False), 1)
        return next((n for n, (ours, theirs) in pairs if ours != theirs), min(len(self), len(other)) + 1)

    def add(self, entry: Entry) -> None:
        """The next entry."""
        self._hashes.append(hash(entry.mac))
        self.newest = entry.mac
        if entry.origin is None:  # of the head, as all are that count for the rank
            with contextlib.suppress(FactError):  # of a newer head
                self._count(entry.decoded())

    def _count(self, fact: Fact) -> None:
        if isinstance(fact, facts.EveningOpen):
            self._no, self.rewritten = fact.no or 0, fact.rewritten or 0
        elif isinstance(fact, facts.Branch):
            self.branches += 1
        elif isinstance(fact, facts.BellRang):
            self.bells += 1


def rank(entries: Iterable[Entry]) -> Rank:
    """The rank of a chain of these entries, from the first on."""
    chain = Chain()
    for one in entries:
        chain.add(one)
    return chain.rank
