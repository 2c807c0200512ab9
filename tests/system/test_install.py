"""Installed, upgraded and removed in a booted Debian without a network, from a bundle, as a host does it."""

import json
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from pi_bunco import __version__
from pi_bunco.cli import main
from pi_bunco.ops.install import bundle
from pi_bunco.ops.install.sources import SUMS, source
from pi_bunco.ops.install.steps import InstallError
from pi_bunco.ops.install.units import BROKER, HEAD, TABLE
from pi_bunco.provision import accounts, cards, certificates, handover
from pi_bunco.provision.handover import Handover
from pi_bunco.provision.plan import Plan
from system.trees import differing, tree
from system.wheels import reworked
from systemd.machine import CHECKOUT, WAIT, Machine, needs_debian, until, why_not

pytestmark = [
    pytest.mark.system("mmdebstrap", "systemd-nspawn", "nsenter", "chroot"),
    pytest.mark.skipif(bool(why_not()), reason=why_not()),
]

PYTHON = f"{sys.version_info[0]}.{sys.version_info[1]}"  # the machine's as well
SERVICES = (BROKER, HEAD, TABLE)
PEOPLE = "Ann,Bob,Cat,Dee"
BOOT = "boot/firmware"
FIRMWARE = "arm_64bit=1\n[pi4]\narm_boost=1\n"
STATE = ("var/lib/pi-bunco", "var/lib/mosquitto")
ACCOUNTS = {f"etc/{name}{end}" for name in ("passwd", "shadow", "group", "gshadow") for end in ("", "-")}
PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@cache
def handed() -> Handover:
    """What the head's Pi gets, the same each time: what is drawn is drawn once."""
    wanted = Plan(1, dice="smart", panel="smart", lights="virtual")
    kept = accounts.completed({}, wanted.tables, (), Random(1))
    given = cards.head(cards.Hall(wanted, kept, certificates.made(wanted.hall)))
    return replace(given, settings=given.settings | {"gpio": "mock"})


class Pi(Machine):
    """A machine with nothing of ours on it; `before` is how it was then."""

    before: dict[str, str]

    def _bring_software(self) -> None:
        """It comes later, from a bundle."""

    def sh(self, command: str) -> subprocess.CompletedProcess[str]:
        """A line that the host types as root."""
        return self.run("env", "-i", PATH, "LC_ALL=C.UTF-8", "sh", "-c", command)

    def succeeds(self, command: str) -> str:
        result = self.sh(command)
        assert result.returncode == 0, (command, result.stdout, result.stderr)
        return result.stdout

    @property
    def installed(self) -> bool:
        return (self.root / "usr/local/bin/pi-bunco").is_symlink()

    def hand_over(self) -> None:
        self.write(f"{BOOT}/pi-bunco.toml", handover.dump(handed()))

    def pids(self) -> list[str]:
        return [self.shown(name, "MainPID")["MainPID"] for name in SERVICES]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle for the Debian that the machine has."""
    needs_debian()
    folder = tmp_path_factory.mktemp("bundles") / "first"
    with source(str(CHECKOUT)) as found:
        bundle.make(bundle.Bundle((PYTHON,), platform.machine()), found, folder)
    return folder


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory, made: Path) -> Iterator[Pi]:
    root = tmp_path_factory.mktemp("machine") / "pi"
    with Pi(root) as pi:
        pi.write(f"{BOOT}/config.txt", FIRMWARE)
        shutil.copytree(made, root / "srv/first")
        pi.boot()
        pi.before = tree(root, *STATE)
        yield pi
    shutil.rmtree(root, ignore_errors=True)


@pytest.fixture
def pi(bare: Pi) -> Pi:
    """The head's Pi, installed."""
    if not bare.installed:
        bare.hand_over()
        bare.succeeds("sh /srv/first/install.sh head")
    until(lambda: bare.ready(*SERVICES))
    return bare


def head(pi: Pi, what: str) -> str:
    """What the head says of itself over the broker, which it may have to find first."""
    told = pi.succeeds(f"pi-bunco host status --json --wait {WAIT / 2}")
    return str(json.loads(told)["head"][what])


def test_a_bundle_has_all_that_the_wheel_needs_and_the_wheel_all_units(made: Path) -> None:
    subprocess.run(["sha256sum", "--check", "--quiet", SUMS], cwd=made, check=True)
    with source(str(made)) as found:
        assert found.units == {path.name: path.read_bytes() for path in (CHECKOUT / "systemd").iterdir()}
    names = {path.name.partition("-")[0] for path in made.glob("*.whl")}
    assert {"pi_bunco", "msgspec", "paho_mqtt", "gpiod", "gpiozero", "luma_oled", "pillow"} <= names
    with source(str(made)) as found, pytest.raises(InstallError, match="is not empty"):
        bundle.make(bundle.Bundle(), found, made)


