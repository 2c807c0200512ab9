"""The package: built twice alike; installed, upgraded, taken back, removed, purged in a booted Debian 13."""

import json
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_bunco.provision import handover
from pi_bunco.provision.handover import Handover
from pi_bunco.provision.system import BROKER, WEB
from systemd import hall
from systemd.hall import SERVICES, handed, package, reworked, version_of
from systemd.machine import CHECKOUT, Machine, needs_debian, until, why_not
from systemd.trees import differing, tree

pytestmark = [
    pytest.mark.long,
    pytest.mark.system("systemd-nspawn", "mmdebstrap", "nsenter", "chroot", "dpkg-deb"),
    pytest.mark.skipif(bool(why_not()), reason=why_not()),
]

STATE = ("var/lib/pi-bunco", "var/lib/mosquitto", "var/lib/dpkg", "boot", "root", "usr/local/lib")
ACCOUNTS = {f"etc/{name}{end}" for name in ("passwd", "shadow", "group", "gshadow") for end in ("", "-")}
CODE = hall.PYTHON
KEPT = "var/lib/pi-bunco/packages"


class Pi(Machine):
    """A machine; `before` is what lay on it without the package."""

    before: dict[str, str]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package, of which a second build has the same bytes."""
    needs_debian()
    folder = tmp_path_factory.mktemp("package")
    first, second = (package(folder / name) for name in ("first", "second"))
    assert first.read_bytes() == second.read_bytes()
    return first


@pytest.fixture(scope="module")
def pi(tmp_path_factory: pytest.TempPathFactory, made: Path) -> Iterator[Pi]:
    """The head's Pi, with a folder of packages and no network."""
    with Pi(tmp_path_factory.mktemp("machine") / "pi") as machine:
        hall.like_a_pi(machine)
        machine.write("boot/firmware/config.txt", "arm_64bit=1\n[pi4]\narm_boost=1\n")
        machine.boot()
        before = tree(machine.root, *STATE)
        hall.hand_over(machine)
        install(machine, made)
        until(lambda: machine.ready(*SERVICES))
        machine.before = before
        yield machine
    shutil.rmtree(machine.root, ignore_errors=True)


def install(pi: Pi, deb: Path, works: bool = True) -> str:
    """As a host does it; what apt and dpkg said."""
    shutil.copy(deb, pi.root / "root")
    done = pi.run("env", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "dpkg", "-i", f"/root/{deb.name}")
    assert (done.returncode == 0) is works, done
    return done.stdout + done.stderr


def back(pi: Pi, made: Path) -> None:
    """The one command back, to what ran before."""
    (kept,) = (pi.root / KEPT).glob(made.name)
    pi.done("env", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "dpkg", "-i", f"/{KEPT}/{kept.name}")
    until(lambda: pi.ready(*SERVICES) and head(pi, "version") == version_of(made))


def head(pi: Pi, what: str) -> str:
    """A field of the head's status over the broker, which it may have to find first."""
    return str(json.loads(hall.host(pi, "status", "--json"))["head"][what])


def test_the_package_has_every_file_that_a_wheel_has(made: Path) -> None:
    """Files that are links in the checkout too."""
    listed = subprocess.run(
        ["dpkg-deb", "--contents", made], check=True, capture_output=True, text=True
    ).stdout
    data = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"][
        "package-data"
    ]
    wanted = ["**/*.py", *data["pi_bunco"]]
    files = {path for pattern in wanted for path in (CHECKOUT / "pi_bunco").glob(pattern) if path.is_file()}
    assert len(files) > 300
    assert [path for path in files if f"/{path.relative_to(CHECKOUT)}" not in listed] == []


def test_lintian_finds_no_error_in_the_package(pi: Pi, made: Path) -> None:
    shutil.copy(made, pi.root / "root")
    pi.done("lintian", "--fail-on", "error", "--allow-root", "--no-cfg", f"/root/{made.name}")


def test_what_the_card_brought_is_stored_and_the_roles_given(pi: Pi) -> None:
    for name, text in handed().files.items():
        assert (pi.root / "etc/pi-bunco" / name).read_text() == text
    assert {path.name for path in (pi.root / "etc/pi-bunco/role").iterdir()} == {
        *("broker", "head", "table", "web")
    }
    assert not pi.ready("mosquitto.service")
    assert "dtparam=strict_gpiod" in (pi.root / "boot/firmware/config.txt").read_text()


