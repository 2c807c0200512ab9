"""Power cuts over what a Pi with the image goes through in its life, from replayed writes; see `cuts`.

The head's Pi makes its hall and takes another in; then its card brings a newer package, and one that is no
good. Both Pis run on recorded disks at one cable. A cut leaves nothing half: a disk has all that the other
side and the host were told, or its Pi begins anew by itself.
"""

import contextlib
import shutil
import subprocess
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from msgspec import Struct

from pi_bunco.enrol.protocol import password_hash
from pi_bunco.errors import BuncoError
from pi_bunco.provision import handover
from pi_bunco.provision.authority import hashes
from pi_bunco.provision.folder import Folder
from pi_bunco.provision.system import BROKER, TABLE
from systemd import cable, hall
from systemd.cable import Cable, Hall, told, words
from systemd.cuts import Cut, Cuts, installed
from systemd.fuse_disk import writes
from systemd.machine import CHECKOUT, Machine, until
from systemd.recorder import Replay, count, image, recorded

NODE = "table2"
CONFIG, STATE, CARD = Path("etc/pi-bunco"), Path("var/lib/pi-bunco"), Path("boot/firmware")
SECRET = CONFIG / f"secrets/table/{NODE}"
ACCOUNTS = CONFIG / "broker/passwd", CONFIG / "broker/joined"
HALL = STATE / "hall"
CARD_UNIT = "pi-bunco-card.service"
NEWER, NO_GOOD = "9.9.0", "9.9.1"
LIFE = "first start", "taking a Pi in", "joining", "upgrade", "fall-back"


class Recorded(Struct):
    """A Pi's disk before, the log of its writes, and its bytes by when something was promised."""

    disk: Path
    log: Path
    promised: dict[str, int] = {}

    def promise(self, what: str) -> None:
        """From now on it may not be lost."""
        self.promised.setdefault(what, count(self.log))

    def promised_before(self, what: str, after: int) -> bool:
        """True if it was promised before the cut behind that number of writes."""
        written = list(islice(writes(self.log, self.promised["end"]), after))
        return bool(written) and written[-1].at > self.promised[what]

    def until(self, what: str) -> int:
        """The number of writes up to that promise."""
        return sum(1 for _ in writes(self.log, self.promised[what]))


