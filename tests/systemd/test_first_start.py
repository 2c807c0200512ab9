"""A first start with a package on the card, with a cut in an upgrade, and with one that is no good.

The script runs in the root folder of a Pi that is not switched on, without a network.
"""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from systemd import hall
from systemd.machine import Machine, needs_debian, why_not

pytestmark = [
    pytest.mark.long,
    pytest.mark.system("mmdebstrap", "chroot", "unshare", "dpkg-deb"),
    pytest.mark.skipif(bool(why_not()), reason=why_not()),
]

SCRIPT = Path(hall.__file__).parents[2] / "pi_bunco/provision/templates/first-start.sh"
DPKG = "var/lib/dpkg/status"
LOG = "boot/firmware/pi-bunco-first-start.log"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    needs_debian()
    return hall.package(tmp_path_factory.mktemp("package"))


@pytest.fixture(scope="module")
def pi(tmp_path_factory: pytest.TempPathFactory, package: Path) -> Iterator[Machine]:
    """A Pi whose first start has installed the package of its card."""
    made = Machine(tmp_path_factory.mktemp("machine") / "pi")
    (made.root / "boot/firmware").mkdir(parents=True, exist_ok=True)
    shutil.copy(SCRIPT, made.root / "boot/firmware")
    put_on_card(made, package)
    assert start(made) == (0, hall.version_of(package))
    yield made
    shutil.rmtree(made.root, ignore_errors=True)


def put_on_card(pi: Machine, package: Path) -> None:
    card = pi.root / "boot/firmware/pi-bunco"
    shutil.rmtree(card, ignore_errors=True)
    card.mkdir()
    shutil.copy(package, card)


def start(pi: Machine) -> tuple[int, str]:
    """The end of the script's look at the package, and the version that is installed whole."""
    inside = ["unshare", "--net", "--mount", "--pid", "--fork", "chroot", str(pi.root)]
    script = "mount -t proc proc /proc; exec sh /boot/firmware/first-start.sh packaged"
    done = subprocess.run([*inside, "sh", "-c", script], check=False, capture_output=True)
    state = (pi.root / DPKG).read_text("utf-8")
    found = re.search(
        r"^Package: pi-bunco\nStatus: install ok installed\n(?:.+\n)*?Version: (.*)$", state, re.M
    )
    return done.returncode, found[1] if found else ""


def cut(pi: Machine, status: str, version: str) -> None:
    """Leaves dpkg's status of the package as it is when the power goes."""
    text = (pi.root / DPKG).read_text("utf-8")
    head, name, rest = text.partition("Package: pi-bunco\n")
    mine, end, others = rest.partition("\n\n")
    mine = re.sub("^Status: .*$", f"Status: {status}", mine, flags=re.MULTILINE)
    mine = re.sub("^Version: .*$", f"Version: {version}", mine, flags=re.MULTILINE)
    (pi.root / DPKG).write_text(f"{head}{name}{mine}{end}{others}", "utf-8")


@pytest.mark.parametrize(
    "status", ["install reinstreq half-installed", "install ok half-installed", "install ok half-configured"]
)
def test_an_upgrade_by_hand_that_was_cut_leads_back_to_a_package_that_is_here(
    pi: Machine, package: Path, status: str
) -> None:
    """The new one is nowhere any more, and apt alone says that it cannot find an archive for it."""
    cut(pi, status, "9.9.0")
    code, version = start(pi)
    assert code == 0
    assert version in (hall.version_of(package), "9.9.0")
    put_on_card(pi, package)
    assert start(pi)[0] == 0


def test_a_package_that_is_no_good_gives_way_to_the_one_before(pi: Machine, package: Path) -> None:
    before = start(pi)
    put_on_card(pi, hall.reworked(package, "10.1.0", {"DEBIAN/postinst": "exit 1"}))
    for _ in range(2):  # at the next start too
        assert start(pi) == before
        assert "the one of before goes on" in (pi.root / LOG).read_text("utf-8")
    put_on_card(pi, package)


