"""The head's Pi of a hall with one table, whose people play by themselves."""

import shutil
import subprocess
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from random import Random

import tomli_w
import yaml
from msgspec import structs

from pi_bunco.provision import accounts, cards, certificates, handover
from pi_bunco.provision.handover import Handover
from pi_bunco.provision.places import Places
from pi_bunco.provision.plan import Plan
from pi_bunco.provision.provision import provision
from pi_bunco.provision.system import BROKER, HEAD, TABLE, WEB
from systemd.machine import CHECKOUT, WAIT, Machine, until

SERVICES = (BROKER, HEAD, WEB, TABLE)
BUNCO = "/usr/bin/pi-bunco"
PYTHON = "usr/lib/python3/dist-packages"
SEED = """\
datasource_list: [ NoCloud, None ]
datasource:
  NoCloud:
    seedfrom: file:///boot/firmware
"""
"""The places in which cloud-init of Raspberry Pi OS looks for its files."""
PEOPLE = "Ann,Bob,Cat,Dee"
ENDLESS = "end.bunco=false", "end.points=none"


def package(out: Path) -> Path:
    """The package as `systemd/package` builds it."""
    done = subprocess.run([CHECKOUT / "systemd/package", out], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.splitlines()[-1])


def version_of(package: Path) -> str:
    """The version of a package."""
    return package.name.split("_")[1]


def reworked(made: Path, version: str, faults: dict[str, str] | None = None) -> Path:
    """A package like the one that was `made`, of another version; `faults` are lines put behind its files."""
    folder, before = made.with_name(version), version_of(made)
    subprocess.run(["dpkg-deb", "-R", made, folder], check=True)
    (folder / "DEBIAN/md5sums").unlink()  # dpkg reckons its own then
    for file in (folder / "DEBIAN/control", folder / PYTHON / "pi_bunco/__init__.py"):
        file.write_text(file.read_text().replace(before, version))
    for name, line in (faults or {}).items():
        with (folder / name).open("a") as end:
            end.write(f"\n{line}\n")
    deb = made.with_name(f"pi-bunco_{version}_all.deb")
    subprocess.run(["dpkg-deb", "--build", "--root-owner-group", "-Zgzip", folder, deb], check=True)
    return deb


def like_a_pi(pi: Machine) -> None:
    """Raspberry Pi OS has gpiozero 2 where Debian has 1.6."""
    found = distribution("gpiozero")
    (there,) = pi.root.glob("usr/local/lib/python3*/dist-packages")
    for file in found.files or ():
        source, to = Path(str(found.locate_file(file))), there / str(file)
        if ".." not in file.parts and source.suffix != ".pyc":
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, to)


@cache
def handed() -> Handover:
    """Files for the head's Pi, the same each time; its header is one of mock pins, but all else is real."""
    plan = Plan(1, dice="smart", panel="smart", lights="virtual")
    kept = accounts.completed({}, plan.tables, (), Random(1))
    given = cards.head(
        cards.ProvisionedHall(plan, kept, accounts.draw_secrets(Random(1)), certificates.made(plan.hall))
    )
    return structs.replace(given, settings=given.settings | {"gpio": "mock"})


def hand_over(pi: Machine) -> None:
    """Drops the head's file on the boot partition."""
    pi.write(str(Places(Path()).handover), handover.dump(handed()))


def write_card(pi: Machine, out: Path, package: Path, replace: tuple[str, ...] = ()) -> None:
    """The head's folder as provision writes it, on the boot partition; but its header is of mock pins."""
    asked = {"tables": 3, "dice": "smart", "panel": "smart", "lights": "virtual", "phone": (2,)}
    network = {"own_wifi": True, "country": "DE", "timezone": "Europe/Berlin"}
    provision(out, asked | network, replace, Random(1), packages=[package])
    boot = pi.root / "boot/firmware"
    shutil.copytree(out / "head", boot, dirs_exist_ok=True)
    given = handover.read(boot / "pi-bunco.toml")
    assert given is not None
    mocked = structs.replace(given, settings=given.settings | {"gpio": "mock"})
    (boot / "pi-bunco.toml").write_text(handover.dump(mocked))
    pi.write("etc/cloud/cloud.cfg.d/99_raspberry-pi.cfg", SEED)


def table_beside(pi: Machine, out: Path, number: int) -> str:
    """A table's service on a cable of its own to the head's Pi, with the card of that table; its unit."""
    place, name = f"srv/table{number}", f"table{number}"
    given = handover.read(out / name / "pi-bunco.toml")
    assert given is not None
    settings = tomli_w.dumps(given.settings | {"gpio": "mock"})
    config = pi.write(f"{place}/pi-bunco.toml", settings.replace("/etc/pi-bunco", f"/{place}"))
    for path, text in given.files.items():
        pi.write(f"{place}/{path}", text)
    network = yaml.safe_load((out / name / "network-config").read_text())["network"]
    pi.done("ip", "netns", "add", name)
    pi.done("ip", "link", "add", "eth0", "type", "veth", "peer", "name", "eth0", "netns", name)
    for address in network["ethernets"]["eth0"]["addresses"]:
        pi.done("ip", "-netns", name, "address", "add", address, "dev", "eth0")
    for link in ("lo", "eth0"):
        pi.done("ip", "-netns", name, "link", "set", link, "up")
    run = ("systemd-run", f"--unit={name}", f"--property=NetworkNamespacePath=/run/netns/{name}")
    pi.done(*run, BUNCO, "table", "--config", pi.inside(config), "--data", f"/{place}/data")
    return f"{name}.service"


def bunco(pi: Machine, *words: str) -> str:
    """The output of the command, which has to succeed."""
    return pi.done(BUNCO, *words)


def host(pi: Machine, verb: str, *words: str) -> str:
    """The head's answer to a host who waits; a service is ready before it has found the broker."""
    return bunco(pi, "host", verb, f"--wait={WAIT / 2}", *words)


def play(pi: Machine) -> None:
    """Opens an evening and starts a round that no roll ends."""
    endless = (argument for rule in ENDLESS for argument in ("--set", rule))
    host(pi, "open", *endless, "--players", PEOPLE)
    host(pi, "draw")
    until(lambda: pi.run(BUNCO, "host", "start").returncode == 0)


def journaled(pi: Machine) -> list[str]:
    """The facts of the evening in the head's journal."""
    return bunco(pi, "export", "--data", "/var/lib/pi-bunco/head").splitlines()
