"""A folder as the root of a Pi whose commands only leave traces, so that any plan can be carried out."""

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct, field

from pi_bunco.provision import adopt, handover
from pi_bunco.provision.handover import Handover, PiSettings
from pi_bunco.provision.system import (
    OTHER_BROKER,
    SERVICES,
    TABLE,
    CommandLine,
    Completed,
    System,
    carry_out,
    role_of,
)

CHECKOUT = Path(__file__).parents[2]


class Pi(Struct):
    """The programs of a Pi; `fails` names commands, by a part of their line, that do not work."""

    root: Path
    active: set[str] = field(default_factory=set)
    between: set[str] = field(default_factory=set)
    """Services that ended, and are about to start again."""
    lines: list[str] = field(default_factory=list)
    fails: dict[str, str] = field(default_factory=dict)

    def run(self, arguments: CommandLine) -> Completed:
        """Does what the program would leave behind."""
        line = " ".join(arguments)
        if why := next((why for part, why in self.fails.items() if part in line), None):
            return Completed(1, err=f"{why}\n")
        self.lines.append(line)
        verb, *units = [word for word in arguments[1:] if not word.startswith("--")]
        for unit in units:
            match verb:
                case "is-active":
                    if unit in self.active:
                        return Completed(0, out="active\n")
                    return Completed(3, out="activating\n" if unit in self.between else "inactive\n")
                case "start" | "restart":
                    self.active.add(unit)
                    self.between.discard(unit)
                case "stop":
                    self.active.discard(unit)
                    self.between.discard(unit)
        return Completed(0)


def pi(root: Path, booted: bool = True) -> tuple[System, Pi]:
    """A Pi with the package on it, and its traces."""
    for folder in ("usr/lib/systemd/system", "usr/share/pi-bunco", "var/lib", "boot/firmware"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    (root / "usr/lib/systemd/system" / TABLE).touch()
    (root / "usr/share/pi-bunco/config.txt").write_bytes((CHECKOUT / "systemd/config.txt").read_bytes())
    (root / "boot/firmware/config.txt").write_text("arm_64bit=1\n[pi4]\narm_boost=1\n")
    traces = Pi(root)
    traces.active.add(OTHER_BROKER)
    return System(root, traces.run, booted), traces


def table(number: int = 7, **settings: object) -> Handover:
    """The files handed over to the Pi of a table."""
    broker = {"address": "10.0.0.1:8883", "ca": "/etc/pi-bunco/ca.pem", "server_name": "pi-bunco-head"}
    both = {"hall": "home", "number": number, "broker": broker, **settings}
    files = {"ca.pem": "authority\n" * 300, f"secrets/table/table{number}": "swordfish\n"}
    return Handover(PiSettings("table", number, "home"), both, files)


def head(number: int = 1) -> Handover:
    """The files handed over to the head's Pi."""
    settings = {"hall": "home", "broker": {"address": "unix:/run/pi-bunco-broker/mqtt.sock"}}
    files = {
        "broker/passwd": "head:$7$\n",
        "broker/key.pem": "key\n",
        "secrets/head/head": "swordfish\n",
    }
    own = {f"secrets/table/table{number}": "haddock\n"} if number else {}
    return Handover(
        PiSettings("head", number, "home"),
        settings | ({"number": number} if number else {}),
        files | own,
    )


def dropped(system: System, given: Handover) -> Path:
    """The file on the boot partition."""
    path = system.places.handover
    path.write_text(handover.dump(given))
    return path


def taken(system: System, path: Path) -> None:
    """The file is taken over without undoing: so it is when the power fails."""
    read = adopt.read(path)
    steps, last = adopt.adoption(system, path, read) if read else ([], adopt.finished(system, path))
    for step in (*steps, *last):
        step.apply()


def took(system: System, given: Handover) -> None:
    """The Pi takes that over, as the command does."""
    steps, _ = adopt.adoption(system, system.places.handover, given)
    carry_out(steps, lambda _: None)


def lies(root: Path) -> dict[str, tuple[int, bytes]]:
    """Every file with its mode and content, but for those in memory."""
    paths = [path for path in root.rglob("*") if path.is_file() and path.relative_to(root).parts[0] != "run"]
    return {str(path.relative_to(root)): (path.stat().st_mode & 0o777, path.read_bytes()) for path in paths}


def given(root: Path) -> list[str]:
    """The roles that the Pi has."""
    return sorted(path.name for path in (root / "etc/pi-bunco/role").glob("*"))


def units(names: Iterable[str]) -> list[str]:
    """The roles of those units that are ours."""
    return sorted(role_of(name) for name in names if name in SERVICES)
