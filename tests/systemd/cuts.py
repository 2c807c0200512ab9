"""Power cuts over the first start and over an upgrade, from replayed writes.

`PYTHONPATH=.:tests .venv/bin/python -m systemd.cuts start --offline 1000 --booted 60` counts what cuts leave
dead; `upgrade` does the same for a package that a host installs on a Pi that runs, `update` for two that a
table is handed by its head, of which the second does not work (nothing is booted for that one), and
`life` for first start, enrolment, upgrade and fall-back of Pis with the image, which it builds (`card`).
"""

import argparse
import contextlib
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from msgspec import Struct

from pi_bunco.errors import BuncoError
from pi_bunco.provision import certificates, handover
from pi_bunco.provision.seed import MARKS, hostname
from pi_bunco.provision.system import System
from provision.test_update import NEWER, Handed, Services, runs, table
from provision.test_update import package as one_module
from provision.test_update import started as back
from systemd import hall
from systemd.hall import SERVICES
from systemd.machine import Machine, until
from systemd.recorder import Replay, count, image, recorded
from systemd.trees import tree

FIRST_START = "pi-bunco-first-start.service"
NETPLAN = "etc/netplan/50-cloud-init.yaml"
CHECK = """\
import marshal, pathlib, subprocess, sys
for file in pathlib.Path("/usr/lib/python3/dist-packages/pi_bunco").rglob("*.pyc"):
    data = file.read_bytes()
    try:
        len(data) < 16 or marshal.loads(data[16:])
    except Exception as error:
        sys.exit(f"{file} of {len(data)} bytes: {error!r}")
bad = subprocess.run(["dpkg", "--verify", "pi-bunco"], capture_output=True, text=True)
sys.exit("\\n".join(line for line in bad.stdout.splitlines() if "/usr/share/doc" not in line))
"""


class Recording(Struct, frozen=True):
    """A disk, the `most` bytes of a log of what was written onto it, the hall's folder on the laptop."""

    disk: Path
    log: Path
    most: int
    out: Path
    folder: Path


def card(folder: Path, package: Path) -> tuple[Path, Path]:
    """A disk of a head's Pi that was never switched on, and the hall's folder."""
    pi = Machine(folder / "pi")
    hall.like_a_pi(pi)
    hall.write_card(pi, folder / "out", package)
    disk = image(pi.root, folder / "disk")
    shutil.rmtree(pi.root)
    return disk, folder / "out"


def first_start(folder: Path, package: Path) -> Recording:
    """The first start of a head's Pi."""
    disk, out = card(folder, package)
    log = folder / "log"
    with recorded(disk, log) as root, Machine(root) as pi:
        pi.boot()
        started(pi)
        pi.done("sync")
        most = count(log)
        pi.cut_power()
    return Recording(disk, log, most, out, folder)


def started(pi: Machine) -> None:
    """Waits until all services run and the first start has come to its end."""
    until(lambda: pi.ready(*SERVICES))
    until(lambda: pi.says("systemctl", "is-active", FIRST_START) in ("inactive", "failed"))


def upgrade(folder: Path, package: Path) -> Recording:
    """An upgrade by apt on a head's Pi that has been running; what is installed then is not on its card."""
    disk, out = card(folder, package)
    newer = hall.reworked(package, "9.9.0")
    with recorded(disk, folder / "first") as root, Machine(root) as pi:
        pi.boot()
        started(pi)
        shutil.copy(newer, pi.root / "root")
        pi.done("systemctl", "stop", *SERVICES)
        pi.done("sync")
        pi.cut_power()
        subprocess.run(["sync", "--file-system", root], check=True)
        settled = image(root, folder / "settled")
    log = folder / "log"
    with recorded(settled, log) as root, Machine(root) as pi:
        pi.boot()
        until(lambda: pi.ready(*SERVICES))
        pi.done("env", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "apt-get", "install", f"/root/{newer.name}")
        pi.done("sync")
        most = count(log)
        pi.cut_power()
    return Recording(settled, log, most, out, folder)


def look(root: Path, out: Path) -> str:
    """The damage on a disk after a cut in its first start; "" if nothing is dead or lost."""
    boot, marks = root / "boot/firmware", root / MARKS
    secrets = tomllib.loads((out / "hall.toml").read_text("utf-8"))["secrets"]
    whole = text(marks / "whole")
    if whole and whole in text(boot / "meta-data"):
        if secrets["wifi"] not in text(root / NETPLAN):
            return "whole, and the network file is not"
        if text(root / "etc/hostname") != hostname(0) or "\nbunco:" not in text(root / "etc/passwd"):
            return "whole, and name or user is missing"
        if "bunco.home" not in text(root / "etc/NetworkManager/dnsmasq-shared.d/pi-bunco.conf"):
            return "whole, and the head's name is missing"
    elif secrets["wifi"] not in text(boot / "network-config"):
        return "the password of the Wi-Fi is on no card any more"
    given = handover.read(boot / "pi-bunco.toml")
    wanted = handover.read(out / "head/pi-bunco.toml")
    assert wanted is not None
    for name, content in wanted.files.items() if given is None else ():
        if (found := root / "etc/pi-bunco" / name).read_text() != content:
            return f"{found} is not what was taken"
    return installed(root)


def installed(root: Path) -> str:
    """The fault of a package that counts as installed, and will not be installed again."""
    asked = ["chroot", str(root), "dpkg-query", "--show", "--showformat=${Status}", "pi-bunco"]
    state = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
    if state != "install ok installed" or not (root / MARKS / "package").exists():
        return ""
    check = ["chroot", str(root), "/usr/bin/python3", "-c", CHECK]
    return subprocess.run(check, capture_output=True, text=True, check=False).stderr.strip()