def test_a_dry_run_changes_nothing_and_says_all_that_is_then_done(bare: Pi) -> None:
    bare.hand_over()
    before = tree(bare.root, *STATE)
    would = bare.succeeds("sh /srv/first/install.sh head --dry-run")
    assert f"Would: Make /opt/pi-bunco/{__version__}-1 " in would
    assert tree(bare.root, *STATE) == before

    done = bare.succeeds("sh /srv/first/install.sh head").splitlines()
    sentences = [line.removeprefix("Would: ") for line in would.splitlines()]
    assert done[: len(sentences)] == sentences
    assert bare.ready(*SERVICES)
    assert not bare.ready("mosquitto.service")
    assert head(bare, "version") == __version__


def test_what_was_handed_over_is_stored_and_blanked(pi: Pi) -> None:
    card = (pi.root / BOOT / "pi-bunco.toml").read_text()
    for name, text in handed().files.items():
        path = pi.root / "etc/pi-bunco" / name
        assert (path.read_text(), path.stat().st_mode & 0o777) == (text, handover.mode(name))
        assert "secrets" not in name or text not in card
    assert pi.root.joinpath("etc/pi-bunco/secrets").stat().st_mode & 0o777 == 0o700


def test_what_is_on_the_card_is_taken_at_the_next_start(pi: Pi) -> None:
    given = handed()
    card = pi.write(
        f"{BOOT}/pi-bunco.toml", handover.dump(replace(given, settings=given.settings | {"hall": "club"}))
    )
    pi.cut_power()
    pi.boot()
    until(lambda: pi.ready(*SERVICES))
    assert card.read_text() == handover.taken(given)
    assert 'hall = "club"' in (pi.root / "etc/pi-bunco/pi-bunco.toml").read_text()
    pi.hand_over()
    pi.succeeds("pi-bunco adopt")
    until(lambda: pi.ready(*SERVICES))
    assert 'hall = "home"' in (pi.root / "etc/pi-bunco/pi-bunco.toml").read_text()


def test_new_passwords_reach_a_broker_that_runs(pi: Pi) -> None:
    path, (broker, *others) = pi.root / "etc/pi-bunco/broker/passwd", pi.pids()
    owner = path.stat().st_uid
    revoked = re.sub("^table1:.*\n", "", path.read_text(), flags=re.MULTILINE)
    update = Handover(handed().device, {}, {"broker/passwd": revoked})
    pi.write("root/head-update.toml", handover.dump(update))
    before = len(pi.journal(BROKER))
    pi.succeeds("pi-bunco adopt /root/head-update.toml")
    until(lambda: any("not authorised" in line for line in pi.journal(BROKER)[before:]))
    assert (path.read_text(), path.stat().st_uid, path.stat().st_mode & 0o777) == (revoked, owner, 0o600)
    assert owner != 0
    anew = pi.pids()
    assert anew[0] not in ("0", broker)  # with what the card left there, see `adopt`
    assert anew[1:] == others
    pi.hand_over()
    pi.succeeds("pi-bunco adopt")
    assert pi.pids() == anew
    assert path.read_text() == handed().files["broker/passwd"]


def test_a_second_time_there_is_nothing_to_do(pi: Pi) -> None:
    before, running = tree(pi.root, *STATE), pi.pids()
    for again in ("pi-bunco install", "pi-bunco install head --from /srv/first", "pi-bunco adopt"):
        assert pi.succeeds(again).startswith("Nothing to do. ")
    assert (tree(pi.root, *STATE), pi.pids()) == (before, running)


def test_one_setting_is_changed_and_the_others_stay(pi: Pi) -> None:
    settings = pi.root / "etc/pi-bunco/pi-bunco.toml"
    settings.write_text(f"# by hand\nsettle_ms = 900.0\n{settings.read_text()}")
    pi.succeeds("pi-bunco install --auto-confirm 30")
    assert re.findall("^(settle_ms|auto_confirm|hall) = (.*)$", settings.read_text(), re.MULTILINE) == [
        ("settle_ms", "900.0"),
        ("hall", '"home"'),
        ("auto_confirm", "30.0"),
    ]
    assert settings.with_name("pi-bunco.toml.before").read_text().startswith("# by hand")


