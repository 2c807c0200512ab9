"""What goes into a bug report: the findings and what they were made of, without secrets and names."""

import importlib.metadata
import io
import platform
import sys
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from pi_bunco import __version__
from pi_bunco.doctor import kept, redact
from pi_bunco.doctor.examine import Subject
from pi_bunco.doctor.findings import Finding, plain
from pi_bunco.doctor.machine import Machine
from pi_bunco.errors import BuncoError
from pi_bunco.journal.stores import Home
from pi_bunco.runtime.files import written
from pi_bunco.runtime.store import StoreError, rows

_UNITS = "pi-bunco*"
_LEFT_OUT = "Left out: not every secret and name could be read, to take it out of here. Use sudo.\n"
_LINES = "1000"


class BundleError(BuncoError, OSError):
    """The archive cannot be written; the text says why."""


def collect(subject: Subject, findings: Sequence[Finding], with_names: bool) -> dict[str, bytes]:
    """The files of the archive by their names, redacted."""
    machine, settled = subject.machine, subject.settled
    redaction = redact.known(machine.places, settled.config, subject.home, with_names)
    loose = {
        "journal.txt": machine.run(
            ("journalctl", "--no-pager", "-n", _LINES, "-o", "short-iso", "-u", _UNITS)
        ),
        "units.txt": machine.run(("systemctl", "status", "--no-pager", "--full", "-n", "0", _UNITS)),
    }
    texts = {
        "settings.toml": redact.settings(_text(settled.file)),
        "versions.txt": "".join(f"{line}\n" for line in versions(machine)),
        "config.txt": machine.text("boot/firmware/config.txt") or "",
    }
    values = {
        "doctor.json": {"version": __version__} | plain(findings),
        "stores.json": shapes(subject.home),
        "warnings.json": msgspec.to_builtins(kept.read_warnings(subject.home)),
    }
    if not redaction.whole:  # what nobody could look for may be in any of these
        loose = dict.fromkeys(loose, _LEFT_OUT)
        values |= {"warnings.json": [], "doctor.json": _without_words(values["doctor.json"])}
    texts |= {name: text or "" for name, text in loose.items()}
    return {name: redaction.text(text).encode() for name, text in texts.items()} | {
        name: msgspec.json.format(msgspec.json.encode(redaction.value(value)))
        for name, value in values.items()
    }


def _text(file: Path | None) -> str:
    try:
        return file.read_text("utf-8", "replace") if file else ""
    except OSError as error:
        return f"# {error.strerror}\n"


def _without_words(doctor: dict[str, Any]) -> dict[str, Any]:
    """The findings but for those that quote what somebody else has said."""
    chosen = [one for one in doctor["findings"] if one["check"] not in ("last nights", "head", "tables")]
    return doctor | {"findings": chosen}


def versions(machine: Machine) -> Iterator[str]:
    """What runs here: our package and those that it needs, Python, the system and the board."""
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
    """How large each store is and how much is in it: counts, no facts."""
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
    """Writes the archive whole, or not at all; `BundleError` if that cannot be."""
    try:
        with written(file, 0o644) as stream, tarfile.open(fileobj=stream, mode="w:gz") as archive:
            for name, data in files.items():
                member = tarfile.TarInfo(f"pi-bunco-report/{name}")
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))
    except OSError as error:
        raise BundleError(f"{file} cannot be written: {error.strerror or error}") from error
