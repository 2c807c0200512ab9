"""Pis of one image on one cable, in containers: the first makes a hall, others join it, and are updated.

Each kind of Pi that is not as it should be ends with a sentence that somebody can read.
"""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import SystemRandom

import pytest

from pi_bunco.provision import certificates
from pi_bunco.provision.hall_copy import copy_key, open_copy
from pi_bunco.provision.provision import provision
from pi_bunco.provision.system import BROKER, HEAD, TABLE, WEB
from pi_bunco.provision.update import OFFER, SIGNATURE
from systemd import cable, hall
from systemd.cable import JOIN, Cable, Hall, Pad, pi, told, words
from systemd.machine import CHECKOUT, Machine, needs_debian, until, why_not

pytestmark = [
    pytest.mark.long,
    pytest.mark.system("systemd-nspawn", "mmdebstrap", "nsenter", "chroot", "ip", "curl", "dpkg-deb"),
    pytest.mark.skipif(bool(why_not()), reason=why_not()),
]

IMAGE_D = CHECKOUT / "systemd/image.d"
UPDATE = "pi-bunco-update.service"
VERSIONS = "/var/lib/pi-bunco/versions"
MODULE = f"{hall.PYTHON}/pi_bunco/cli/table.py"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    needs_debian()
    return hall.package(tmp_path_factory.mktemp("package"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, package: Path) -> Iterator[Path]:
    """The content of an image, without its kernel."""
    machine = Machine(tmp_path_factory.mktemp("cable") / "made")
    shutil.copy(package, machine.root / "root")
    machine.change("dpkg", "--install", f"/root/{package.name}")
    for name in ("pi-bunco-begin", "pi-bunco-grow"):
        shutil.copy(IMAGE_D / name, machine.root / "usr/local/lib")
    for unit in IMAGE_D.glob("*.service"):
        shutil.copy(unit, machine.root / "etc/systemd/system")
    machine.change("systemctl", "enable", "pi-bunco-card.service", "pi-bunco-begin.service")
    machine.change("systemctl", "mask", "NetworkManager-wait-online.service", "cloud-init.target")
    machine.change("useradd", "--create-home", "bunco")
    for name in ("cmdline.txt", "issue.txt", "user-data", "meta-data", "pi-bunco-join"):
        machine.write(f"boot/firmware/{name}", "")
    shutil.copy(CHECKOUT / "systemd/config.txt", machine.root / "boot/firmware")
    yield cable.contained(machine.root)
    shutil.rmtree(machine.root, ignore_errors=True)


@pytest.fixture(scope="module")
def switch() -> Iterator[Cable]:
    with Cable() as plugged:
        yield plugged


@pytest.fixture(scope="module")
def home(made: Path, switch: Cable) -> Iterator[Hall]:
    """The hall of a Pi with `head` in its file."""
    with pi(made, "pi1", switch, "head\n") as head:
        head.switch_on()
        yield Hall(head)


@pytest.fixture(scope="module")
def table(made: Path, switch: Cable, home: Hall) -> Iterator[Machine]:
    """The Pi that joined as table 2."""
    with pi(made, "pi2", switch) as new:
        new.switch_on()
        until(lambda: words(new))
        home.browser.tap(words(new), table="2", plays="gpio")
        until(lambda: new.ready(TABLE) and told(new, TABLE, "ready: table 2"))
        yield new


def offer(home: Hall, package: Path, key: str | None = None) -> None:
    """The head hands it out, signed by the hall's authority, or with that key."""
    ca_key = key or (home.head.root / "var/lib/pi-bunco/hall/ca/ca-key.pem").read_text()
    data = package.read_bytes()
    folder = home.head.root / "var/lib/pi-bunco/packages"
    folder.mkdir(exist_ok=True)
    for name, content in ((OFFER, data), (SIGNATURE, certificates.vouch(ca_key, data))):
        (folder / name).write_bytes(content)
        (folder / name).chmod(0o644)


def asks(pi: Machine) -> str:
    """New lines in a Pi's journal about the package that it is offered."""
    before = len(pi.journal(UPDATE))
    pi.run("systemctl", "start", UPDATE)
    return "\n".join(pi.journal(UPDATE)[before:])


def version(pi: Machine) -> str:
    return pi.done(hall.BUNCO, "--version").split()[1]


def test_a_pi_that_joined_plays_with_the_account_that_it_drew_itself(table: Machine, home: Hall) -> None:
    assert home.head.says("sh", "-c", "grep -c ^table2: /etc/pi-bunco/broker/passwd") == "1"
    assert table.says("ls", "/etc/pi-bunco/secrets/table") == "table2"
    assert not table.shown(JOIN, "Result")["Result"].startswith("exit")


def test_a_table_takes_a_newer_package_and_goes_back_from_a_broken_one(
    table: Machine, home: Hall, package: Path
) -> None:
    before = version(table)
    offer(home, hall.reworked(package, "9.9.0"))
    assert "This Pi has version 9.9.0 now." in asks(table)
    assert version(table) == "9.9.0"
    offer(home, hall.reworked(package, "9.9.1", {MODULE: "raise SystemExit(3)"}))
    assert "version 9.9.1 was not ready within 60 s: this Pi has gone back to 9.9.0" in asks(table)
    assert (version(table), table.says("ls", VERSIONS)) == ("9.9.0", "9.9.0\ncurrent\ntrials")
    until(lambda: table.ready(TABLE))
    offer(home, hall.reworked(package, "9.9.2"), certificates.made("home").ca_key)
    assert "did not sign: it is not installed" in asks(table)
    assert "nothing out now" not in asks(table)
    table.done("dpkg", "--install", f"/root/{package.name}")  # as a new card does
    assert version(table) == before


def test_a_trial_that_lost_its_power_is_over_at_the_next_start(table: Machine, package: Path) -> None:
    before = version(table)
    deb = hall.reworked(package, "9.9.5", {MODULE: "raise SystemExit(3)"})
    folder = table.root / VERSIONS[1:] / "9.9.5"
    subprocess.run(["dpkg-deb", "--extract", deb, folder], check=True)
    (folder.parent / "current").symlink_to("9.9.5")
    (folder.parent / "trial").write_text("")
    table.cut_power()
    table.boot()
    until(lambda: table.ready(TABLE))
    assert version(table) == before
    assert not (folder.parent / "trial").exists()


def test_a_card_that_was_cloned_is_told_from_its_table(
    table: Machine, home: Hall, made: Path, switch: Cable
) -> None:
    """One of the two is in at a time, and the host's page says that two devices claim the number."""
    with pi(table.root, "pi3", switch) as clone:
        clone.switch_on()
        until(lambda: clone.ready(TABLE))
        until(lambda: any(told(one, TABLE, "another name or number") for one in (clone, table)))


def test_a_stolen_card_is_out_as_soon_as_another_pi_is_its_table(
    table: Machine, home: Hall, made: Path, switch: Cable
) -> None:
    with pi(made, "pi4", switch) as new:
        new.switch_on()
        until(lambda: words(new))
        home.browser.tap(words(new), table="2", plays="gpio")
        until(lambda: told(new, TABLE, "ready: table 2"))
        until(lambda: told(table, TABLE, "refuses table2"))
    assert home.head.ready(BROKER)


def test_a_pi_without_a_screen_joins_by_keys_at_its_panel(home: Hall, made: Path, switch: Cable) -> None:
    with pi(made, "pi6", switch) as new:
        pad = Pad(new)
        new.switch_on()
        until(lambda: words(new))
        shown = words(new)
        asked = home.browser.keys(shown)
        assert "That Pi waits for keys" in home.browser.tap(f"{asked}, OK", table="3", plays="keypad")
        pad.type(asked)
        until(lambda: "These keys were pressed at this Pi." in home.browser.page("/host/pis"))
        assert home.head.says("sh", "-c", "grep -c ^table3: /etc/pi-bunco/broker/passwd") == "0"
        home.browser.tap(f"{asked}, OK", table="3", plays="keypad")
        until(lambda: told(new, TABLE, "ready: table 3"))


def test_a_strangers_pi_waits_and_is_sent_away_with_a_sentence(home: Hall, made: Path, switch: Cable) -> None:
    before = home.head.says("cat", "/etc/pi-bunco/broker/passwd")
    with pi(made, "pi7", switch) as strange:
        strange.switch_on()
        until(lambda: words(strange))
        home.browser.tap(words(strange), away="1")
        until(lambda: told(strange, JOIN, "The host of this head has sent the Pi away"))
        until(lambda: strange.shown(JOIN, "ActiveState")["ActiveState"] == "failed")
        assert told(strange, JOIN, "it asks again at its next start")
        assert not strange.says("find", "/etc/pi-bunco/secrets", "-type", "f")
    assert home.head.says("cat", "/etc/pi-bunco/broker/passwd") == before


def test_a_card_that_was_cloned_before_it_joined_is_two_pis(home: Hall, made: Path, switch: Cable) -> None:
    with pi(made, "pi8", switch) as one:
        one.switch_on()
        until(lambda: words(one))
        one.cut_power()
        with pi(one.root, "pi9", switch) as clone:
            for each in (one, clone):
                each.switch_on()
            until(lambda: words(one) and words(clone))
            page = home.browser.page("/host/pis")
            assert words(one) != words(clone)
            assert all(words(each) in page for each in (one, clone))
            home.browser.tap(words(clone), table="6", plays="gpio")
            until(lambda: told(clone, TABLE, "ready: table 6"))
            assert not one.says("find", "/etc/pi-bunco/secrets", "-type", "f")


def test_of_two_heads_in_one_network_each_is_told_and_the_pi_joins_whose_host_taps(
    home: Hall, made: Path, switch: Cable
) -> None:
    with pi(made, "pi10", switch, "head\n") as head, pi(made, "pi11", switch) as new:
        head.switch_on()
        second = Hall(head)
        new.switch_on()
        until(lambda: words(new) and told(new, JOIN, "2 heads are in this network"))
        halls = [home, second]
        first = words(new)
        until(lambda: any(first in one.browser.page("/host/pis") for one in halls))
        mine, other = sorted(halls, key=lambda one: first in one.browser.page("/host/pis"))
        other.browser.tap(first, away="1")
        until(lambda: words(new) != first)
        mine.browser.tap(words(new), table="2", plays="gpio")
        until(lambda: told(new, TABLE, "ready: table 2"))
        assert mine.head.says("sh", "-c", "grep -c ^table2: /etc/pi-bunco/broker/joined") == "1"


def test_a_pi_with_an_old_protocol_is_told_which_package_to_take(
    home: Hall, made: Path, switch: Cable
) -> None:
    with pi(made, "pi5", switch) as old:
        file = old.root / hall.PYTHON / "pi_bunco/enrol/protocol.py"
        file.write_text(file.read_text().replace("VERSION = 1\n", "VERSION = 0\n"))
        old.switch_on()
        until(lambda: told(old, JOIN, "give the one with the lower number the package of the other"))


def test_a_head_whose_card_is_lost_comes_back_from_the_copy_and_knows_who_joined(
    home: Hall, made: Path, switch: Cable, tmp_path: Path
) -> None:
    """The last one: the head of before is gone."""
    with pi(made, "pi12", switch) as joined, pi(made, "pi13", switch) as new:
        joined.switch_on()
        until(lambda: words(joined))
        home.browser.tap(words(joined), table="7", plays="gpio")
        until(lambda: told(joined, TABLE, "ready: table 7"))
        csrf = re.findall(r'name="csrf"\s+value="([^"]+)"', home.browser.page("/host/pis"))[0]
        copy, out = home.browser.file("/host/pis/copy", csrf=csrf), tmp_path / "out"
        home.head.cut_power()
        switch.unplug("pi1")
        open_copy(copy, copy_key((home.head.root / "var/lib/pi-bunco/hall/ca/ca-key.pem").read_text()), out)
        provision(out, {}, ("head",), SystemRandom())
        shutil.copytree(out / "head", new.root / "boot/firmware", dirs_exist_ok=True)
        new.switch_on()
        until(lambda: new.ready(HEAD, WEB))
        until(lambda: told(new, BROKER, "as table7"))