def test_an_upgrade_keeps_data_and_settings(pi: Pi, made: Path) -> None:
    pi.succeeds(f"pi-bunco host open --rules mybunco --players {PEOPLE} --wait {WAIT / 2}")
    evening = head(pi, "evening")
    config = tree(pi.root / "etc/pi-bunco")
    reworked(made, pi.root / "srv/newer", "9.8.0")
    pi.succeeds("pi-bunco install --from /srv/newer")
    assert head(pi, "version") == "9.8.0"
    assert tree(pi.root / "etc/pi-bunco") == config
    assert head(pi, "evening") == evening
    assert pi.succeeds(f"/opt/pi-bunco/{__version__}-1/bin/pi-bunco --version") == f"pi-bunco {__version__}\n"

    reworked(made, pi.root / "srv/newest", "9.9.0")
    pi.succeeds("pi-bunco install --from /srv/newest")
    folders = {path.name for path in (pi.root / "opt/pi-bunco").iterdir() if path.is_dir()}
    assert folders == {"9.8.0-2", "9.9.0-3", "current"}
    pi.succeeds("pi-bunco install --from /srv/newer")
    assert head(pi, "version") == "9.8.0"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("table --number 2 --head 10.0.0.1 --dice card", "--dice card is not allowed"),
        ("head --gpio rpigpio", "compiled"),
        ("head --handover /srv/nothing.toml", "/srv/nothing.toml cannot be read"),
    ],
)
def test_a_wrong_line_is_refused_before_anything_is_done(pi: Pi, line: str, why: str) -> None:
    before, running = tree(pi.root, *STATE), pi.pids()
    refused = pi.sh(f"pi-bunco install {line} --from /srv/first")
    assert refused.returncode == 2
    assert why in refused.stderr
    assert (tree(pi.root, *STATE), pi.pids()) == (before, running)


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ({"cli/__init__.py": "raise RuntimeError('a bad build')"}, "a bad build"),
        ({"table/service.py": "raise RuntimeError('no table today')"}, "no table today"),
        ({"head/referee.py": "raise RuntimeError('no head today')"}, "no head today"),
    ],
    ids=("does not start", "no table", "no head"),
)
def test_a_failed_upgrade_leaves_the_old_version_running(
    pi: Pi, made: Path, fault: dict[str, str], why: str
) -> None:
    before, runs = tree(pi.root, *STATE), head(pi, "version")
    shutil.rmtree(pi.root / "srv/bad", ignore_errors=True)
    reworked(made, pi.root / "srv/bad", "10.0.0", fault)
    failed = pi.sh("pi-bunco install --from /srv/bad")
    assert failed.returncode == 1
    assert why in failed.stderr
    assert pi.ready(*SERVICES)
    assert head(pi, "version") == runs
    assert tree(pi.root, *STATE) == before


def test_after_a_power_cut_in_the_middle_it_is_done_again(pi: Pi, made: Path) -> None:
    reworked(made, pi.root / "srv/cut", "10.1.0")
    pi.succeeds("systemd-run --quiet pi-bunco install --from /srv/cut")
    until(lambda: any((pi.root / "opt/pi-bunco").glob("10.1.0-*/bin/python3")))
    pi.cut_power()
    assert list((pi.root / "opt/pi-bunco").glob("10.1.0-*"))
    pi.boot()
    until(lambda: pi.ready(*SERVICES))
    assert head(pi, "version") != "10.1.0"
    pi.succeeds("pi-bunco install --from /srv/cut")
    assert head(pi, "version") == "10.1.0"


def test_it_goes_and_what_the_host_has_or_changed_stays(pi: Pi) -> None:
    unit = pi.root / "etc/systemd/system/pi-bunco-table.service"
    unit.write_text(f"{unit.read_text()}\n# mine\n")
    aside = pi.root / "var/backups/pi-bunco/etc/systemd/system/pi-bunco-table.service"
    told = pi.succeeds("pi-bunco uninstall")
    assert f"changed by hand, as /{aside.relative_to(pi.root)}" in told
    assert aside.read_text().endswith("# mine\n")

    card, kept = f"{BOOT}/pi-bunco.toml", ("etc/pi-bunco", "var/backups/pi-bunco", "root/head-update.toml")
    left = differing(pi.before, tree(pi.root, *STATE))
    assert {path for path in left if not path.startswith((*kept, card))} <= ACCOUNTS
    assert (pi.root / "etc/pi-bunco/secrets/head/head").exists()
    assert list((pi.root / "var/lib/pi-bunco/head").glob("*.db"))
    assert pi.ready("mosquitto.service")
    assert not pi.sh("systemctl list-unit-files --no-legend 'pi-bunco*'").stdout

    assert main(["uninstall", "--purge", "--root", str(pi.root)]) == 0
    for gone in ("etc/pi-bunco", "var/lib/pi-bunco", "opt/pi-bunco", card):
        assert not (pi.root / gone).exists()
    assert "pi-bunco" not in (pi.root / "etc/passwd").read_text()