def text(file: Path) -> str:
    return file.read_text("utf-8", "replace").strip() if file.exists() else ""


class Cut(Struct, frozen=True):
    """A cut after a number of writes; `why` is what is dead or lost once it was `booted`, or looked at."""

    what: str
    after: int
    booted: bool
    why: str
    then: str = ""


Look = Callable[[Path, int], str]
Boots = Callable[[Path, int], tuple[str, str]]
"""Returns what is dead or lost, and a word about how it went on."""


def boots(root: Path, _: int) -> tuple[str, str]:
    """Switches a Pi on after a cut; returns what is dead, and the version that it has."""
    with Machine(root) as pi:
        try:
            pi.boot()
            started(pi)
        except AssertionError as error:
            failed = pi.says("systemctl", "list-units", "--failed", "--no-legend")
            log = text(root / "boot/firmware/pi-bunco-first-start.log")
            return f"{error}: {failed} {log}", ""
        return "", pi.done("dpkg-query", "--show", "--showformat=${Version}", "pi-bunco")


class Cuts(Struct):
    """The number of cuts of each kind that are looked at, and of those among them that are booted as well."""

    offline: int
    booted: int
    random: Random

    def __call__(self, what: str, replay: Replay, places: range, look: Look, boots: Boots) -> Iterator[Cut]:
        """Cuts behind drawn numbers of writes; the later places of a replay have to be asked for later."""
        spread = sorted(self.random.sample(places, min(self.offline, len(places))))
        on = set(self.random.sample(spread, min(self.booted, len(spread))))
        for after in spread:
            with replay.cut(after, self.random) as root:
                yield Cut(what, after, False, look(root, after))
                if after in on:
                    why, then = boots(root, after)
                    yield Cut(what, after, True, why, then)


def updates(folder: Path, cuts: int, seed: int) -> Iterator[Cut]:
    """Cuts while a table takes a version that works, and then one that does not."""
    authority, random = certificates.made("home"), Random(seed)
    handed = [Handed(authority, one_module(folder, version)) for version in (NEWER, "99.2.0")]
    table(folder / "pi", authority)
    disk, log = image(folder / "pi", folder / "disk"), folder / "log"

    def took(root: Path, one: Handed) -> Path:
        system = System(root, Services(root, lambda version: version in ("", NEWER)).run, True)
        with contextlib.suppress(BuncoError):
            one.over(system)
        return system.places.versions

    with recorded(disk, log) as root:
        for one in handed:
            versions = took(root, one)
        right = tree(versions / NEWER)
        subprocess.run(["sync", "--file-system", root], check=True)
        most = count(log)
    replay = Replay(disk, log, most, folder / "replay")
    print(f"{len(replay.writes)} writes and flushes were recorded", flush=True)
    for after in sorted(random.choices(range(len(replay.writes) + 1), k=cuts)):
        with replay.cut(after, random) as root:
            versions = root / versions.relative_to(versions.parents[3])
            back(versions)
            now = runs(versions)
            whole = not now or (now == NEWER and tree(versions / NEWER) == right)
            for one in handed:
                took(root, one)
            why = "" if whole else f"{now} runs and is not whole"
            yield Cut(
                "update", after, False, why if runs(versions) == NEWER else f"ends with {runs(versions)!r}"
            )


def first_starts(folder: Path, what: str, cuts: Cuts) -> Iterator[Cut]:
    """Cuts of a first start, or of an upgrade by hand."""
    make: Callable[[Path, Path], Recording] = first_start if what == "start" else upgrade
    recording = make(folder, hall.package(folder / "package"))
    replay = Replay(recording.disk, recording.log, recording.most, folder / "replay")
    print(f"{len(replay.writes)} writes and flushes were recorded", flush=True)
    places = range(len(replay.writes) + 1)
    yield from cuts(what, replay, places, lambda root, _: look(root, recording.out), boots)


def main() -> int:
    """Counts what is dead."""
    from systemd import card

    parser = argparse.ArgumentParser(prog="systemd.cuts")
    parser.add_argument("what", choices=("start", "upgrade", "update", "life"))
    parser.add_argument("--image", type=Path, help="for life; without one it is built")
    parser.add_argument("--offline", type=int, default=1000, help="cuts to look at")
    parser.add_argument("--booted", type=int, default=60, help="how many of them are booted as well")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    found = []
    with tempfile.TemporaryDirectory(prefix="cuts-", ignore_cleanup_errors=True) as name:
        parts = len(card.LIFE) if options.what == "life" else 1
        numbers = Cuts(-(-options.offline // parts), -(-options.booted // parts), Random(options.seed))
        if options.what == "update":
            made = updates(Path(name), options.offline, options.seed)
        elif options.what == "life":
            made = card.life(Path(name), options.image or card.built(Path(name)), numbers)
        else:
            made = first_starts(Path(name), options.what, numbers)
        for cut in made:
            found.append(cut)
            if cut.why or cut.booted:
                print(cut, flush=True)
    for what in dict.fromkeys(cut.what for cut in found):
        booted = [cut for cut in found if cut.what == what and cut.booted]
        looked = [cut for cut in found if cut.what == what and not cut.booted]
        dead = {cut.after for cut in (*booted, *looked) if cut.why}
        print(f"{what}: {len(looked)} cuts, {len(booted)} of them booted, {len(dead)} dead or with a loss")
    return int(any(cut.why for cut in found))


if __name__ == "__main__":
    sys.exit(main())
