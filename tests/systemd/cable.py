"""Pis of one image on one cable, without a router, an internet, or anybody who types a command.

`PYTHONPATH=.:tests .venv/bin/python -m systemd.cable IMAGE` plugs in four Pis of an image of `systemd/image`
and has a host take three of them in, until the first bell.
"""

import argparse
import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Self, cast

from pi_bunco.devices.panel.keypad import EV_KEY, EVENT, keys
from pi_bunco.devices.protocols import Button
from pi_bunco.provision.system import HEAD, TABLE, WEB
from systemd import hall
from systemd.machine import Machine, until

CABLE, LAPTOP = f"bunco-{os.getpid()}", "10.43.255.250/16"
JOIN = "pi-bunco-join.service"
BOOT_AT, ROOT_AT = 4 << 20, 260 << 20
"""The places at which the partitions of the image begin, in bytes."""
SMART = """\
[Service]
ExecStart=
ExecStart=/usr/bin/pi-bunco table --data /var/lib/pi-bunco/table --dice smart --panel smart --lights virtual
"""
"""A container has no header: people without people play there."""


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


class Cable:
    """A switch in a network of its own, with the host's laptop at it."""

    def __enter__(self) -> Self:
        ip("netns", "add", CABLE)
        ip("-netns", CABLE, "link", "add", "switch", "type", "bridge")
        ip("-netns", CABLE, "address", "add", LAPTOP, "dev", "switch")
        ip("-netns", CABLE, "link", "set", "switch", "up")
        self._plugged: list[str] = []
        return self

    def __exit__(self, *_: object) -> None:
        for name in (*self._plugged, CABLE):
            subprocess.run(["ip", "netns", "delete", name], check=False)

    def plug(self, name: str) -> str:
        """The network of a Pi whose eth0 is at the switch."""
        space = f"{CABLE}-{name}"
        ip("netns", "add", space)
        self._plugged.append(space)
        ip(
            "link",
            "add",
            "name",
            "eth0",
            "netns",
            space,
            "type",
            "veth",
            "peer",
            "name",
            name,
            "netns",
            CABLE,
        )
        ip("-netns", CABLE, "link", "set", name, "master", "switch", "up")
        return space

    def unplug(self, name: str) -> None:
        """Takes the Pi's cable away, and with it the numbers that its container has."""
        space = f"{CABLE}-{name}"
        ip("netns", "delete", space)
        self._plugged.remove(space)


class Browser:
    """The browser of the host's laptop, which is at the cable too."""

    def __init__(self, head: str) -> None:
        self._head = head
        self._jar = Path(tempfile.mkstemp()[1])

    def page(self, path: str, **form: str) -> str:
        """The page, or what comes of a form; "" where nobody answers."""
        return self.file(path, **form).decode()

    def file(self, path: str, **form: str) -> bytes:
        """The same as bytes."""
        data = [word for item in form.items() for word in ("--data-urlencode", "=".join(item))]
        url, jar = f"https://{self._head}{path}", str(self._jar)
        command = ["curl", "-s", "-L", "--insecure", "--max-time", "20", "-b", jar, "-c", jar, *data, url]
        done = subprocess.run(["ip", "netns", "exec", CABLE, *command], capture_output=True, check=False)
        return done.stdout

    def tap(self, words: str, **form: str) -> str:
        """Answers a Pi with these words on its screen, or keys, as soon as the page shows them too."""
        until(lambda: words in self.page("/host/pis"))
        section = self.page("/host/pis").partition(words)[2]
        fields = {
            name: re.findall(rf'name="{name}"\s+value="([^"]+)"', section)[0] for name in ("csrf", "id")
        }
        return self.page("/host/pis", **fields, **form)

    def keys(self, words: str) -> str:
        """Says that the Pi with these words has no screen; the keys that are to be pressed there."""
        found = re.search(r"([A-Z]+(?:, [A-Z]+)+), OK", self.tap(words, keys="1"))
        assert found
        return found[1]


class Pad:
    """A number pad of a Pi that joins: a pipe that it reads as one."""

    def __init__(self, pi: Machine) -> None:
        self._pipe = pi.root / "srv/pad"
        os.mkfifo(self._pipe)
        lines = "[Service]", "ExecStart=", f"ExecStart={hall.BUNCO} join --panel keypad:/srv/pad"
        pi.write(f"etc/systemd/system/{JOIN}.d/pad.conf", "\n".join([*lines, ""]))

    def type(self, buttons: str) -> None:
        """Presses these, and OK, as fast as fingers can."""
        code = {button: number for number, button in keys().items()}
        with self._pipe.open("wb") as pad:
            for press, button in enumerate([*buttons.lower().split(", "), "ok"]):
                for down in (1, 0):
                    pad.write(
                        EVENT.pack(press, 0 if down else 100_000, EV_KEY, code[cast(Button, button)], down)
                    )


