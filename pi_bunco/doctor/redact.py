"""Takes secrets, and players' names, out of what is handed to others."""

import base64
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

from msgspec import Struct

from pi_bunco.config import Config
from pi_bunco.journal.stores import Home
from pi_bunco.provision import handover
from pi_bunco.provision.places import Places
from pi_bunco.runtime.store import StoreError, rows

SECRET = "[secret]"
_SHORT = 4
"""A text of fewer characters is no secret worth the name, and is everywhere."""
_HIDDEN = re.compile(
    r"""(?ix) (?<![\w.-]) (?P<key> [\w.-]* (?:pass|secret|token|psk|credential) [\w.-]* | [\w.-]+[_-]pin
        | pin (?=\s*=\s*["']) ) (?P<sign> ["']? \s* = \s*)
        (?: \"{3}[\s\S]*?\"{3} | '{3}[\s\S]*?'{3} | "(?:[^"\\\n]|\\.)*" | '[^'\n]*' | [^,}\n]+ )"""
)
_LONG = 32
"""Characters of a word that is a secret by itself, whatever stands behind it."""
_CODED = 8
"""A code of so few characters is of a PIN, and may stand anywhere by chance."""
_PRIVATE = 0o600
_PATHS = ("_file", "secrets")
"""Settings whose names end so say where a secret is, and not what."""
_PEM = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL)
_ARMOR = re.compile(r"-----(BEGIN|END) [A-Z ]+-----")
_URL = re.compile(r"(?<=://)[^/\s\"'@]*:[^/\s\"'@]*(?=@)")
_QUOTED = re.compile(r""""secrets/[^"]+" = "([^"]+)"\s*""")
_HASH = re.compile(r"\$[67]\$[A-Za-z0-9+/=$.]+")


class Redaction(Struct, frozen=True):
    """What is taken out of texts; `whole` if everything was seen that could hold a secret or a name."""

    secrets: tuple[str, ...]
    names: tuple[str, ...] = ()
    whole: bool = True

    def text(self, text: str) -> str:
        """The text without secrets; a player is a number."""
        text = _URL.sub(SECRET, _HASH.sub(SECRET, _PEM.sub(SECRET, text)))
        for secret in sorted(self.secrets, key=len, reverse=True):
            text = text.replace(secret, SECRET)
        if not self.names:
            return text
        numbers = {name: number for number, name in enumerate(self.names, 1)}
        longest = sorted(numbers, key=len, reverse=True)
        name = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, longest))})(?!\w)")
        return name.sub(lambda found: f"player {numbers[found[1]]}", text)

    def value(self, value: Any) -> Any:
        """A JSON value with every text in it redacted."""
        match value:
            case str():
                return self.text(value)
            case dict():
                return {self.text(str(key)): self.value(one) for key, one in value.items()}
            case list() | tuple():
                return [self.value(one) for one in value]
        return value


def settings(text: str) -> str:
    """A file of settings without what somebody has put there and should not: passwords, PINs, tokens."""
    return _URL.sub(SECRET, _PEM.sub(SECRET, _HIDDEN.sub(_hidden, text)))


def _hidden(found: re.Match[str]) -> str:
    return found[0] if found["key"].endswith(_PATHS) else f'{found["key"]}{found["sign"]}"{SECRET}"'


def known(places: Places, config: Config, home: Home | None, with_names: bool) -> Redaction:
    """The secrets of this machine, and unless `with_names` its players."""
    found, whole = set[str](), True
    for file in _files(places, config):
        try:
            found.update(_kept(file.read_text("utf-8", "replace")))
        except FileNotFoundError:
            continue
        except OSError:
            whole = False
    whole = whole and (os.access(places.secrets, os.R_OK | os.X_OK) or not os.path.exists(places.secrets))
    if with_names:
        return Redaction(tuple(sorted(found)), whole=whole)
    listed, seen = _names(home)
    return Redaction(tuple(sorted(found)), tuple(listed), whole and seen)


