"""The machine that is installed on: its commands, its services, and where things lie on it."""

import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from pi_bunco.ops.install.steps import InstallError
from pi_bunco.provision.places import Places

Arguments = Sequence[str]
_NOT_LOADED = 5
"""What systemctl says of a unit whose file is gone: there is nothing to stop (LSB init script actions)."""


class Outcome(Struct, frozen=True):
    """How a command ended, and what it wrote."""

    status: int
    out: str = ""
    err: str = ""

    @property
    def why(self) -> str:
        """The last thing that it said."""
        lines = (self.err.strip() or self.out.strip()).splitlines()
        return lines[-1].strip() if lines else f"exit status {self.status}"


def command(arguments: Arguments) -> Outcome:
    """Runs a program of this machine and waits for it."""
    plain = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"}
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL"))}
    try:
        done = subprocess.run(
            arguments,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            env=kept | plain,
            umask=0o022,  # whatever root's is, others are to run what is installed
        )
    except OSError as error:
        return Outcome(127, err=f"{arguments[0]}: {error.strerror}")
    return Outcome(done.returncode, done.stdout, done.stderr)


def permitted(what: str) -> None:
    """`InstallError` unless this is root."""
    if os.geteuid() != 0:
        raise InstallError(f"only root may do that: sudo pi-bunco {what} ...")


class Machine:
    """What can be asked and told; below another root programs run there (`chroot`) and nothing starts."""

    def __init__(
        self,
        root: Path = Path("/"),
        run: Callable[[Arguments], Outcome] = command,
        booted: bool | None = None,
    ) -> None:
        self.places = Places(root)
        self._run = run
        running = root == Path("/") and Path("/run/systemd/system").is_dir()
        self.booted = running if booted is None else booted  # sd_booted(3)

    @property
    def root(self) -> Path:
        """Below it everything lies."""
        return self.places.root

    def inside(self, path: Path) -> str:
        """The path as the machine's own programs know it."""
        return f"/{path.relative_to(self.root)}"

    def ask(self, *arguments: str) -> Outcome:
        """Runs a program of the machine, whatever comes of it."""
        return self._run((*self._below(), *arguments))

    def _below(self) -> Arguments:
        """What runs a program below another root, with a /proc of its own, which systemd's tools need."""
        if self.root == Path("/"):
            return ()
        apart = ("unshare", "--mount", "--pid", "--fork", "--kill-child", f"--mount-proc={self.root}/proc")
        return (*apart, "chroot", str(self.root))

    def run(self, *arguments: str, what: str) -> str:
        """Runs a program of the machine; `InstallError` says `what` did not work, and why."""
        outcome = self.ask(*arguments)
        if outcome.status != 0:
            raise InstallError(f"{what}: {outcome.why}")
        return outcome.out

    def has(self, unit: str) -> bool:
        """Whether there is such a unit of a package or of the host's; one that is masked is none."""
        folders = (self.places.units, self.root / "usr/lib/systemd/system", self.root / "lib/systemd/system")
        found = next((folder / unit for folder in folders if os.path.lexists(folder / unit)), None)
        return found is not None and found.is_file()

    def enabled(self, unit: str) -> bool:
        """Whether the unit starts when the machine does."""
        return any((wants / unit).is_symlink() for wants in self.places.units.glob("*.wants"))

    def active(self, unit: str) -> bool:
        """Whether the unit runs now."""
        return self._state(unit) == "active"

    def trying(self, unit: str) -> bool:
        """Whether the unit runs, or ended and is about to start again."""
        return self._state(unit) in ("active", "activating", "reloading")

    def _state(self, unit: str) -> str:
        return self.ask("systemctl", "is-active", unit).out.strip() if self.booted else ""

    def enable(self, unit: str) -> None:
        """The unit starts when the machine does."""
        self.run("systemctl", "enable", "--quiet", unit, what=f"{unit} cannot be enabled")

    def disable(self, unit: str) -> None:
        """The unit starts no more, and stops if it runs."""
        self.run("systemctl", "disable", "--quiet", unit, what=f"{unit} cannot be disabled")
        self.tell("stop", unit)

    def revive(self, unit: str, ran: bool) -> None:
        """The unit starts with the machine again, and now if it `ran`."""
        self.enable(unit)
        if ran:
            self.tell("start", unit)

    def tell(self, verb: str, *units: str, wait: bool = True) -> None:
        """Does something with units that run, or should; `InstallError` if they do not obey."""
        if not self.booted:
            return
        named, block = ", ".join(units) or "systemd", () if wait else ("--no-block",)
        outcome = self.ask("systemctl", *block, verb, *units)
        if outcome.status != 0 and (verb, outcome.status) != ("stop", _NOT_LOADED):
            raise InstallError(f"{named}: {verb} did not work: {outcome.why}")