def words(pi: Machine) -> str:
    """The last two words on the screen of a Pi that asks; "" for none."""
    found = re.findall(r"^ +([A-Z]{3,} [A-Z]{3,})$", log(pi, JOIN), re.M)
    return found[-1].lower() if found else ""


def told(pi: Machine, name: str, said: str) -> bool:
    """True if the log of a unit has these words."""
    return said in log(pi, name)


def log(pi: Machine, name: str) -> str:
    """The log of a unit; "" of a Pi that starts just now."""
    return pi.says("journalctl", "--boot", "--output=cat", f"--unit={name}")


def tree(image: Path, root: Path) -> Path:
    """The root folder of an image with its boot partition in it, as a container can have it."""
    attach = ["losetup", "--find", "--show", "--read-only", f"--offset={ROOT_AT}", str(image)]
    loop = subprocess.run(attach, check=True, capture_output=True, text=True).stdout.strip()
    with tempfile.TemporaryDirectory() as name:
        try:
            subprocess.run(["mount", "-o", "ro,noload", loop, name], check=True)
            subprocess.run(["cp", "-a", name, root], check=True)
            subprocess.run(["umount", name], check=True)
        finally:
            subprocess.run(["losetup", "--detach", loop], check=True)
    boot = root / "boot/firmware"
    subprocess.run(["mcopy", "-s", "-n", "-i", f"{image}@@{BOOT_AT}", "::", boot], check=True)
    return contained(root)


def contained(root: Path) -> Path:
    """A container has no partitions, no header, no udevd that netplan could ask, and nobody who keeps veth
    cables from NetworkManager.
    """
    (root / "etc/fstab").write_text("")
    (root / "usr/local/bin/udevadm").symlink_to("/bin/true")
    (root / "etc/pi-bunco").mkdir(exist_ok=True)
    (root / "etc/pi-bunco/pi-bunco.toml").write_text('gpio = "mock"\n')
    hall.like_a_pi(Machine(root))
    drop_in = root / "etc/systemd/system/pi-bunco-table.service.d/people.conf"
    drop_in.parent.mkdir(exist_ok=True)
    drop_in.write_text(SMART)
    return root


@contextlib.contextmanager
def pi(made: Path, name: str, cable: Cable, join: str = "") -> Iterator[Machine]:
    """A Pi with the image that was `made`, not switched on; `join` is in its file pi-bunco-join."""
    root = made.parent / name
    subprocess.run(["cp", "-a", made, root], check=True)
    with Machine(root, cable.plug(name)) as machine:
        machine.write("boot/firmware/pi-bunco-join", join)
        yield machine
    shutil.rmtree(root, ignore_errors=True)


class Hall:
    """A hall whose head was made by the first Pi, and its host."""

    def __init__(self, head: Machine) -> None:
        self.head, self.browser = head, Browser("")
        until(self._in)

    def _in(self) -> bool:
        """True if the host is let in; the head's Pi starts once more after its first start."""
        ready = self.head.ready(HEAD, WEB)
        shown = self.head.says("ip", "-4", "-o", "address", "show", "eth0")
        kept = self.head.says("cat", "/var/lib/pi-bunco/hall/hall.toml")
        address, pin = re.search(r"inet ([0-9.]+)", shown), re.search(r'^pin = "(\d+)"', kept, re.M)
        if not ready or address is None or pin is None:
            return False
        self.browser = Browser(address[1])
        self.browser.page("/host/login", pin=pin[1])
        return "New Pis" in self.browser.page("/host/pis")


def first_bell(made: Path) -> None:
    """Prints how long it takes from the plug to the bell, with a host who taps at once."""
    begun = time.monotonic()

    def now(what: str) -> None:
        print(f"{time.monotonic() - begun:6.1f} s  {what}", flush=True)

    with Cable() as cable, contextlib.ExitStack() as plugged:
        head, *new = (
            plugged.enter_context(pi(made, name, cable, "head\n" if name == "pi1" else ""))
            for name in ("pi1", "pi2", "pi3", "pi4")
        )
        begun = time.monotonic()
        for one in (head, *new):
            one.switch_on()
        now("all four have power")
        host = Hall(head)
        now("the page is there; PIN from the screen")
        for number, one in enumerate(new, 2):
            until(partial(words, one))
            host.browser.tap(words(one), table=str(number), plays="gpio")
            now(f"tapped: table {number}")
        for one in new:
            until(partial(one.ready, TABLE))
        now("all tables are there")
        people = ",".join(f"{letter}{n}" for letter in "ABCD" for n in range(4))
        hall.host(head, "open", "--players", people)
        hall.host(head, "draw")
        until(lambda: head.run(hall.BUNCO, "host", "start").returncode == 0)
        now("the first round has begun")
        until(lambda: '"bell"' in "".join(hall.journaled(head)))
        now("the bell of the first round")


def main() -> int:
    """Runs it once."""
    parser = argparse.ArgumentParser(prog="systemd.cable")
    parser.add_argument("image", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cable-", ignore_cleanup_errors=True) as name:
        first_bell(tree(options.image, Path(name, "made")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
