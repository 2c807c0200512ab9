"""All stores of a machine in one file, and back: checked whole before anything is touched."""

import contextlib
import gzip
import hashlib
import os
import socket
import tarfile
import time
import zlib
from collections.abc import Callable, Container, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Literal

import msgspec
from msgspec import Struct

from pi_bunco import __version__
from pi_bunco.errors import BuncoError
from pi_bunco.log.chain import LOG_KEY
from pi_bunco.runtime import files
from pi_bunco.runtime.clock import date
from pi_bunco.runtime.store import Schema, StoreError, copy, inspect, rows, set_aside, there

MANIFEST_TEXT, SETTINGS_TEXT = "pi-bunco-backup.json", "pi-bunco.toml"
LARGEST_STORE_BYTES, LARGEST_TEXT_BYTES = 2**30, 2**20
"""Bytes of a store, and of a text, beyond which it is none of ours."""
_BLOCK_BYTES = 1 << 20
Service = Literal["head", "table", "phones"]
STORING_SERVICES: tuple[Service, ...] = ("head", "table", "phones")


class BackupError(BuncoError, OSError):
    """A backup that cannot be made or taken back; nothing has been touched, and the text says why."""


class StoreKind(Struct, frozen=True):
    """A store by its file's name: its service, its schema, and the table of what counts in it."""

    name: str
    service: Service
    schema: Schema
    facts: str

    @property
    def member(self) -> str:
        """Its name where the stores of all services are together."""
        return f"{self.service}/{self.name}"


class Home(Struct, frozen=True):
    """The place of stores of these `kinds`: the folder, or `apart` below it a folder for each service."""

    folder: Path
    apart: bool
    kinds: tuple[StoreKind, ...]

    def place(self, service: Service) -> Path:
        """The folder of a service, which may not be there."""
        return self.folder / service if self.apart else self.folder

    def path(self, kind: StoreKind) -> Path:
        """The path of a store, there or not."""
        return self.place(kind.service) / kind.name

    def lock(self, service: Service) -> Path:
        """The file that the process of a service has locked, there or not."""
        return self.place(service) / f"{service}.lock"

    @property
    def log_key(self) -> Path:
        """The path of a head's own log key, there or not."""
        return self.place("head") / LOG_KEY

    def services(self) -> list[Path]:
        """The folders that services write to and that are there."""
        places = {self.place(service): None for service in STORING_SERVICES}
        return [place for place in places if os.path.isdir(place)]

    def stores(self) -> Iterator[tuple[StoreKind, Path]]:
        """The stores that are there; one of which only the log is left, too."""
        for kind in self.kinds:
            path = self.path(kind)
            if os.path.exists(path) or os.path.exists(path.with_name(f"{path.name}-wal")):
                yield kind, path


class Item(Struct, frozen=True):
    """A store in the backup: its name in there, its digest, and how many facts are in it."""

    member: str
    sha256: str
    facts: int


class Manifest(Struct, frozen=True):
    """The contents of a backup, made at `made` (seconds since 1970) by that version on that machine.

    `log_key` is the file of a log key that the head has drawn itself, without which nobody continues its log.
    """

    format: Literal[1]
    version: str
    made: int
    host: str
    stores: tuple[Item, ...]
    log_key: str | None = None


def save(home: Home, settings: str | None, file: Path) -> Manifest:
    """Writes the stores, which may be in use, and `settings` (text without secrets) to the new `file`.

    What was written is read back and checked. `BackupError`, `StoreError` if that cannot be.
    """
    _new(file)
    with _explained(file), TemporaryDirectory(dir=file.parent, prefix=".backup-") as scratch:
        manifest, part = _collected(home, Path(scratch)), Path(scratch, "part")
        with files.written(part) as stream:
            _pack(manifest, Path(scratch), settings, stream)
        with opened(part, file.parent, home.kinds) as (read, _):
            if read != manifest:
                raise BackupError(f"{file} did not come out as it was written; use another disk")
        _new(file)  # another backup of this name may have come in between
        files.appear(part, file)
    return manifest


