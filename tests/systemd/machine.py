"""A Pi without the board: a container that boots Debian and loses power."""

import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

import pytest

WAIT = 600.0  # s; only a broken test waits that long, and an installation takes a minute where much else runs
LOOK = 0.05  # s between two looks at what the machine says
CHECKOUT = Path(__file__).parents[2]
SUITE = "trixie"
_CONTROL = (CHECKOUT / "systemd/debian/control").read_text("utf-8")
NEEDED = re.findall(r"([a-z0-9.-]+)[^,\n]*", _CONTROL.partition("\nDepends: ")[2].partition("\n")[0])
"""Packages that ours needs, so that it is installed without a network."""
PACKAGES = (
    *("systemd", "systemd-sysv", "dbus", "procps", "iproute2", "cloud-init", "netplan.io", "network-manager"),
    *("avahi-daemon", "libnss-mdns"),
    *NEEDED,
    "lintian",
)
CACHE = Path(os.environ.get("PI_BUNCO_TEST_CACHE", Path.home() / ".cache/pi-bunco-tests"))
_SOURCES = ("/etc/apt/sources.list.d/debian.sources", "/etc/apt/sources.list")
_SETTLED = "running", "degraded"
_RESTARTS = 133
"""The end of systemd-nspawn when the machine asks for another start (its `--keep-unit`)."""


class NoDebian(Exception):
    """None can be had here, without a network for example."""


def why_not() -> str:
    """The reason why no machine can be booted here; empty if one can."""
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode:
        return "booting a machine takes root's rights"
    return ""


def base() -> Path:
    """A Debian of its own as an archive, made once for all sessions (2 minutes)."""
    archive = CACHE / f"{SUITE}-{zlib.crc32(' '.join(PACKAGES).encode()):08x}.tar"
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:  # two sessions at once would both make it
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not archive.exists():
            _make(archive)
    return archive


def _make(archive: Path) -> None:
    made = archive.with_suffix(f".{os.getpid()}.tar")
    leave = [f"--dpkgopt=path-exclude=/usr/share/{rest}/*" for rest in ("doc", "man", "locale")]
    options = ["--quiet", "--variant=minbase", "--aptopt=Acquire::Retries 3", *leave]
    command = ["mmdebstrap", *options, f"--include={','.join(PACKAGES)}"]
    sources = "".join(Path(file).read_text() for file in _SOURCES if Path(file).exists())
    here = ["-"] if SUITE in sources else []  # this machine's own mirror, where it has the suite
    done = subprocess.run(
        [*command, SUITE, str(made), *here], input=sources.encode(), check=False, capture_output=True
    )
    if done.returncode:
        raise NoDebian(done.stderr.decode().strip().rpartition("\n")[2])
    made.rename(archive)


def needs_debian() -> None:
    """Skips a test where there is no Debian to be had, but not in CI."""
    try:
        base()
    except NoDebian as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(f"needs a Debian: {error}")


