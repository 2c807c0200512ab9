"""A Pi's system: its programs, the steps by which it is changed, and its services.

Each unit has `ConditionPathExists=/etc/pi-bunco/role/NAME`; a role is given and taken by these files. A step
says what it does, does it, and can undo it.
"""

import os
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct

from pi_bunco.errors import ProvisionError
from pi_bunco.provision.handover import PiSettings
from pi_bunco.provision.places import Places
from pi_bunco.runtime import files

CommandLine = Sequence[str]
ADOPT, BROKER, HEAD, TABLE, WEB, PHONES = (
    f"pi-bunco-{name}.service" for name in ("adopt", "broker", "head", "table", "web", "phones")
)
SERVICES = (BROKER, HEAD, WEB, PHONES, TABLE)
"""In the order in which they start."""
OTHER_BROKER = "mosquitto.service"
"""Debian's own instance; a drop-in of the package keeps it from starting on a Pi that has a role."""
_NOT_LOADED = 5
"""The status for a unit whose file is gone: there is nothing to stop (LSB init script actions)."""


class Completed(Struct, frozen=True):
    """The end of a command, and its output."""

    status: int
    out: str = ""
    err: str = ""

    @property
    def why(self) -> str:
        """The last line that it wrote."""
        lines = (self.err.strip() or self.out.strip()).splitlines()
        return lines[-1].strip() if lines else f"exit status {self.status}"


def command(arguments: CommandLine, timeout_s: float | None = None) -> Completed:
    """Runs a program of this machine and waits for it, for `timeout_s` seconds at most."""
    plain = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"}
    try:
        done = subprocess.run(
            arguments,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout_s,
            encoding="utf-8",
            errors="replace",
            env=os.environ | plain,
        )
    except OSError as error:
        return Completed(127, err=f"{arguments[0]}: {error.strerror}")
    except subprocess.TimeoutExpired:
        return Completed(127, err=f"{arguments[0]}: it takes too long")
    return Completed(done.returncode, done.stdout, done.stderr)


class System:
    """A system to ask and to command; below another root, as for an image, nothing runs."""

    def __init__(
        self,
        root: Path = Path("/"),
        run: Callable[[CommandLine], Completed] = command,
        booted: bool | None = None,
    ) -> None:
        self.places = Places(root)
        self._run = run
        running = root == Path("/") and Path("/run/systemd/system").is_dir()
        self.booted = running if booted is None else booted  # sd_booted(3)

    def inside(self, path: Path) -> str:
        """The path as the system's own programs know it."""
        return f"/{path.relative_to(self.places.root)}"

    def trying(self, unit: str) -> bool:
        """True if the unit runs, or ended and is about to start again."""
        state = self._run(("systemctl", "is-active", unit)).out.strip() if self.booted else ""
        return state in ("active", "activating", "reloading")

    def process(self, unit: str) -> str:
        """The number of a unit's main process once it has said that it is ready; "" before."""
        ready = self._run(("systemctl", "is-active", unit)).out.strip() == "active"
        return self._run(("systemctl", "show", "--property=MainPID", unit)).out.strip() if ready else ""

    def tell(self, verb: str, unit: str, wait: bool = True) -> None:
        """Does something with a unit that runs, or should; `ProvisionError` if it does not obey."""
        if not self.booted:
            return
        block = () if wait else ("--no-block",)
        outcome = self._run(("systemctl", *block, verb, unit))
        if outcome.status != 0 and (verb, outcome.status) != ("stop", _NOT_LOADED):
            raise ProvisionError(f"{unit}: {verb} did not work: {outcome.why}")


class Content(Struct, frozen=True):
    """The content of a file, and its mode."""

    data: bytes
    mode: int


def nothing() -> None:
    """There is nothing to do."""


class Step(Struct, frozen=True):
    """One thing to do: `undo` bears that it was done half, `after` comes when all steps are undone."""

    says: str
    apply: Callable[[], None]
    undo: Callable[[], None] = nothing
    after: Callable[[], None] = nothing


