"""A folder as the root of a Pi whose commands only leave traces, so that any plan can be carried out."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from msgspec import Struct, field

from pi_bunco.ops.install import running
from pi_bunco.ops.install.machine import Arguments, Machine, Outcome
from pi_bunco.ops.install.plan import Plan, plan
from pi_bunco.ops.install.sources import Source
from pi_bunco.ops.install.wish import Said, wish
from pi_bunco.provision import handover
from pi_bunco.provision.handover import Device, Handover

WANTS = "etc/systemd/system/multi-user.target.wants"
THEIR_UNIT = "usr/lib/systemd/system/mosquitto.service"
CHECKOUT = Path(__file__).parents[2]
UNITS = {path.name: path.read_bytes() for path in (CHECKOUT / "systemd").iterdir()}


class Pi(Struct):
    """What its programs do; `fails` names commands, by a part of their line, that do not work."""

    root: Path
    active: set[str] = field(default_factory=set)
    between: set[str] = field(default_factory=set)
    """What ended, and is about to start again."""
    lines: list[str] = field(default_factory=list)
    fails: dict[str, str] = field(default_factory=dict)
    python: str = "3 11"
    compiles: bool = True

    def run(self, arguments: Arguments) -> Outcome:
        """Does what the program would leave behind."""
        inside = list(arguments)
        if "chroot" in inside:
            assert inside[inside.index("chroot") + 1] == str(self.root)
            inside = inside[inside.index("chroot") + 2 :]
        line = " ".join(inside)
        if why := next((why for part, why in self.fails.items() if part in line), None):
            return Outcome(1, err=f"{why}\n")
        self.lines.append(line)
        program = inside[0].rpartition("/")[2].replace("-", "_")
        return getattr(self, f"_{program}", self._other)(inside)

    def _systemctl(self, words: list[str]) -> Outcome:
        verb, *units = [word for word in words[1:] if not word.startswith("--")]
        for unit in units:
            link = self.root / WANTS / unit
            match verb:
                case "is-active":
                    if unit in self.active:
                        return Outcome(0, out="active\n")
                    return Outcome(3, out="activating\n" if unit in self.between else "inactive\n")
                case "show":
                    return Outcome(0, out="0\n")
                case "enable":
                    link.parent.mkdir(parents=True, exist_ok=True)
                    link.unlink(missing_ok=True)
                    link.symlink_to(f"../{unit}")
                case "disable":
                    link.unlink(missing_ok=True)
                case "start" | "restart":
                    self.active.add(unit)
                    self.between.discard(unit)
                case "stop":
                    self.active.discard(unit)
                    self.between.discard(unit)
        return Outcome(0)

    def _python3(self, words: list[str]) -> Outcome:
        if words[1:3] == ["-m", "venv"]:
            folder = self.root / words[3].lstrip("/") / "bin"
            folder.mkdir(parents=True)
            (folder / "python").write_text("")
        return Outcome(0, out=self.python if "version_info" in words[-1] else "")

    def _pi_bunco(self, words: list[str]) -> Outcome:
        folder = Path(words[0]).parents[1].name
        return Outcome(0, out=f"pi-bunco {folder.rpartition('-')[0]}\n")

    def _systemd_sysusers(self, _: list[str]) -> Outcome:
        path = self.root / "etc/passwd"
        if "pi-bunco:" not in path.read_text():
            path.write_text(f"{path.read_text()}pi-bunco:x:999:999::/nonexistent:/usr/sbin/nologin\n")
        return Outcome(0)

    def _systemd_tmpfiles(self, _: list[str]) -> Outcome:
        (self.root / "var/lib/pi-bunco").mkdir(parents=True, exist_ok=True)
        return Outcome(0)

    def _userdel(self, _: list[str]) -> Outcome:
        path = self.root / "etc/passwd"
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join(line for line in lines if not line.startswith("pi-bunco:")))
        return Outcome(0)

    def _uname(self, _: list[str]) -> Outcome:
        return Outcome(0, out="aarch64\n")

    def _other(self, _: list[str]) -> Outcome:
        return Outcome(0)


def pi(root: Path, booted: bool = True) -> tuple[Machine, Pi]:
    """A Pi with Raspberry Pi OS and mosquitto on it, and its traces."""
    folders = ("etc/systemd/system", "usr/sbin", "usr/local/bin", "var/lib", "boot/firmware", "opt")
    for folder in (*folders, str(Path(THEIR_UNIT).parent)):
        (root / folder).mkdir(parents=True, exist_ok=True)
    (root / "etc/passwd").write_text("root:x:0:0::/root:/bin/sh\n")
    (root / "usr/sbin/mosquitto").write_text("")
    (root / THEIR_UNIT).write_text("")
    (root / "boot/firmware/config.txt").write_text("arm_64bit=1\n[pi4]\narm_boost=1\n")
    traces = Pi(root)
    for verb in ("enable", "start"):
        traces.run(["systemctl", verb, "mosquitto.service"])
    traces.lines.clear()
    return Machine(root, traces.run, booted), traces


def wheel(folder: Path, version: str = "1.0.0") -> Source:
    """A version to install, of which only the name counts here."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"pi_bunco-{version}-py3-none-any.whl"
    path.write_text(version)
    return Source(str(folder), version, f"print of {version}", UNITS, path)


def table(number: int = 7, **settings: object) -> Handover:
    """What the Pi of a table is handed over."""
    broker = {"address": "10.0.0.1:8883", "ca": "/etc/pi-bunco/ca.pem", "server_name": "pi-bunco-head"}
    both = {"hall": "home", "number": number, "broker": broker, **settings}
    files = {"ca.pem": "authority\n" * 300, f"secrets/table/table{number}": "swordfish\n"}
    return Handover(Device("table", number, "home"), both, files)


def head(number: int = 1, rebuild: bool = False) -> Handover:
    """What the head's Pi is handed over."""
    settings = {"hall": "home", "broker": {"address": "unix:/run/pi-bunco-broker/mqtt.sock"}}
    files = {
        "broker/mosquitto.conf": "persistence false\n",
        "broker/passwd": "head:$7$\n",
        "broker/key.pem": "key\n",
        "secrets/head/head": "swordfish\n",
    }
    own = {f"secrets/table/table{number}": "haddock\n"} if number else {}
    return Handover(
        Device("head", number, "home", rebuild),
        settings | ({"number": number} if number else {}),
        files | own,
    )


TABLE_2 = Said("table", "2", "192.168.8.10", given={"dice": "gpio", "settle_ms": "900"})


def planned(machine: Machine, said: Said, source: Source) -> Plan:
    """What would be done."""
    return plan(machine, wish(machine, said), source)


def install(machine: Machine, said: Said, source: Source) -> list[str]:
    """Does it, without looking for seconds whether it stays; what it told."""
    sentences: list[str] = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(running, "STEADY_S", 0.0)
        planned(machine, said, source).carry_out(sentences.append)
    return sentences


def told(_: str) -> None:
    """To nobody."""


def dropped(machine: Machine, given: Handover) -> Path:
    """The file on the boot partition."""
    path = machine.places.handover
    path.write_text(handover.dump(given))
    return path


def lies(root: Path) -> dict[str, tuple[int, bytes]]:
    """Every file with its mode and content."""
    paths = [path for path in root.rglob("*") if path.is_file()]
    return {str(path.relative_to(root)): (path.stat().st_mode & 0o777, path.read_bytes()) for path in paths}


def units(names: Iterable[str]) -> list[str]:
    """Those of ours, without their ends."""
    return sorted(
        name.removeprefix("pi-bunco-").removesuffix(".service") for name in names if "bunco" in name
    )
