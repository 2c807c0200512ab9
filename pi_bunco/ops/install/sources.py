"""What is installed from: a bundle, a wheel, a checkout of the project, or the package index."""

import json
import re
import shutil
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import unquote, urlsplit
from zipfile import BadZipFile, ZipFile

from msgspec import Struct

from pi_bunco import __version__
from pi_bunco.ops.install.machine import Machine, command
from pi_bunco.ops.install.manifest import read, sum_of
from pi_bunco.ops.install.steps import InstallError

PACKAGE = "pi-bunco"
SUMS = "SHA256SUMS"
_WHEEL = re.compile(r"pi_bunco-(?P<version>[^-]+)-.*\.whl")
_PROJECT = ("pyproject.toml", "README.md", "LICENSE", "pi_bunco", "systemd")
_SHIPPED = "pi_bunco/ops/systemd/"


class Source(Struct, frozen=True):
    """A version that can be installed; `units` are the files of its `systemd/` folder by their names.

    `wheel` is its wheel, None for the `project` that it is first built from; `offline` tells a bundle,
    which holds all that is needed.
    """

    name: str
    version: str
    print: str
    units: dict[str, bytes]
    wheel: Path | None = None
    project: Path | None = None
    offline: bool = False


@contextmanager
def chosen(machine: Machine, given: str | None) -> Iterator[Source]:
    """As `source`, but the version that runs here is kept unless another is `given`."""
    found, here = read(machine), Path(sys.prefix)
    own = (
        next((one for one in found.versions if here == machine.places.software / one.folder), None)
        if found
        else None
    )
    if given is not None or own is None:
        with source(given) as other:
            yield other
    else:
        folder = Path(__file__).parents[1] / "systemd"
        units = {path.name: path.read_bytes() for path in folder.iterdir()}
        yield Source(str(here), own.version, own.print, units, wheel=None)


@contextmanager
def source(given: str | None) -> Iterator[Source]:
    """What `given` names, or what the running command came from; `InstallError` if it is nothing of ours."""
    given = given or _origin()
    path = Path(given).expanduser().absolute()
    if path.is_dir():
        yield _bundle(path) if _wheels(path) else _checkout(path)
    elif path.is_file():
        yield _wheel(path, path.name, offline=False)
    elif re.fullmatch(rf"{PACKAGE}([=<>~!]=?.+)?", given):
        with TemporaryDirectory() as folder:
            yield _indexed(given, Path(folder))
    else:
        raise InstallError(f"--from {given}: there is no such file or folder")


def _origin() -> str:
    """Where the running package was installed from, if that still exists, else its name at the index."""
    try:
        told = json.loads(distribution(PACKAGE).read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        told = {}
    url = urlsplit(str(told.get("url", "")))
    path = Path(unquote(url.path))
    if url.scheme == "file" and path.exists():
        return str(path.parent if (path.parent / SUMS).is_file() else path)
    project = Path(__file__).parents[3]
    return str(project) if (project / "pyproject.toml").is_file() else f"{PACKAGE}=={__version__}"


def _wheels(folder: Path) -> list[Path]:
    return sorted((path for path in folder.iterdir() if _WHEEL.fullmatch(path.name)), key=_order)


def _order(wheel: Path) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", _version(wheel)))


def _version(wheel: Path) -> str:
    found = _WHEEL.fullmatch(wheel.name)
    if found is None:
        raise InstallError(f"{wheel} is no wheel of {PACKAGE}")
    return found["version"]


def _bundle(folder: Path) -> Source:
    _check_sums(folder)
    return _wheel(_wheels(folder)[-1], str(folder), offline=(folder / SUMS).is_file())


def _wheel(wheel: Path, name: str, offline: bool) -> Source:
    version = _version(wheel)
    try:
        with ZipFile(wheel) as opened:
            names = [name for name in opened.namelist() if name.startswith(_SHIPPED) and name[-1] != "/"]
            units = {name.removeprefix(_SHIPPED): opened.read(name) for name in names}
    except BadZipFile as error:
        raise InstallError(f"{wheel} is damaged: {error}; copy it again") from error
    return Source(name, version, sum_of(wheel.read_bytes()), units, wheel, offline=offline)


def _check_sums(folder: Path) -> None:
    """A stick that was pulled too early is told before anything is done."""
    try:
        lines = (folder / SUMS).read_text("utf-8").splitlines()
    except FileNotFoundError:
        return
    pairs = (line.split("  ", 1) for line in lines if line)
    wrong = [name for told, name in pairs if not _holds(folder / name, told)]
    if wrong:
        raise InstallError(f"{folder} is not whole: {', '.join(wrong)}; copy the folder again")


def _holds(path: Path, told: str) -> bool:
    return path.is_file() and sum_of(path.read_bytes()) == told


def _checkout(folder: Path) -> Source:
    try:
        project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
        name, version = project["name"], project["version"]
    except (OSError, KeyError, tomllib.TOMLDecodeError):
        name = version = ""
    if name != PACKAGE:
        raise InstallError(f"{folder} is neither a bundle nor the project {PACKAGE}")
    units = {path.name: path.read_bytes() for path in (folder / "systemd").glob("*") if path.is_file()}
    return Source(str(folder), version, _tree(folder), units, project=folder)


def _tree(folder: Path) -> str:
    """One sum over all that makes the package."""
    paths = [path for part in _PROJECT for path in (folder / part, *(folder / part).rglob("*"))]
    sums = (f"{path.relative_to(folder)} {sum_of(path.read_bytes())}" for path in paths if _counts(path))
    return sum_of("\n".join(sorted(sums)).encode())


def _counts(path: Path) -> bool:
    return path.is_file() and path.suffix != ".pyc"


def _indexed(requirement: str, folder: Path) -> Source:
    what = f"{requirement} cannot be fetched from the package index (from a bundle: --from DIR)"
    pip(
        "download",
        "--quiet",
        "--no-deps",
        "--only-binary=:all:",
        "--dest",
        str(folder),
        requirement,
        what=what,
    )
    return _wheel(_wheels(folder)[-1], requirement, offline=False)


def built(project: Path, into: Path) -> Path:
    """The wheel of a checkout, built from a copy, so that nothing is left in it; or `InstallError`."""
    with TemporaryDirectory() as folder:
        for part in _PROJECT:
            _copy(project / part, Path(folder, part))
        arguments = ("wheel", "--quiet", "--no-deps", "--wheel-dir", str(into), folder)
        pip(*arguments, what=f"no wheel can be made of {project}")
    return _wheels(into)[-1]


def _copy(path: Path, to: Path) -> None:
    if path.is_dir():
        shutil.copytree(path, to, ignore=shutil.ignore_patterns("__pycache__"))  # what is linked comes along
    elif path.is_file():
        shutil.copyfile(path, to)


def pip(*arguments: str, what: str) -> None:
    """Runs the pip beside the running Python; `InstallError` says `what` did not work, and why."""
    outcome = command((sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments))
    if outcome.status != 0:
        raise InstallError(f"{what}: {outcome.why}")