def carry_out(steps: Iterable[Step], tell: Callable[[str], None]) -> None:
    """Does the steps in turn; if one fails, or somebody interrupts, undoes all and raises what it was."""
    begun: list[Step] = []
    try:
        for step in steps:
            tell(step.says)
            begun.append(step)
            step.apply()
    except BaseException:
        tell("That failed; putting back what was there before.")
        _undo(begun)
        raise


def _undo(begun: Sequence[Step]) -> None:
    for step in reversed(begun):
        step.undo()
    for step in begun:
        step.after()


def write(path: Path, new: Content | None, says: str) -> list[Step]:
    """Puts `new` at the path, unless it is there already; None takes away what lies there."""
    before = content(path)
    if before == new:
        return []
    made = tuple(_missing(path))
    return [Step(says, partial(_put, path, new), partial(_put_back, path, before, made))]


def content(path: Path) -> Content | None:
    """The content of the file now, None where there is none."""
    try:
        return Content(path.read_bytes(), path.stat().st_mode & 0o7777)
    except (FileNotFoundError, NotADirectoryError):
        return None


def free(path: Path) -> Path:
    """The path, or with a number behind it the first one that nothing lies at."""
    names = (path.with_name(f"{path.name}.{number}") for number in range(1, 10_000))
    return path if not os.path.lexists(path) else next(name for name in names if not os.path.lexists(name))


def _put(path: Path, new: Content | None) -> None:
    if new is None:
        path.unlink(missing_ok=True)
        files.sync_folder(path.parent)
    else:
        _folder(path.parent)
        files.write(path, new.data, new.mode)


def _put_back(path: Path, before: Content | None, made: Iterable[Path]) -> None:
    if content(path) != before:
        _put(path, before)
    for folder in made:
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def _folder(path: Path) -> None:
    """Makes the folder and those above it; a folder of secrets is its owner's alone."""
    if path.is_dir():
        return
    _folder(path.parent)
    path.mkdir(0o700)
    path.chmod(0o700 if "secrets" in path.parts else 0o755)
    files.sync_folder(path.parent)


def _missing(path: Path) -> Iterator[Path]:
    """Folders that have to be made for a file at `path`, the deepest first."""
    for above in path.parents:
        if above.is_dir():
            return
        yield above


def role_of(unit: str) -> str:
    """The word for a unit in paths: `table` for `pi-bunco-table.service`."""
    return unit.removeprefix("pi-bunco-").removesuffix(".service")


def units_of(places: Places) -> tuple[str, ...]:
    """The units that are to run here: the roles that this Pi was given."""
    return tuple(unit for unit in SERVICES if (places.roles / role_of(unit)).exists())


def services(device: PiSettings, phones: bool) -> tuple[str, ...]:
    """The units that this Pi runs; `phones` says if it has phone tables."""
    table = (TABLE,) if device.number else ()
    return (BROKER, HEAD, WEB, *((PHONES,) if phones else ()), *table) if device.role == "head" else table


def files_needed(device: PiSettings) -> tuple[str, ...]:
    """The files below `/etc/pi-bunco` without which those services cannot start."""
    table = (f"secrets/table/table{device.number}",) if device.number else ()
    if device.role == "head":
        return ("broker/passwd", "broker/key.pem", "secrets/head/head", *table)
    return ("ca.pem", *table)


def roles_given(system: System, wanted: Iterable[str]) -> list[Step]:
    """Gives this Pi the roles of the units, and takes every other of ours from it."""
    wanted = tuple(wanted)
    steps: list[Step] = []
    for unit in SERVICES:
        path = system.places.roles / role_of(unit)
        if unit in wanted:
            steps += write(path, Content(b"", 0o644), f"Let {unit} start with this Pi")
        elif path.exists():
            steps += [*write(path, None, f"Let {unit} start no more"), *stopped(system, unit)]
    return steps


def stopped(system: System, unit: str) -> list[Step]:
    """Stops a unit that runs; it goes on if what comes later fails."""
    if not system.trying(unit):
        return []
    again = partial(system.tell, "start", unit, wait=False)  # it starts after the unit that may run this
    return [Step(f"Stop {unit}", partial(system.tell, "stop", unit), after=again)]