def test_installed_again_nothing_changes(pi: Pi, made: Path) -> None:
    before = tree(pi.root, *STATE)
    install(pi, made)
    until(lambda: pi.ready(*SERVICES))
    assert differing(before, tree(pi.root, *STATE)) == set()


def test_new_passwords_reach_a_broker_that_runs(pi: Pi) -> None:
    path = pi.root / "etc/pi-bunco/broker/passwd"
    owner = path.stat().st_uid
    revoked = re.sub("^table1:.*\n", "", path.read_text(), flags=re.MULTILINE)
    update = Handover(handed().device, {}, {"broker/passwd": revoked})
    pi.write("root/head-update.toml", handover.dump(update))
    before = len(pi.journal(BROKER))
    hall.bunco(pi, "adopt", "/root/head-update.toml")
    until(lambda: any("not authorised" in line for line in pi.journal(BROKER)[before:]))
    assert (path.read_text(), path.stat().st_uid, path.stat().st_mode & 0o777) == (revoked, owner, 0o600)
    hall.hand_over(pi)
    hall.bunco(pi, "adopt")
    assert path.read_text() == handed().files["broker/passwd"]
    until(lambda: pi.ready(*SERVICES))


def test_an_upgrade_keeps_evening_and_settings_and_a_way_back(pi: Pi, made: Path) -> None:
    hall.host(pi, "open", "--rules", "mybunco", "--players", hall.PEOPLE)
    evening, config = head(pi, "evening"), tree(pi.root / "etc/pi-bunco")
    install(pi, reworked(made, "9.8.0"))
    until(lambda: pi.ready(*SERVICES) and head(pi, "version") == "9.8.0")
    assert tree(pi.root / "etc/pi-bunco") == config
    assert head(pi, "evening") == evening
    back(pi, made)
    assert (head(pi, "evening"), tree(pi.root / "etc/pi-bunco")) == (evening, config)


@pytest.mark.parametrize(
    ("version", "fault", "works"),
    [
        ("10.0.0", {f"{CODE}/pi_bunco/cli/__init__.py": "raise RuntimeError('a bad build')"}, True),
        ("10.1.0", {"DEBIAN/postinst": "exit 1"}, False),
        ("10.2.0", {"DEBIAN/prerm": "exit 1", f"{CODE}/pi_bunco/head/service.py": "raise OSError"}, True),
    ],
    ids=("does not start", "is not configured", "does not want to go"),
)
def test_from_a_failed_upgrade_one_command_leads_back(
    pi: Pi, made: Path, version: str, fault: dict[str, str], works: bool
) -> None:
    evening = head(pi, "evening")
    install(pi, reworked(made, version, fault), works)
    back(pi, made)
    assert head(pi, "evening") == evening


def test_the_page_has_its_own_account(pi: Pi) -> None:
    shown = pi.shown(WEB, "User", "SupplementaryGroups")
    assert shown == {"User": "pi-bunco-web", "SupplementaryGroups": "pi-bunco"}


def test_removed_it_leaves_the_data_and_purged_nothing(pi: Pi) -> None:
    """Debian's own broker may run again."""
    pi.done("env", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "dpkg", "-r", "pi-bunco")
    assert (pi.root / "etc/pi-bunco/secrets/head/head").exists()
    assert list((pi.root / "var/lib/pi-bunco/head").glob("*.db"))
    assert not pi.says("systemctl", "list-units", "--no-legend", "pi-bunco-*", "--state=active")
    pi.done("systemctl", "start", "mosquitto.service")
    pi.done("env", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "dpkg", "-P", "pi-bunco")
    left = differing(pi.before, tree(pi.root, *STATE))
    assert left <= ACCOUNTS, left - ACCOUNTS
    assert not (pi.root / "var/lib/pi-bunco").exists()
    assert (pi.root / "boot/firmware/config.txt").read_text() == "arm_64bit=1\n[pi4]\narm_boost=1\n"
