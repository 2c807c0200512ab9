"""Files that the machine keeps: settings, boot partition, stores and the warnings in them."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from pi_bunco.config import Config, ConfigError, load
from pi_bunco.doctor.findings import Finding, fault, fine, skipped, warning
from pi_bunco.doctor.machine_state import Machine
from pi_bunco.log import journal
from pi_bunco.log.backup import STORING_SERVICES, Home, StoreKind
from pi_bunco.log.log_store import Replica
from pi_bunco.provision import handover
from pi_bunco.runtime.clock import date
from pi_bunco.runtime.store import DamagedError, StoreError
from pi_bunco.runtime.writer import Reports, Warned, load_kept, load_warnings
from pi_bunco.table.phones import phones_store as phones
from pi_bunco.wire import outbox
from pi_bunco.words.sentences import ended

_NO_FILE = Path(os.devnull)
AS_ROOT = "Look again as root: sudo pi-bunco doctor."
_SET_ASIDE = "If an evening is missing that a backup has: sudo pi-bunco restore FILE. Else delete the file."
_SHOWN_WARNINGS = 5
_READ_EVENINGS = 2
"""The newest evenings of a journal are read through, as many as these."""
STORE_KINDS = (
    StoreKind("journal.db", "head", journal.SCHEMA, "facts"),
    StoreKind("outbox.db", "table", outbox.SCHEMA, "envelopes"),
    StoreKind("replica.db", "table", Replica.schema, "entries"),
    StoreKind("phones.db", "phones", phones.SCHEMA, "envelopes"),
)
_NOBODY = Reports(lambda _: None, lambda _: None)


_READS: Mapping[str, Callable[[Path], object]] = {
    "journal.db": lambda path: [
        journal.read(path, evening.id) for evening in journal.evenings(path)[-_READ_EVENINGS:]
    ],
    "outbox.db": lambda path: outbox.OutboxFile(path, _NOBODY, 0.0).close(),
    "replica.db": lambda path: Replica(path, _NOBODY).close(),
    "phones.db": lambda path: phones.PhonesStore(path, _NOBODY).close(),
}
"""Reads the newest facts of a store as its service does."""


class Settled(Struct, frozen=True):
    """The settings as far as they can be had, and the problems of their file."""

    config: Config
    file: Path | None
    problems: tuple[str, ...] = ()


def read_settings(given: Mapping[str, Any], file: Path | None, machine: Machine) -> Settled:
    """The settings of the file and those `given`; `ConfigError` if these are wrong, or there is no file."""
    path = file or (machine.places.settings if machine.places.settings.exists() else None)
    if file is not None and not file.exists():
        raise ConfigError([f"the config file {file} cannot be read: there is none"])
    try:
        load({}, path or _NO_FILE)
    except ConfigError as error:
        return Settled(load(given, _NO_FILE), path, error.problems)
    return Settled(load(given, path or _NO_FILE), path)


def judge_settings(settled: Settled) -> Iterator[Finding]:
    """Every problem of the file at once."""
    if settled.file is None:
        yield skipped("settings", "there is no file of settings; all is as the options and defaults say")
    for problem in settled.problems:
        mend = f"Mend that line: sudo nano {settled.file}, then sudo systemctl restart 'pi-bunco-*'."
        yield fault("settings", ended(problem), mend)
    if settled.file and not settled.problems:
        yield fine("settings", f"{settled.file} holds.")


def look_handover(path: Path) -> Iterator[Finding]:
    """Passwords that the boot partition still holds, where any laptop could read them."""
    try:
        waiting = handover.read(path) if path.exists() else None
    except handover.HandoverError as error:
        yield fault("boot partition", ended(str(error)), f"Copy it anew, or delete {path}.")
        return
    except PermissionError:
        yield skipped("boot partition", f"{path} cannot be seen by this user. {AS_ROOT}")
        return
    if waiting:
        text = f"{path} still holds the passwords of {waiting.device.role}: it has not been taken."
        yield fault("boot partition", text, "Switch the Pi off and on, or: sudo pi-bunco adopt.")
    else:
        yield fine("boot partition", "No passwords are left on it.")


def look_stores(home: Home | None) -> Iterator[Finding]:
    """Stores that are not sound, and those that had to be set aside."""
    if home is None:
        yield skipped("stores", "no folder is named where a service keeps what it knows (--data)")
        return
    if any(not os.access(one, os.R_OK | os.X_OK) for one in home.services()):
        yield skipped("stores", f"this user may not look into {home.folder}. {AS_ROOT}")
        return
    there = list(home.stores())
    for kind, path in there:
        yield _soundness(kind, path)
        for aside in sorted(path.parent.glob(f"{path.name}.damaged-*[0-9]")):
            text = f"{aside} was damaged and has been set aside; the service went on with a new one."
            yield warning("stores", text, _SET_ASIDE)
    if not there:
        yield skipped("stores", f"there are none in {home.folder} yet")


def _soundness(kind: StoreKind, path: Path) -> Finding:
    try:
        load_kept(path, kind.schema)
        _READS[kind.name](path)
    except DamagedError as error:
        mend = (
            "When its service starts anew it sets the file aside, keeps it, and goes on:"
            f" sudo systemctl restart pi-bunco-{kind.service}."
        )
        if kind.service == "head":
            mend += " Have the tables on: the head takes the evening from them."
        return fault("stores", ended(str(error)), mend)
    except StoreError as error:
        return fault("stores", ended(str(error)), "See what is said of the card.")
    return fine("stores", f"{path} is sound.")


def read_warnings(home: Home | None) -> list[Warned]:
    """The late warnings of the services, the oldest first; none from a store that cannot be read."""
    warned: list[Warned] = []
    for kind, path in home.stores() if home else ():
        try:
            warned += load_warnings(path, kind.schema)
        except StoreError:
            continue  # `look_stores` tells
    return sorted(warned, key=lambda one: one.at)


def judge_warnings(warned: Sequence[Warned]) -> Iterator[Finding]:
    """The kinds of warnings that came last, and the count of each."""
    if not warned:
        return
    counts, last = Counter(one.text for one in warned), {one.text: one.at for one in warned}
    for text in sorted(counts, key=lambda text: last[text])[: -_SHOWN_WARNINGS - 1 : -1]:
        times = f"{counts[text]} times, the last" if counts[text] > 1 else "once,"
        yield warning("last nights", f"{text} ({times} {date(last[text] / 1000)})")


def home(given: str | None, setting: str | None, installed: Path) -> Home | None:
    """The folder that is `given`, else the one of an `installed` Pi, else that of the setting `data`."""
    if given is None and os.path.isdir(installed):
        return Home(installed, True, STORE_KINDS)
    folder = given or setting
    if folder is None:
        return None
    return Home(
        Path(folder), any(os.path.isdir(Path(folder, service)) for service in STORING_SERVICES), STORE_KINDS
    )