class Enrolment:
    """Two Pis with the image at a cable: the head runs, the other one is table 2 now, or was."""

    def __init__(self, folder: Path, img: Path, on: contextlib.ExitStack) -> None:
        made = cable.tree(img, folder / "made")
        self.head, self.table = self.recordings = [
            Recorded(self._disk(made, folder / name, join), folder / f"{name}.log")
            for name, join in (("pi1", "head\n"), ("pi2", ""))
        ]
        shutil.rmtree(made)
        switch = on.enter_context(Cable())
        self.roots = [on.enter_context(recorded(one.disk, one.log)) for one in self.recordings]
        self.network = switch.plug("pi2")
        self.heads_network = switch.plug("pi1")
        self.pi = on.enter_context(Machine(self.roots[0], self.heads_network))
        self.pi.switch_on()
        self.host = Hall(self.pi)
        self.head.promise("hall")
        with Machine(self.roots[1], self.network) as new:
            new.switch_on()
            self.joined(new)
            new.done("sync")
            self.table.promise("end")
            self.config = contents(self.roots[1], CONFIG)
        self.pi.done("sync")
        self.head.promise("end")
        self.hall = contents(self.roots[0], HALL)
        self._accounts = [(self.roots[0] / file, (self.roots[0] / file).read_text()) for file in ACCOUNTS]

    @staticmethod
    def _disk(made: Path, disk: Path, join: str) -> Path:
        (made / CARD / "pi-bunco-join").write_text(join)
        return image(made, disk)

    def joined(self, new: Machine) -> bool:
        """Waits until a Pi is table 2, with a tap if it asks for one; True if it did."""
        until(lambda: self._is_table(new) or words(new))
        asked = not self._is_table(new)
        if asked:
            self.host.browser.tap(words(new), table="2", plays="gpio")
            self.head.promise("account")
            until(lambda: self._is_table(new))
        assert self._has_account((new.root / SECRET).read_text().strip(), self.pi.root)
        return asked

    def _is_table(self, new: Machine) -> bool:
        return new.ready(TABLE) and told(new, TABLE, "ready: table 2")

    @staticmethod
    def _has_account(password: str, root: Path) -> bool:
        passwd, joined = ((root / file).read_text() if (root / file).exists() else "" for file in ACCOUNTS)
        found = hashes(passwd).get(NODE, "")
        salt = found.split("$")[3] if found.count("$") == 4 else ""
        return bool(salt) and found == password_hash(password, salt) and found in joined

    def look_at_table(self, root: Path, _: int) -> str:
        """The half-done part on the disk of a joining Pi; "" if it is a table, will be one, or asks anew."""
        kept, secret = root / STATE / "joined.toml", self.config[str(SECRET)].decode()
        try:
            given = handover.read(kept) if kept.exists() else None
        except (BuncoError, OSError) as error:
            return f"{kept.name}: {error}"
        if given is not None:
            return "" if given.files[str(SECRET.relative_to(CONFIG))] == secret else "another secret"
        now = contents(root, CONFIG)
        if (root / CONFIG / "role/table").exists() or kept.exists():
            return "" if now == self.config else f"half a table: {sorted(now.keys() ^ self.config.keys())}"
        return "a secret without a table" if str(SECRET) in now else ""

    def table_boots(self, root: Path, _: int) -> tuple[str, str]:
        """Switches the Pi on that joined; it is table 2 in the end, after at most one more tap."""
        with Machine(root, self.network) as pi:
            pi.switch_on()
            try:
                tapped = self.joined(pi)
            except AssertionError as error:
                return f"{error}: {cable.log(pi, cable.JOIN)[-500:]}", ""
        for file, text in self._accounts:  # of the recording, for the next cut
            file.write_text(text)
        self.pi.done("systemctl", "reload", BROKER)
        return "", "tapped once more" if tapped else "by itself"

    def look_at_head(self, root: Path, after: int) -> str:
        """The loss on the head's disk after a cut; "" if nothing."""
        try:
            Folder(root / HALL).kept()
        except BuncoError as error:
            return str(error)
        if self.head.promised_before("hall", after) and contents(root, HALL) != self.hall:
            return "the hall that its host has seen is another"
        secret = self.config[str(SECRET)].decode().strip()
        if self.head.promised_before("account", after) and not self._has_account(secret, root):
            return "a Pi was told that it is a table, and has no account"
        return ""

    def head_boots(self, root: Path, after: int) -> tuple[str, str]:
        """Switches the head's Pi on; its host is let in."""
        with Machine(root, self.heads_network) as pi:
            pi.switch_on()
            try:
                Hall(pi)
                until(lambda: pi.ready(*hall.SERVICES))
            except AssertionError as error:
                return f"{error}: {cable.log(pi, 'pi-bunco-begin.service')[-500:]}", ""
            return self.look_at_head(pi.root, after), "its host is let in"


def contents(root: Path, folder: Path) -> dict[str, bytes]:
    """All files below a folder."""
    files = (file for file in (root / folder).rglob("*") if file.is_file())
    return {str(file.relative_to(root)): file.read_bytes() for file in files}