def _new(file: Path) -> None:
    if file.exists():
        raise BackupError(f"{file} exists already; it is kept, name another file")


def _collected(home: Home, scratch: Path) -> Manifest:
    items = []
    for kind, path in home.stores():
        target = scratch / kind.member
        target.parent.mkdir(exist_ok=True)
        inspect(path, kind.schema)
        copy(path, kind.schema, target)
        items.append(_item(kind, target))
    if not items:
        raise BackupError(f"there is nothing to back up in {home.folder}")
    text = home.log_key.read_text("ascii", "replace") if home.log_key.exists() else None
    return Manifest(1, __version__, int(time.time()), socket.gethostname(), tuple(items), text)


def _item(kind: StoreKind, path: Path) -> Item:
    """The store as it is; `StoreError` if it is not sound."""
    inspect(path, kind.schema)
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    ((facts,),) = rows(path, kind.schema, f"SELECT COUNT(*) FROM {kind.facts}")
    return Item(kind.member, digest, facts)


def _pack(manifest: Manifest, scratch: Path, settings: str | None, stream: IO[bytes]) -> None:
    (scratch / MANIFEST_TEXT).write_bytes(msgspec.json.encode(manifest))
    names = [MANIFEST_TEXT, *(item.member for item in manifest.stores)]
    if settings is not None:
        (scratch / SETTINGS_TEXT).write_text(settings, "utf-8")
        names.append(SETTINGS_TEXT)
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name in names:
            archive.add(scratch / name, name, recursive=False)


@contextlib.contextmanager
def opened(file: Path, beside: Path, kinds: tuple[StoreKind, ...]) -> Iterator[tuple[Manifest, Path]]:
    """The backup, checked entirely, with its stores in a folder for the while, which is made in `beside`."""
    with _explained(file), TemporaryDirectory(dir=beside, prefix=".restore-") as scratch:
        folder, members = Path(scratch), {kind.member: kind for kind in kinds}
        try:
            with gzip.open(file) as stream:
                with tarfile.open(fileobj=stream) as archive:
                    names = _unpacked(archive, folder, file, members)
                while stream.read(_BLOCK_BYTES):  # to its end, where the check sum is
                    pass
        except (tarfile.TarError, gzip.BadGzipFile, EOFError, zlib.error, UnicodeError) as error:
            raise BackupError(f"{file} is no backup of pi-bunco, or damaged ({error})") from error
        yield _checked(folder, names, file, members), folder


def _unpacked(archive: tarfile.TarFile, folder: Path, file: Path, members: Container[str]) -> set[str]:
    """Unpacks what belongs into a backup and nothing else: names in an archive may say anything."""
    names = set[str]()
    for member in archive:
        known = member.name in (MANIFEST_TEXT, SETTINGS_TEXT) or member.name in members
        if not known or not member.isreg() or member.name in names:
            raise BackupError(f"{file} is no backup of pi-bunco: {member.name!r} does not belong into one")
        if member.size > (LARGEST_STORE_BYTES if member.name in members else LARGEST_TEXT_BYTES):
            raise BackupError(f"{file} is damaged: {member.name} would have {member.size} bytes")
        source = archive.extractfile(member)
        assert source is not None
        target = folder / member.name
        target.parent.mkdir(exist_ok=True)
        with target.open("wb") as stream:
            while block := source.read(_BLOCK_BYTES):
                stream.write(block)
            stream.flush()
            os.fsync(stream.fileno())
        names.add(member.name)
    return names