class Machine:
    """A root folder that can be booted; a new one has nothing of ours on it yet."""

    def __init__(self, root: Path, network: str = "") -> None:
        """`network` is the name of a network namespace that it gets in place of an empty one of its own."""
        self.root = root
        space = (f"--network-namespace-path=/run/netns/{network}", "--capability=CAP_NET_ADMIN")
        self._network = space if network else ("--private-network",)
        self._process: subprocess.Popen[bytes] | None = None
        if root.exists():
            return
        root.mkdir()
        subprocess.run(["tar", "xpf", base(), "-C", root, "--exclude=./dev/*"], check=True)
        self.change("systemctl", "mask", "timers.target")  # Debian does things at midnight

    def write(self, path: str, text: str, mode: int = 0o644) -> Path:
        """A file in it."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        file.chmod(mode)
        return file

    def inside(self, file: Path) -> str:
        """The path of a file as the machine knows it."""
        return f"/{file.relative_to(self.root)}"

    def change(self, *command: str) -> None:
        """Runs a command in the folder while nothing else runs there."""
        subprocess.run(["chroot", self.root, *command], check=True, capture_output=True)

    def boot(self) -> float:
        """Switches it on; returns after how many seconds all that starts by itself had started."""
        begun = time.monotonic()
        self.switch_on()
        until(lambda: self._first() is not None and self.says("systemctl", "is-system-running") in _SETTLED)
        return time.monotonic() - begun

    def switch_on(self) -> None:
        """Gives it power, and waits for nothing."""
        with (self.root.parent / f"{self.root.name}.console").open("ab") as console:
            self._process = subprocess.Popen(
                [
                    *("systemd-nspawn", "--quiet", "--register=no", "--keep-unit", *self._network),
                    *("--directory", self.root, "--boot", "--console=pipe"),
                ],
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=console,
            )

    def _first(self) -> int | None:
        """Its first process, by its number here."""
        assert self._process
        if self._process.poll() == _RESTARTS:
            self.switch_on()
        assert self._process.poll() is None, "the machine has gone"
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        return next((child for child in map(int, children.read_text().split()) if _is_first(child)), None)

    def cut_power(self) -> None:
        """Pulls the plug: every process ends at once, and nothing is said to any."""
        assert self._process
        if (first := self._first()) is not None:
            os.kill(first, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        self._process = None

    def run(self, *command: str | Path, given: str = "") -> subprocess.CompletedProcess[str]:
        """Runs a command in the running machine."""
        inside = ["nsenter", "--all", "--target", str(self._first()), "--", *map(str, command)]
        process = subprocess.Popen(
            inside,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(int(WAIT)):
            try:
                out, err = process.communicate(given, timeout=1)
                return subprocess.CompletedProcess(inside, process.returncode, out, err)
            except subprocess.TimeoutExpired:
                # nsenter stops with its command where the machine ends, which then waits for it for ever.
                process.send_signal(signal.SIGCONT)
                given = ""  # it has been sent
        process.kill()
        raise subprocess.TimeoutExpired(inside, WAIT)

    def says(self, *command: str | Path) -> str:
        """The standard output of a command, whatever its exit status is."""
        return self.run(*command).stdout.strip()

    def done(self, *command: str | Path, given: str = "") -> str:
        """The output of a command that has to succeed."""
        result = self.run(*command, given=given)
        assert result.returncode == 0, (command, result.stdout, result.stderr)
        return result.stdout.strip()

    def kill(self, name: str, number: signal.Signals) -> None:
        """Sends a signal to the main process of a service."""
        self.done("systemctl", "kill", "--kill-whom=main", f"--signal={number.name}", name)

    def shown(self, name: str, *properties: str) -> dict[str, str]:
        """Properties of a unit."""
        told = self.done("systemctl", "show", name, *(f"--property={one}" for one in properties))
        return dict(line.split("=", 1) for line in told.splitlines())

    def ready(self, *names: str) -> bool:
        """True if all these services run and have said that they are ready."""
        return all(self.says("systemctl", "is-active", name) == "active" for name in names)

    def restarts(self, name: str) -> int:
        """The number of times that systemd has started the service again."""
        return int(self.shown(name, "NRestarts")["NRestarts"])

    def journal(self, name: str) -> list[str]:
        """The log of the unit since the machine was switched on, its own words and systemd's about it."""
        told = self.done("journalctl", "--boot", "--output=json", f"--unit={name}")
        return [str(json.loads(line)["MESSAGE"]) for line in told.splitlines()]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process:
            self.cut_power()


def _is_first(child: int) -> bool:
    """True if the process is number 1 of a container and has become systemd."""
    try:
        status = Path(f"/proc/{child}/status").read_text().splitlines()
        numbers = next(line for line in status if line.startswith("NSpid:"))
        return numbers.split()[-1] == "1" and Path(f"/proc/{child}/comm").read_text() == "systemd\n"
    except (OSError, StopIteration):
        return False


def until(true: Callable[[], object], within: float = WAIT) -> float:
    """Waits until it is true, and returns for how many seconds; an `AssertionError` after `within`."""
    begun, pause = time.monotonic(), threading.Event()
    while not true():
        assert time.monotonic() - begun < within, "it did not come true"
        pause.wait(LOOK)
    return time.monotonic() - begun


@contextmanager
def machine(folder: Path) -> Iterator[Machine]:
    """A machine below the folder, which takes much room and is taken away at the end."""
    with Machine(folder / "pi") as made:
        yield made
    shutil.rmtree(made.root, ignore_errors=True)
