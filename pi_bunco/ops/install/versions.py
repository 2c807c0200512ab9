"""The versions side by side in `/opt/pi-bunco`, each a virtual environment, and the one that runs."""

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from pi_bunco.ops.install import files
from pi_bunco.ops.install.machine import Machine
from pi_bunco.ops.install.manifest import Manifest, Version
from pi_bunco.ops.install.sources import PACKAGE, Source, built
from pi_bunco.ops.install.steps import InstallError, Step, link

PYTHON = "/usr/bin/python3"
"""The system's own, which the services can see and which apt keeps."""
OLDEST = (3, 11)
ROOM = 250_000_000
"""Bytes that a new version may need for a moment; one takes about 90 MB."""
EXTRAS = ("gpio", "display")


def python(machine: Machine) -> tuple[int, int] | None:
    """The version of the machine's Python, None where there is none."""
    out = machine.ask(PYTHON, "-c", "import sys; print(*sys.version_info[:2])").out
    found = re.fullmatch(r"(\d+) (\d+)\s*", out)
    return (int(found[1]), int(found[2])) if found else None


def problems(machine: Machine, source: Source) -> Iterator[str]:
    """Why no version can be made here, a sentence for each reason."""
    found = python(machine)
    if found is None:
        yield "there is no Python: sudo apt install python3 python3-venv"
    elif found < OLDEST:
        yield (
            f"this system has Python {dotted(found)} and pi-bunco needs {dotted(OLDEST)}:"
            " use Raspberry Pi OS Bookworm or newer"
        )
    elif machine.ask(PYTHON, "-c", "import ensurepip").status != 0:
        yield "Python cannot make virtual environments: sudo apt install python3-venv"
    elif source.offline and source.wheel and (why := _unfit(machine, source.wheel.parent, found)):
        yield why
    above = next(
        path for path in (machine.places.software, *machine.places.software.parents) if path.is_dir()
    )
    if (free := shutil.disk_usage(above).free) < ROOM:
        yield f"{above} has only {free // 1_000_000} MB free and {ROOM // 1_000_000} are needed: make room"


def _unfit(machine: Machine, bundle: Path, found: tuple[int, int]) -> str | None:
    """Whether a bundle is for another machine; what is compiled says so in its name."""
    architecture = machine.ask("uname", "-m").out.strip()
    fits = f"cp{found[0]}{found[1]}-*{architecture}.whl"
    if any(bundle.glob(f"*-{fits}")):
        return None
    python = dotted(found)
    return (
        f"{bundle} holds nothing for Python {python} on {architecture}: make it again with"
        f" pi-bunco bundle --python {python} --platform {architecture}"
    )


def dotted(version: tuple[int, int]) -> str:
    """As people write it."""
    return f"{version[0]}.{version[1]}"


def wanted(machine: Machine, source: Source, manifest: Manifest) -> Version:
    """The version that there will be: one of this source and this Python, or a new one."""
    on = dotted(python(machine) or OLDEST)
    for one in reversed(manifest.versions):
        folder = machine.places.software / one.folder
        if (one.print, one.python) == (source.print, on) and folder.is_dir():
            return one
    taken = [path.name for path in _folders(machine)] + [one.folder for one in manifest.versions]
    number = 1 + max((int(name.rpartition("-")[2]) for name in taken), default=0)
    return Version(f"{source.version}-{number}", source.version, source.print, on)


def _folders(machine: Machine) -> Iterator[Path]:
    pattern = re.compile(r".+-\d+")
    return (path for path in machine.places.software.glob("*-*") if pattern.fullmatch(path.name))


def leftovers(machine: Machine, manifest: Manifest) -> list[Step]:
    """Takes away what an interrupted installation left, and versions before the last two."""
    kept = {one.folder for one in manifest.versions} | {files.target(machine.places.current)}
    gone = [path for path in _folders(machine) if path.name not in kept]
    return [Step(f"Remove {machine.inside(path)}", partial(files.remove, path)) for path in sorted(gone)]


def make(machine: Machine, source: Source, version: Version, extras: Sequence[str]) -> Step:
    """Makes the version's folder and tries that it starts."""
    folder = machine.places.software / version.folder

    def apply() -> None:
        files.folder(folder)
        machine.run(PYTHON, "-m", "venv", machine.inside(folder), what="no virtual environment can be made")
        _fill(machine, source, folder, extras)
        _check(machine, folder, version.version)
        os.sync()  # after a power cut a file that was never synced is there and empty

    says = f"Make {machine.inside(folder)} and install {PACKAGE} {version.version} from {source.name} there"
    return Step(says, apply, partial(files.remove, folder))


def _fill(machine: Machine, source: Source, folder: Path, extras: Sequence[str]) -> None:
    """Installs from wheels that the machine can see: below another root it gets copies."""
    staging = folder / "wheels"
    files.folder(staging)
    wheel = source.wheel or built(source.project or folder, staging)
    if wheel.parent != staging and machine.root != Path("/"):
        for path in wheel.parent.glob("*.whl") if source.offline else [wheel]:
            shutil.copyfile(path, staging / path.name)
        wheel = staging / wheel.name
    _pip(machine, source, folder, wheel, extras)
    files.remove(staging)


def _pip(machine: Machine, source: Source, folder: Path, wheel: Path, extras: Sequence[str]) -> None:
    seen = machine.inside(wheel)
    offline = ("--no-index", "--find-links", str(Path(seen).parent)) if source.offline else ()
    pip = (f"{machine.inside(folder)}/bin/python", "-m", "pip", "--disable-pip-version-check", "install")
    machine.run(
        *pip,
        "--quiet",
        "--no-cache-dir",
        *offline,
        f"{seen}[{','.join(extras)}]",
        what=f"{PACKAGE} cannot be installed from {source.name}",
    )


def _check(machine: Machine, folder: Path, version: str) -> None:
    """The new version starts on this machine, and is the one that it should be."""
    program = f"{machine.inside(folder)}/bin/{PACKAGE}"
    told = machine.run(program, "--version", what=f"{PACKAGE} {version} does not start").strip()
    if told != f"{PACKAGE} {version}":
        raise InstallError(f"{PACKAGE} {version} says that it is {told!r}")


_TRY = """
import sys
from pathlib import Path
from pi_bunco.config import load
from pi_bunco.errors import BuncoError
try:
    load({}, Path(sys.argv[1]))
except BuncoError as error:
    sys.exit("; ".join(str(error).splitlines()))
"""


def tried(machine: Machine, version: Version) -> list[Step]:
    """Sees that the new version understands the settings."""
    program = f"{machine.inside(machine.places.software / version.folder)}/bin/python"
    seen = machine.inside(machine.places.settings)
    what = f"{PACKAGE} {version.version} does not take the settings"

    def apply() -> None:
        machine.run(program, "-c", _TRY, seen, what=what)

    return [Step(f"See that {PACKAGE} {version.version} takes {seen}", apply)]


def switch(machine: Machine, version: Version) -> list[Step]:
    """Makes the version the one that runs, from one moment to the next."""
    says = f"Let {PACKAGE} {version.version} be the one that runs"
    return link(machine.places.current, version.folder, says)


def command(machine: Machine) -> list[Step]:
    """The command for everybody."""
    path = machine.places.command
    program = f"{machine.inside(machine.places.current)}/bin/{PACKAGE}"
    return link(path, program, f"Put the command {machine.inside(path)} in its place")


def extras(gpio: object) -> tuple[str, ...]:
    """The extras that a Pi needs, for what drives its lines."""
    return (*EXTRAS, "rpigpio") if gpio == "rpigpio" else EXTRAS
