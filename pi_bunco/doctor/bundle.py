"""The bundle for a bug report: the findings and their sources, without secrets and players' names."""

import base64
import importlib.metadata
import io
import json
import os
import platform
import re
import sys
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, quote_plus

import msgspec
from msgspec import to_builtins

from pi_bunco import __version__
from pi_bunco.config import Config
from pi_bunco.doctor import stores
from pi_bunco.doctor.findings import Finding, plain
from pi_bunco.doctor.machine_state import Machine
from pi_bunco.errors import BuncoError
from pi_bunco.log.backup import Home
from pi_bunco.provision import handover
from pi_bunco.provision.places import Places
from pi_bunco.runtime.files import written
from pi_bunco.runtime.store import StoreError, rows

if TYPE_CHECKING:
    from pi_bunco.doctor.examine import Subject

_UNITS = "pi-bunco*"
_LEFT_OUT = "Left out: not every secret and name could be read, to take it out of here. Use sudo.\n"
_JOURNAL_LINES = "1000"
REDACTED = "[secret]"
_SECRET_MIN_CHARS = 4
"""A shorter text is no secret worth the name, and is everywhere."""
_HIDDEN = re.compile(
    r"""(?ix) (?<![\w.-]) (?P<key> [\w.-]* (?:pass|secret|token|psk|credential) [\w.-]* | [\w.-]+[_-]pin
        | pin (?=\s*=\s*["']) ) (?P<sign> ["']? \s* = \s*)
        (?: \"{3}[\s\S]*?\"{3} | '{3}[\s\S]*?'{3} | "(?:[^"\\\n]|\\.)*" | '[^'\n]*' | [^,}\n]+ )"""
)
_SECRET_WORD_CHARS = 32
"""A word as long as this is a secret by itself, whatever stands behind it."""
_CODE_MIN_CHARS = 8
"""A code that is no longer is of a PIN, and may stand anywhere by chance."""
_SALT_MIN_CHARS = 8
_PATHS = ("_file", "secrets")
"""Settings whose names end so say where a secret is, and not what."""
_PEM = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL)
_ARMOR = re.compile(r"-----(BEGIN|END) [A-Z ]+-----")
_URL = re.compile(r"(?<=://)[^/\s\"'@]*:[^/\s\"'@]*(?=@)")
_QUOTED = re.compile(r""""secrets/[^"]+" = "([^"]+)"\s*""")
_HASH = re.compile(r"\$[67]\$[A-Za-z0-9+/=$.]+")


def collect(subject: "Subject", findings: Sequence[Finding], with_names: bool) -> dict[str, bytes]:
    """The files of the archive by their names, redacted."""
    machine, settled = subject.machine, subject.settled
    redaction = known(machine.places, settled.config, subject.home, with_names)
    loose = {
        "journal.txt": machine.run(
            ("journalctl", "--no-pager", "-n", _JOURNAL_LINES, "-o", "short-iso", "-u", _UNITS)
        ),
        "units.txt": machine.run(("systemctl", "status", "--no-pager", "--full", "-n", "0", _UNITS)),
    }
    try:
        text = settled.file.read_text("utf-8", "replace") if settled.file else ""
    except OSError as error:
        text = f"# {error.strerror}\n"
    texts = {
        "settings.toml": redacted_settings(text),
        "versions.txt": "".join(f"{line}\n" for line in versions(machine)),
        "config.txt": machine.text("boot/firmware/config.txt") or "",
    }
    values = {
        "doctor.json": {"version": __version__} | plain(findings),
        "stores.json": shapes(subject.home),
        "warnings.json": to_builtins(stores.read_warnings(subject.home)),
    }
    if not redaction.whole:  # what nobody could look for may be in any of these
        loose = dict.fromkeys(loose, _LEFT_OUT)
        chosen = [one for one in findings if one.check not in ("last nights", "head", "tables")]
        values["doctor.json"] |= {"findings": to_builtins(chosen)}
        values["warnings.json"] = []
    texts |= {name: text or "" for name, text in loose.items()}
    return {name: redaction.text(text).encode() for name, text in texts.items()} | {
        name: msgspec.json.format(msgspec.json.encode(redaction.value(value)))
        for name, value in values.items()
    }


def versions(machine: Machine) -> Iterator[str]:
    """The versions of our package and those that it needs, of Python and the system; and the board."""
    model = (machine.text("proc/device-tree/model") or "").rstrip("\0\n")
    named = (
        line for line in (machine.text("etc/os-release") or "").splitlines() if line.startswith("PRETTY_NAME")
    )
    yield f"pi-bunco {__version__}"
    yield f"Python {sys.version}"
    yield f"{platform.system()} {platform.release()} {platform.machine()}"
    yield from (line for line in (model, *named) if line)
    found = {one.name: one.version for one in importlib.metadata.distributions()}
    yield from (f"{name} {version}" for name, version in sorted(found.items()))


def shapes(home: Home | None) -> dict[str, Any]:
    """The size of each store and the count of its facts, none of which is shown."""
    shown: dict[str, Any] = {}
    for kind, path in home.stores() if home else ():
        sizes = {side.name: side.stat().st_size for side in path.parent.glob(f"{path.name}*")}
        try:
            evenings = rows(path, kind.schema, f"SELECT evening, COUNT(*) FROM {kind.facts} GROUP BY evening")
            shown[kind.member] = {"bytes": sizes, "evenings": dict(evenings)}
        except StoreError as error:
            shown[kind.member] = {"bytes": sizes, "error": str(error)}
    return shown