def _checked(folder: Path, names: set[str], file: Path, members: Mapping[str, StoreKind]) -> Manifest:
    if MANIFEST_TEXT not in names:
        raise BackupError(f"{file} is no backup of pi-bunco: it has no {MANIFEST_TEXT}")
    try:
        manifest = msgspec.json.decode((folder / MANIFEST_TEXT).read_bytes(), type=Manifest)
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise BackupError(f"{file} was made by another version, or is damaged: {error}") from error
    if {item.member for item in manifest.stores} != names - {MANIFEST_TEXT, SETTINGS_TEXT}:
        raise BackupError(f"{file} is damaged: not all of its stores are in it")
    for item in manifest.stores:
        try:
            sound = _item(members[item.member], folder / item.member) == item
        except StoreError as error:
            raise BackupError(f"{file} is damaged, or of another version: {error}") from error
        if not sound:
            raise BackupError(f"{file} is damaged: {item.member} is not as it was saved")
    return manifest


def restore(file: Path, home: Home, tell: Callable[[str], object]) -> None:
    """Puts the stores of the backup in place; those that are there are set aside, and kept.

    `tell` gets a sentence for each. What is newer a head takes from the tables when it starts. `BackupError`
    if a service works here, or the backup is not whole.
    """
    with _explained(home.folder):
        home.folder.mkdir(parents=True, exist_ok=True)
        with contextlib.ExitStack() as stack, opened(file, home.folder, home.kinds) as (manifest, folder):
            tell(f"The backup is of {manifest.host}, {date(manifest.made)}.")
            members = {kind.member: kind for kind in home.kinds}
            kinds = [members[item.member] for item in manifest.stores]
            for place in {home.place(kind.service): None for kind in kinds}:
                place.mkdir(mode=0o700, exist_ok=True)
            for service in dict.fromkeys(kind.service for kind in kinds):
                stack.enter_context(_unused(home, service))
            for item, kind in zip(manifest.stores, kinds, strict=True):
                path = home.path(kind)
                if there(path):
                    tell(f"What was in {path} is kept as {set_aside(path, 'before')}.")
                _appear(folder / item.member, path)
                tell(f"{path} is restored, with {item.facts} facts.")
            if manifest.log_key is not None:
                _restore_key(manifest.log_key, home.log_key, tell)
            if any(kind.service == "head" for kind in kinds):
                tell("What the tables know beyond that, the head takes from them when it starts.")
            if (folder / SETTINGS_TEXT).exists():
                tell(
                    f"The settings are left as they are; those of the backup: tar -xOf {file} {SETTINGS_TEXT}"
                )


def _restore_key(text: str, path: Path, tell: Callable[[str], object]) -> None:
    if path.exists():
        if path.read_text("ascii", "replace") == text:
            return
        tell(f"What was in {path} is kept as {set_aside(path, 'before')}.")
    files.write(path, text.encode("ascii", "replace"))
    _give_to_owner(path)
    tell(f"{path} is restored: the head goes on with its own log.")


@contextlib.contextmanager
def _unused(home: Home, service: Service) -> Iterator[None]:
    """Raises `BackupError` if a process of the service has the stores; none opens them meanwhile."""
    lock = home.lock(service)
    with contextlib.ExitStack() as stack:
        try:
            if lock.exists():
                stack.enter_context(files.locked(lock, os.O_RDWR))
        except files.InUse as error:
            does = f"is head with {lock}" if service == "head" else f"uses {lock.parent}"
            stop = f"stop it first: sudo systemctl stop pi-bunco-{service}"
            raise BackupError(f"process {error.process} {does}; {stop}") from error
        yield


def _give_to_owner(file: Path, folder: Path | None = None) -> None:
    """Makes the file its folder's owner's, unless another owner is given."""
    owner = (folder or file.parent).stat()
    if os.geteuid() == 0:
        os.chown(file, owner.st_uid, owner.st_gid)


def _appear(source: Path, path: Path) -> None:
    """Puts the file there for the folder's owner."""
    source.chmod(files.PRIVATE_MODE)
    _give_to_owner(source, path.parent)
    files.appear(source, path)


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except (BackupError, StoreError):
        raise
    except OSError as error:
        raise BackupError(f"{error.filename or path} cannot be used: {error.strerror or error}") from error
