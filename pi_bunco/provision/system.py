"""The system that takes a file over: where things lie on it, and its services."""

import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from pi_bunco.errors import ProvisionError
from pi_bunco.provision.places import Places
from pi_bunco.provision.seed import MARKS, META
from pi_bunco.provision.steps import content

Arguments = Sequence[str]
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


def command(arguments: Arguments, timeout_s: float | None = None) -> Completed:
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
        run: Callable[[Arguments], Completed] = command,
        booted: bool | None = None,
    ) -> None:
        self.places = Places(root)
        self._run = run
        running = root == Path("/") and Path("/run/systemd/system").is_dir()
        self.booted = running if booted is None else booted  # sd_booted(3)

    def whole(self) -> bool:
        """True if all that cloud-init wrote for the card that is in this Pi has reached the disk."""
        card, mark = (content(path) for path in (self.places.boot / META, self.places.root / MARKS / "whole"))
        return card is not None and mark is not None and mark.data.strip() in card.data.split()

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