def _files(places: Places, config: Config) -> Iterator[Path]:
    yield from (path for path in places.secrets.glob("*/*") if path.is_file())
    yield from (places.broker / "passwd", places.broker / "key.pem", places.handover)
    named = (config.broker.password_file, config.broker.key, config.pin_file, config.wifi_file)
    yield from (Path(file) for file in named if file)


def _kept(text: str) -> Iterator[str]:
    """Every piece of a file that could be told apart from the rest, and how it could be written."""
    try:
        given = handover.parse(text)
        files = given.files.items() if given else ()
        texts = [content for path, content in files if handover.mode(path) == _PRIVATE]
    except handover.HandoverError:
        texts = [text]
    for line in (line for one in texts for line in one.splitlines()):
        for piece in map(str.strip, _pieces(line)):
            if len(piece) >= _SHORT and not _ARMOR.fullmatch(piece):
                yield from _written(piece)


def _pieces(line: str) -> list[str]:
    """A password is a line; an account's hash is $7$rounds$salt$digest after the account's name."""
    _account, _, hashed = line.partition(":")
    if hashed.startswith("$"):
        return [hashed, *(part for part in hashed.split("$") if len(part) > 8)]
    quoted = _QUOTED.fullmatch(line)  # in a file for a Pi of which the rest is damaged
    long = [
        word for word in line.split() if len(word) >= _LONG and word != line
    ]  # the log key, before its base
    wifi = re.search(r"P:((?:[^;\\]|\\.)*)", line) if line.startswith("WIFI:") else None
    password = [wifi[1], re.sub(r"\\(.)", r"\1", wifi[1])] if wifi else []
    return [line, *password, *long, *([quoted[1].removesuffix("\\n")] if quoted else [])]


def _written(secret: str) -> set[str]:
    """How the secret may stand in a text: as it is, within an address, a string, or in base64."""
    data = secret.encode("utf-8", "surrogatepass")
    plain = {secret, quote(secret), quote(secret, safe=""), quote_plus(secret), json.dumps(secret)[1:-1]}
    return plain | {repr(data)[2:-1]} | {one for one in (data.hex(), *_in_base64(data)) if len(one) > _CODED}


def _in_base64(data: bytes) -> Iterator[str]:
    """What is the same whatever is coded together with the data, such as `user:` before a password."""
    for before, mixed in enumerate((0, 2, 3)):
        whole = (before + len(data)) * 8 // 6
        for code in (base64.b64encode, base64.urlsafe_b64encode):
            yield code(bytes(before) + data)[mixed:whole].decode()


def _names(home: Home | None) -> tuple[Sequence[str], bool]:
    """Every player that the stores know, in the order in which they came; and whether all could be seen."""
    names, whole = dict[str, None](), True
    for service in home.services() if home else ():
        whole = whole and os.access(service, os.R_OK | os.X_OK)
    for kind, path in home.stores() if home else ():
        try:
            texts = [] if kind.name == "outbox.db" else rows(path, kind.schema, "SELECT fact FROM facts")
            kept = rows(path, kind.schema, "SELECT value FROM kept")
            replaced = [
                *_of_facts(_decoded(texts)),
                *(name for value in _decoded(kept) for name in _of_seats(value)),
            ]
        except (StoreError, ValueError):  # what is no JSON is of a damaged store, too
            whole = False
            continue
        names.update(dict.fromkeys(replaced))
    return list(names), whole


def _decoded(found: Iterable[tuple[Any]]) -> list[dict[str, Any]]:
    values = [json.loads(text) for (text,) in found]
    return [value for value in values if isinstance(value, dict)]


def _of_facts(facts: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Whom these facts name for the first time, see PROTOCOL.md section 1."""
    for fact in facts:
        players = fact.get("players")
        named = players if isinstance(players, list) else []
        yield from (
            name for name in (*named, *map(fact.get, ("in", "out", "player"))) if isinstance(name, str)
        )


def _of_seats(value: Mapping[str, Any]) -> Iterator[str]:
    """Whom a table's view names."""
    seats = value.get("seats")
    yield from (name for name in (seats if isinstance(seats, list) else ()) if isinstance(name, str))
