"""A provisioned hall whose broker really runs: the generated files, with paths and the port put elsewhere."""

import contextlib
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any, Self

from pi_bunco.provision import handover, seed
from pi_bunco.provision.handover import Handover
from pi_bunco.provision.plan import Plan
from pi_bunco.provision.provision import Made, provision
from pi_bunco.wire import broker as embedded
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.client import Received
from ports import free_port
from wire.nodes import WAIT, Node, node

HALL = "bunco/v1/home"
SEER = "seer"
"""An account of the tests' own that may read everything, so that what nobody hears is seen not to come."""
CHECKOUT = Path(__file__).parents[2]
VIRTUAL: dict[str, Any] = dict.fromkeys(("dice", "panel", "lights", "bell"), "virtual")


def provisioned(out: Path, replace: tuple[str, ...] = (), **asked: Any) -> Made:
    """A hall in the folder `out`, of seven tables if it is new; the same passwords in each test."""
    new = {} if (out / "hall.toml").exists() else {"tables": 7}
    return provision(out, new | asked, replace, Random("x".join(replace)))


def card(out: Path, name: str) -> Handover:
    """The handover of a Pi."""
    found = handover.read(out / name / "pi-bunco.toml")
    assert found is not None
    return found


def tree(out: Path) -> dict[str, bytes]:
    """All files below a folder but the cards' ids, which are new in each run."""
    found = [file for file in out.rglob("*") if file.is_file() and file.name != seed.META]
    return {str(file.relative_to(out)): file.read_bytes() for file in found}


class HallBroker:
    """Mosquitto with what the head's card has; `folder` stands for `/etc/pi-bunco` of the head's Pi."""

    def __init__(self, out: Path, folder: Path) -> None:
        self.out = out
        self.folder = folder
        self.port = free_port()
        self.take(card(out, "head"))
        config = self.placed((CHECKOUT / "systemd/mosquitto.conf").read_text("utf-8"))
        (folder / "mosquitto.conf").write_text(config + "user root\nlog_type information\n", "utf-8")
        with (folder / "broker/acl").open("a") as rules:
            rules.write(f"user {SEER}\ntopic read #\ntopic read $SYS/#\n")
        self._allow_the_seer()
        self.process = self._started()

    def placed(self, text: str) -> str:
        """The text with this machine's places for those of a Pi."""
        return (
            text.replace("/etc/pi-bunco", str(self.folder))
            .replace("/run/pi-bunco-broker", str(self.folder))
            .replace("listener 8883", f"listener {self.port} 127.0.0.1")
            .replace(Plan(1).address, f"127.0.0.1:{self.port}")
        )

    def take(self, given: Handover) -> None:
        """The files of a hand-over, as the Pi would put them."""
        for path, text in given.files.items():
            file = self.folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
            file.chmod(handover.mode(path) or 0)

    def _allow_the_seer(self) -> None:
        passwords = self.folder / "broker/passwd"
        subprocess.run(["mosquitto_passwd", "-b", str(passwords), SEER, SEER], check=True)

    def _started(self) -> "subprocess.Popen[bytes]":
        """Started as systemd does (Type=notify): returns when it says that it is ready."""
        program = embedded.mosquitto()
        assert program is not None
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told, self.log.open("ab") as log:
            told.bind(str(self.folder / "notify"))
            told.settimeout(WAIT)
            process = subprocess.Popen(
                [program, "-c", str(self.folder / "mosquitto.conf")],
                stderr=log,
                env=os.environ | {"NOTIFY_SOCKET": str(self.folder / "notify")},
            )
            assert b"READY=1" in told.recv(100)
        return process

    @property
    def log(self) -> Path:
        """The log of the broker."""
        return self.folder / "broker.log"

    def update(self) -> None:
        """The head takes its update, and systemd reloads the broker."""
        self.take(card(self.out, "head-update"))
        self._allow_the_seer()
        self.reload()

    def reload(self) -> None:
        """Has the broker read its files anew; whoever connects afterwards meets those."""
        before = self._reloads()
        self.process.send_signal(signal.SIGHUP)
        while self._reloads() == before:  # the test's bound ends a broker that hangs
            assert self.process.poll() is None

    def _reloads(self) -> int:
        return self.log.read_bytes().count(b"Reloading config.")

    def password(self, account: str) -> str:
        """The password of an account, as the Pi that has it was handed over."""
        if account == SEER:
            return SEER
        if (laptop := self.out / account / "password").exists():
            return laptop.read_text("utf-8").strip()
        owner = account if account.startswith("table") and account != "table1" else "head"
        files = card(self.out, owner).files
        return next(text.strip() for path, text in files.items() if path.endswith(f"/{account}"))

    def tls(self, account: str, /, **other: Any) -> BrokerAddress:
        """The way of a table to the broker, or one with something `other`."""
        usual = {"user": account, "password": self.password(account), "name": "pi-bunco-head"}
        files = {"ca": str(self.folder / "ca.pem")}
        return BrokerAddress.parse(f"127.0.0.1:{self.port}", **(usual | files | other))

    def unix(self, account: str, /, **other: Any) -> BrokerAddress:
        """The way of a service on the head's own Pi to the broker."""
        usual = {"user": account, "password": self.password(account)}
        return BrokerAddress.parse(f"unix:{self.folder}/mqtt.sock", **(usual | other))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()


@contextlib.contextmanager
def seer(broker: HallBroker, *subscriptions: str) -> Iterator[Node]:
    """Somebody who hears all that the broker lets through."""
    with node(broker.unix(SEER), SEER, *(subscriptions or ("#",))) as one:
        one.next()
        yield one


def until(one: Node, payload: bytes) -> list[Received]:
    """The messages before one with that payload; the link must stay all the while."""
    heard: list[Received] = []
    while True:
        event = one.next()
        assert isinstance(event, Received), event
        if event.payload == payload:
            return heard
        heard.append(event)


def sent(one: Node, topic: str, payload: bytes, retain: bool = False) -> None:
    """Publishes; that it left says nothing about whether the broker took it."""
    assert one.client.publish(f"{HALL}/{topic}", payload, qos=1, retain=retain)
