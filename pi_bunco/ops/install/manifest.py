"""What was installed, written down before it is done, so that exactly that can be undone."""

import hashlib
from pathlib import Path

import msgspec
from msgspec import Struct

from pi_bunco.ops.install import files
from pi_bunco.ops.install.files import Content
from pi_bunco.ops.install.machine import Machine
from pi_bunco.ops.install.steps import InstallError, Step, move, write

NAME = "manifest.json"


class Version(Struct, frozen=True):
    """A version in a folder of its own below `/opt/pi-bunco`; `print` tells one source from another.

    `python` is the system's when it was made: with another one it does not run.
    """

    folder: str
    version: str
    print: str
    python: str


class Manifest(Struct, frozen=True):
    """What is ours: `files` by path with the SHA-256 of what we wrote, and the folders made for them."""

    versions: tuple[Version, ...] = ()
    files: dict[str, str] = {}
    folders: tuple[str, ...] = ()
    disabled: dict[str, bool] = {}
    """Other people's units that we disabled, and whether they ran then."""
    boot: str | None = None
    """Where our lines for the firmware are, and below `boot_print` the SHA-256 of them."""
    boot_print: str = ""

    @property
    def current(self) -> Version | None:
        """The version that was installed last and works."""
        return self.versions[-1] if self.versions else None


def read(machine: Machine) -> Manifest | None:
    """What was installed, None where nothing was; `InstallError` if that cannot be read."""
    path = machine.places.software / NAME
    found = files.content(path)
    if found is None:
        return None
    try:
        return msgspec.json.decode(found.data, type=Manifest)
    except msgspec.DecodeError as error:
        raise InstallError(f"{path} is damaged ({error}); move it aside and install again") from error


def noted(machine: Machine, manifest: Manifest) -> list[Step]:
    """Writes down what there will be; a power cut after it leaves nothing that nobody knows of."""
    path = machine.places.software / NAME
    data = msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n"
    return write(path, Content(data, 0o644), f"Note in {machine.inside(path)} what is installed")


def sum_of(data: bytes) -> str:
    """What tells this content from any other."""
    return hashlib.sha256(data).hexdigest()


def kept_aside(machine: Machine, path: Path, ours: str | None) -> list[Step]:
    """Moves a file that the host made or changed out of the way; `ours` is the sum of what we wrote there."""
    found = files.content(path)
    if found is None or sum_of(found.data) == ours:
        return []
    aside = spare(machine, path)
    says = f"Keep {machine.inside(path)}, which was changed by hand, as {machine.inside(aside)}"
    return [move(path, aside, says)]


def spare(machine: Machine, path: Path) -> Path:
    """Where a file of the host's is kept."""
    backups = machine.root / "var/backups/pi-bunco"
    return files.free(backups / path.relative_to(machine.root))