def test_a_package_that_was_purged_stays_away_until_another_comes(pi: Machine, package: Path) -> None:
    pi.change("dpkg", "--purge", "pi-bunco")
    assert start(pi) == (0, "")
    put_on_card(pi, hall.reworked(package, "10.2.0"))
    assert start(pi) == (0, "10.2.0")


def test_a_card_that_has_all_asks_no_network(pi: Machine, package: Path) -> None:
    put_on_card(pi, hall.reworked(package, "10.2.5"))
    assert start(pi) == (0, "10.2.5")
    done = (pi.root / "run/pi-bunco-first-start.details").read_text("utf-8")
    assert "Setting up pi-bunco (10.2.5)" in done
    assert "Failed to fetch" not in done


def test_of_two_packages_on_the_card_the_newest_counts_and_the_log_says_so(
    pi: Machine, package: Path
) -> None:
    """As where an older folder was dragged onto the card, which takes nothing away there."""
    put_on_card(pi, hall.reworked(package, "10.10.0"))
    shutil.copy(hall.reworked(package, "10.9.0"), pi.root / "boot/firmware/pi-bunco")
    for _ in range(2):
        assert start(pi) == (0, "10.10.0")
        assert "pi-bunco_10.10.0_all.deb, counts" in (pi.root / LOG).read_text("utf-8")


LOOK = """\
mount -t proc proc /proc
sleep() { cat /sys/class/leds/ACT/brightness >>/run/light; }
systemctl() { return 1; }
journalctl() { echo "pi-bunco adopt: it ends too early."; }
look() { $ASKS || blink; }
set -- look
. /boot/firmware/first-start.sh
"""
"""One look of the script at the card. Each pause looks at the light instead, no service can be started."""


@pytest.mark.parametrize(
    ("asks", "fault", "blinks", "sentence"),
    [
        ("adopted", None, 6, "The file pi-bunco.toml on this card cannot be used: it ends too early."),
        ("packaged", "no package", 5, "There is no package pi-bunco on this card."),
        ("packaged", "a bad one", 5, "The package on this card cannot be installed."),
        ("packaged", "no internet", 2, "This Pi needs the internet once, to install what its package needs."),
    ],
)
def test_a_first_start_that_fails_says_why_on_the_screen_in_the_log_and_by_the_light(
    pi: Machine, package: Path, asks: str, fault: str | None, blinks: int, sentence: str
) -> None:
    """The last one: the Pi needs more than its card has."""
    light = pi.root / "sys/class/leds/ACT"
    light.mkdir(parents=True, exist_ok=True)
    for file in (light / "trigger", light / "brightness", pi.root / "dev/tty1", pi.root / "run/light"):
        file.write_text("")
    if fault:
        pi.change("dpkg", "--purge", "--force-all", "pi-bunco")
        (pi.root / "var/lib/pi-bunco-card/package").unlink(missing_ok=True)
    if fault == "no package":
        shutil.rmtree(pi.root / "boot/firmware/pi-bunco")
    if fault == "a bad one":
        put_on_card(pi, hall.reworked(package, "10.3.0", {"DEBIAN/postinst": "exit 1"}))
    if fault == "no internet":
        put_on_card(pi, package)
        pi.change("dpkg", "--purge", "--force-depends", "python3-segno")
    inside = ["unshare", "--net", "--mount", "--pid", "--fork", "chroot", str(pi.root)]
    subprocess.run([*inside, "env", f"ASKS={asks}", "sh", "-c", LOOK], check=True, capture_output=True)
    assert f"Bunco: {sentence}" in (pi.root / "dev/tty1").read_text()
    assert (pi.root / LOG).read_text().startswith(sentence)
    group = [*["1", "0"] * blinks, "0"]
    assert (pi.root / "run/light").read_text().split() == group * 3