class Upgrade:
    """The head's Pi, whose card brings a newer package, and then one that is no good; an evening is open."""

    def __init__(self, folder: Path, disk: Path, package: Path, network: str, facts: list[str]) -> None:
        self.network, self.facts = network, facts
        self.recording = Recorded(disk, folder / "upgrade.log")
        self.before = hall.version_of(package)
        with recorded(disk, self.recording.log) as root:
            self.hall = contents(root, HALL)
            with Machine(root, self.network) as pi:
                put_on_card(root, hall.reworked(package, NEWER))
                self._goes_on(pi, NEWER)
                self.recording.promise("newer")
            with Machine(root, self.network) as pi:
                put_on_card(root, hall.reworked(package, NO_GOOD, {"DEBIAN/postinst": "exit 1"}))
                self._goes_on(pi, NEWER)
                assert "the one of before goes on" in (root / CARD / "pi-bunco-first-start.log").read_text()
                pi.done("sync")
                self.recording.promise("end")

    def _goes_on(self, pi: Machine, *versions: str) -> str:
        """The version that a Pi ends with when it is switched on."""
        pi.switch_on()
        until(lambda: pi.ready(*hall.SERVICES) and installed_version(pi) in versions)
        until(lambda: pi.says("systemctl", "is-active", CARD_UNIT) in ("inactive", "failed"))
        return installed_version(pi)

    def look(self, root: Path, _: int) -> str:
        """The loss on the disk, or a half of something there; "" if nothing."""
        return installed(root) or ("" if contents(root, HALL) == self.hall else "the hall is another")

    def boots(self, root: Path, after: int) -> tuple[str, str]:
        """Switches the Pi on after a cut; all services run, and the evening is as it was."""
        newer = self.recording.promised_before("newer", after)
        with Machine(root, self.network) as pi:
            try:
                version = self._goes_on(pi, *(() if newer else (self.before,)), NEWER)
            except AssertionError as error:
                return f"{error}: {cable.log(pi, CARD_UNIT)[-500:]}", ""
            lost = set(self.facts) - set(hall.journaled(pi))
            return f"{len(lost)} facts are lost" if lost else self.look(root, after), version


def put_on_card(root: Path, package: Path) -> None:
    """As a laptop does it, which ejects the card then."""
    (root / CARD / "pi-bunco").mkdir(exist_ok=True)
    shutil.copy(package, root / CARD / "pi-bunco")
    subprocess.run(["sync", "--file-system", root], check=True)


def installed_version(pi: Machine) -> str:
    return pi.says("dpkg-query", "--show", "--showformat=${Version}", "pi-bunco")


def replayed(name: str, one: Recorded, folder: Path) -> Replay:
    replay = Replay(one.disk, one.log, one.promised["end"], folder / f"replay-{name}")
    print(f"{name}: {len(replay.writes)} writes and flushes were recorded", flush=True)
    return replay


def built(folder: Path) -> Path:
    """The image of this checkout; it takes some minutes."""
    image = folder / "image"
    subprocess.run([CHECKOUT / "systemd/image", image], check=True, stdout=subprocess.DEVNULL)
    return image


def life(folder: Path, img: Path, cuts: Cuts) -> Iterator[Cut]:
    """Cuts of each part of a life."""
    first, taking, joining, upgraded, back = LIFE
    with contextlib.ExitStack() as on:
        both = Enrolment(folder, img, on)
        table = replayed("table", both.table, folder)
        places = range(len(table.writes) + 1)
        yield from cuts(joining, table, places, both.look_at_table, both.table_boots)
        hall.host(both.pi, "open", "--players", hall.PEOPLE)
        hall.host(both.pi, "draw")
        facts = hall.journaled(both.pi)
        both.pi.done("sync")
        both.pi.cut_power()
        settled = image(both.pi.root, folder / "settled")
        head = replayed("head", both.head, folder)
        made, end = both.head.until("hall"), len(head.writes) + 1
        for what, places in ((first, range(made)), (taking, range(made, end))):
            yield from cuts(what, head, places, both.look_at_head, both.head_boots)
        upgrade = Upgrade(folder, settled, hall.package(folder / "package"), both.heads_network, facts)
        replay = replayed("upgrade", upgrade.recording, folder)
        newer, end = upgrade.recording.until("newer"), len(replay.writes) + 1
        for what, places in ((upgraded, range(newer)), (back, range(newer, end))):
            yield from cuts(what, replay, places, upgrade.look, upgrade.boots)