def write(file: Path, files: Mapping[str, bytes]) -> None:
    """Writes the archive whole, or not at all; `BuncoError` if that cannot be."""
    try:
        with written(file, 0o644) as stream, tarfile.open(fileobj=stream, mode="w:gz") as archive:
            for name, data in files.items():
                member = tarfile.TarInfo(f"pi-bunco-report/{name}")
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))
    except OSError as error:
        raise BuncoError(f"{file} cannot be written: {error.strerror or error}") from error


class Redaction(msgspec.Struct, frozen=True):
    """Secrets and names to take out of texts; `whole` if everything was read that could hold one."""

    secrets: tuple[str, ...]
    names: tuple[str, ...] = ()
    whole: bool = True

    def text(self, text: str) -> str:
        """The text without secrets; a player is a number."""
        text = _URL.sub(REDACTED, _HASH.sub(REDACTED, _PEM.sub(REDACTED, text)))
        for secret in sorted(self.secrets, key=len, reverse=True):
            text = text.replace(secret, REDACTED)
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


def redacted_settings(text: str) -> str:
    """A file of settings without what somebody has put there and should not: passwords, PINs, tokens."""

    def hidden(found: re.Match[str]) -> str:
        return found[0] if found["key"].endswith(_PATHS) else f'{found["key"]}{found["sign"]}"{REDACTED}"'

    return _URL.sub(REDACTED, _PEM.sub(REDACTED, _HIDDEN.sub(hidden, text)))


def known(places: Places, config: Config, home: Home | None, with_names: bool) -> Redaction:
    """The secrets of this machine, and unless `with_names` its players."""
    found, whole = set[str](), True
    named = (config.broker.password_file, config.broker.key, config.pin_file, config.wifi_file)
    files = [path for path in places.secrets.glob("*/*") if path.is_file()]
    files += [places.broker / "passwd", places.broker / "key.pem", places.handover]
    for file in (*files, *(Path(one) for one in named if one)):
        try:
            found.update(secret_pieces(file.read_text("utf-8", "replace")))
        except FileNotFoundError:
            continue
        except OSError:
            whole = False
    whole = whole and (os.access(places.secrets, os.R_OK | os.X_OK) or not os.path.exists(places.secrets))
    if with_names:
        return Redaction(tuple(sorted(found)), whole=whole)
    names, all_read = _names(home)
    return Redaction(tuple(sorted(found)), names, whole and all_read)


def secret_pieces(text: str) -> Iterator[str]:
    """Every piece of a secret file that makes sense by itself, in each form that it may be written in."""
    try:
        given = handover.parse(text)
        files = given.files.items() if given else ()
        texts = [content for path, content in files if handover.mode(path) == 0o600]
    except handover.HandoverError:
        texts = [text]
    for line in (line for one in texts for line in one.splitlines()):
        for piece in map(str.strip, _pieces(line)):
            if len(piece) >= _SECRET_MIN_CHARS and not _ARMOR.fullmatch(piece):
                yield from _written(piece)


def _pieces(line: str) -> list[str]:
    """A password is a line; an account's hash is $7$rounds$salt$digest after the account's name."""
    _account, _, hashed = line.partition(":")
    if hashed.startswith("$"):
        return [hashed, *(part for part in hashed.split("$") if len(part) > _SALT_MIN_CHARS)]
    quoted = _QUOTED.fullmatch(line)  # in a file for a Pi of which the rest is damaged
    # The log key, before its base.
    long = [word for word in line.split() if len(word) >= _SECRET_WORD_CHARS and word != line]
    wifi = re.search(r"P:((?:[^;\\]|\\.)*)", line) if line.startswith("WIFI:") else None
    password = [wifi[1], re.sub(r"\\(.)", r"\1", wifi[1])] if wifi else []
    return [line, *password, *long, *([quoted[1].removesuffix("\\n")] if quoted else [])]


def _written(secret: str) -> set[str]:
    """The forms of a secret in a text: as it is, within an address, a string, or in base64."""
    data = secret.encode("utf-8", "surrogatepass")
    plain = {secret, quote(secret), quote(secret, safe=""), quote_plus(secret), json.dumps(secret)[1:-1]}
    return (
        plain
        | {repr(data)[2:-1]}
        | {one for one in (data.hex(), *_in_base64(data)) if len(one) > _CODE_MIN_CHARS}
    )


def _in_base64(data: bytes) -> Iterator[str]:
    """The part that stays the same whatever is coded before the data, such as `user:` before a password."""
    for before, mixed in enumerate((0, 2, 3)):
        whole = (before + len(data)) * 8 // 6
        for code in (base64.b64encode, base64.urlsafe_b64encode):
            yield code(bytes(before) + data)[mixed:whole].decode()


def _names(home: Home | None) -> tuple[tuple[str, ...], bool]:
    """Every player that the stores know, in the order in which they came; and whether all could be read."""
    names, whole = dict[str, None](), True
    for service in home.services() if home else ():
        whole = whole and os.access(service, os.R_OK | os.X_OK)
    for kind, path in home.stores() if home else ():
        facts = () if kind.name == "outbox.db" else ("SELECT fact FROM facts",)
        try:
            found = [
                json.loads(text)
                for query in (*facts, "SELECT value FROM kept")
                for (text,) in rows(path, kind.schema, query)
            ]
        except (StoreError, ValueError):  # what is no JSON is of a damaged store, too
            whole = False
            continue
        names.update(dict.fromkeys(name for value in found for name in _people(value)))
    return tuple(names), whole


def _people(value: Any) -> Iterator[str]:
    """The players that a fact or a table's view names, see wire/README.md."""
    if not isinstance(value, dict):
        return
    lists = (found for key in ("players", "seats") if isinstance(found := value.get(key), list))
    listed = (name for names in lists for name in names)
    yield from (name for name in (*listed, *map(value.get, ("in", "out", "player"))) if isinstance(name, str))
