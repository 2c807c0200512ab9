"""Attacks on a provisioned broker, by everybody who has an account there, had one, or has none."""

import contextlib
import os
import queue
import random
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.messages import CHANNELS
from provision.halls import HALL, SEER, VIRTUAL, HallBroker, provisioned

from ._intruder import Intruder, handshake, hello, intruder, secured
from ._tally import Tally

NODES = ("head", "web", "probe", "host-cli", "host-ann", "table1", "table2", "table7")
"""The accounts that are tried, all of one hall."""
STRANGE = (
    "bunco/v1/other/table7/up/fact",
    "bunco/v1/other/all/bell",
    "bunco/v2/home/all/bell",
    "anything",
    "/",
    "$SYS/broker/version",
    "$CONTROL/dynamic-security/v1",
    f"{HALL}/table7/up/fact/more",
    f"{HALL}/all/bell/x",
    f"{HALL}/nobody/up/command",
    f"{HALL}/table77/up/fact",
    f"{HALL}/all",
    f"{HALL}/host-/up/command",
)
UP = tuple(one.leaf for one in CHANNELS if one.direction == "up")
DOWN = tuple(one.leaf for one in CHANNELS if one.direction == "down")
ALL = tuple(one.leaf for one in CHANNELS if one.direction == "all")
TOPICS = (
    *(f"{HALL}/{node}/up/{leaf}" for node in NODES for leaf in (*UP, "other")),
    *(f"{HALL}/{node}/down/{leaf}" for node in NODES for leaf in (*DOWN, "other")),
    *(f"{HALL}/all/{leaf}" for leaf in (*ALL, "other")),
    *STRANGE,
)
PLACES = (
    "#",
    "+/#",
    "$SYS/#",
    "+/+",
    "bunco/#",
    "bunco/+/+/+/+/+",
    "bunco/v1/+/all/+",
    f"{HALL}/#",
    f"{HALL}/+/up/+",
    f"{HALL}/+/up/command",
    f"{HALL}/+/down/+",
    f"{HALL}/table2/#",
    f"{HALL}/head/down/answer",
    f"{HALL}/+/+/view",
    f"$share/us/{HALL}/table2/down/+",
    f"{HALL}/host-cli/up/command",
    f"{HALL}/web/down/answer",
)
OLD = (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1)
LARGE = 600 * 1024
SILENT = """
import contextlib, socket, sys
held = []
for _ in range(int(sys.argv[2])):
    with contextlib.suppress(OSError):
        held.append(socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5))
print("connected", flush=True)
sys.stdin.read()
"""
TRIES = 3
"""A head that is not answered tries again, like every service."""
FILLED = 32 * 2**20
"""Bytes: half of what the broker may have."""


def may_write(account: str, topic: str) -> bool:
    """True if wire/README.md allows it, said in other words than the broker's."""
    if account == "head":
        return topic.startswith(f"{HALL}/")
    leaves = ("command",) if account == "probe" else UP
    return topic in {f"{HALL}/{account}/up/{leaf}" for leaf in leaves}


def may_read(account: str, topic: str) -> bool:
    """As `may_write`."""
    own = topic.startswith((f"{HALL}/{account}/down/", f"{HALL}/all/")) or topic == f"{HALL}/all"
    status = topic == f"{HALL}/{account}/up/status" and account != "probe"
    watched = account == "web" and topic.startswith(f"{HALL}/") and topic.endswith(("/up/status", "/up/beat"))
    return account == "head" or own or status or watched


class Siege:
    """A hall's broker under attack; `watch` hears all that it lets through."""

    def __init__(self, folder: Path, tally: Tally) -> None:
        provisioned(folder / "out", hosts=("ann",), **VIRTUAL)
        self.stolen = ""
        self.broker = HallBroker(folder / "out", folder / "etc")
        self.stolen = self.broker.password("table6")
        self.tally = tally
        self.watch = Intruder(self.broker.unix(SEER))
        self.watch.ask("#")

    def way(self, account: str) -> BrokerAddress:
        """By the socket for those on the head's Pi, and by TLS for all others."""
        inside = account in ("head", "web", "probe", "host-cli")
        return self.broker.unix(account) if inside else self.broker.tls(account)

    def let_through(self, end: bytes) -> list[tuple[str, bytes]]:
        """Messages that the broker let through before one of the watch's own kind, sent by the head."""
        with intruder(self.broker.unix("head")) as head:
            head.flush([head.say(f"{HALL}/all/other", end)])
        found = []
        while (one := self.watch.heard.get(timeout=60.0))[1] != end:
            found.append(one)
        return found

    def close(self) -> None:
        """The end."""
        self.watch.leave()
        with contextlib.suppress(ProcessLookupError):
            self.broker.__exit__(None, None, None)


@contextlib.contextmanager
def siege(folder: Path, tally: Tally) -> Iterator[Siege]:
    """A broker that is attacked, and ended at the end."""
    one = Siege(folder, tally)
    try:
        yield one
    finally:
        one.close()


def everything_is_said(at: Siege) -> None:
    """Every account says something on every topic, kept by the broker or not, in both versions of MQTT."""
    for account in NODES:
        for kept in (False, True):
            _says_all(at, account, kept, five=kept)
    _forget(at)


def _says_all(at: Siege, account: str, kept: bool, five: bool) -> None:
    kind = f"{'kept ' if kept else ''}message of {'an account' if account != 'head' else 'the head'}"
    with intruder(at.way(account), five=five) as one:
        one.flush([one.say(topic, f"{account} {topic}".encode(), kept) for topic in TOPICS])
    came = {payload.decode() for _, payload in at.let_through(b"said")}
    for topic in TOPICS:
        wanted, got = may_write(account, topic), f"{account} {topic}" in came
        at.tally.note(kind, got and not wanted, f"{account} wrote {topic}")
        if wanted and not got:
            at.tally.note("right that must work", True, f"{account} could not write {topic}")


def _forget(at: Siege) -> None:
    with intruder(at.broker.unix("head")) as head:
        head.flush([head.say(topic, b"", True) for topic in TOPICS if topic.startswith(f"{HALL}/")])
    at.let_through(b"forgotten")


def everything_is_asked_for(at: Siege) -> None:
    """Every account listens everywhere, while the head says something on every topic."""
    for account in (name for name in NODES if name != "head"):
        with intruder(at.way(account)) as one, intruder(at.broker.unix("head")) as head:
            one.ask(*PLACES, *TOPICS)
            said = [topic for topic in TOPICS if topic.startswith(f"{HALL}/")]
            head.flush([head.say(topic, topic.encode()) for topic in said])
            own = f"{HALL}/{account}/down/other"
            head.flush([head.say(own, b"last")])
            came = []
            while (heard := one.heard.get(timeout=60.0)) != (own, b"last"):
                came.append(heard[0])
        at.tally.many("subscription of an account", len(PLACES) + len(TOPICS) - len(came))
        for topic in came:
            at.tally.note(
                "subscription of an account", not may_read(account, topic), f"{account} read {topic}"
            )
        if missing := {topic for topic in said if may_read(account, topic)} - set(came):
            at.tally.note("right that must work", True, f"{account} did not hear {sorted(missing)[:3]}")
    at.let_through(b"asked")


def wills_are_left(at: Siege) -> None:
    """Every account dies with a will on every topic that is not its own."""
    for account in (name for name in NODES if name != "head"):
        others = [topic for topic in TOPICS if not may_write(account, topic) and not topic.startswith("$")]
        for topic in others[:: 15 if account != "table7" else 3]:
            with contextlib.suppress(Exception):
                Intruder(at.way(account), will=topic).break_off()
            at.tally.many("will on a topic of others", 1)
    for topic, payload in at.let_through(b"died"):
        if payload == b"will":
            at.tally.note("will on a topic of others", True, f"a will came on {topic}")


def nobody_gets_in(at: Siege) -> None:
    """No password, a wrong one, that of another, that of a card that is shut out; no TLS, or an old one."""
    words = ["", "x", "head", at.broker.password("table7"), at.broker.password("probe")]
    tries: list[tuple[str | None, str | None]] = [(None, None)]
    tries += [
        (account, word)
        for account in (*NODES, "root", "table8", "+", "#", "%u", "host-bob")
        for word in words
    ]
    for user, word in tries:
        if user in NODES and word == at.broker.password(user):
            continue
        for place in (
            at.broker.tls("table7", user=user, password=word),
            at.broker.unix("head", user=user, password=word),
        ):
            with intruder(place) as one:
                at.tally.note("login without the password", one.inside, f"{user} with {word!r}")
    provisioned(at.broker.out, ("6",))
    at.broker.update()
    for _ in range(5):
        with intruder(at.broker.tls("table6", password=at.stolen)) as one:
            at.tally.note("login with a revoked password", one.inside, "table6")
    for version in OLD:
        taken = handshake(at.broker.port, str(at.broker.folder / "ca.pem"), version)
        at.tally.note("old TLS", taken, version.name)
    with intruder(at.broker.tls("table7", ca=None, name=None)) as bare:
        at.tally.note("no TLS", bare.inside, "the port for tables")
    at.let_through(b"in")


def ids_are_stolen(at: Siege) -> None:
    """A client asks for another's id, by which it would throw that one out."""
    with intruder(at.broker.unix("head")) as head, intruder(at.broker.tls("table2")) as two:
        for account in ("table7", "host-ann", "web", "probe", "host-cli"):
            for id in ("head", "table2", "home-head", "home-table2", SEER):
                with intruder(at.way(account), id=id):
                    pass
                out = head.thrown_out or two.thrown_out or at.watch.thrown_out
                at.tally.note("id of another", out, f"{account} as {id}")
        head.flush([head.say(f"{HALL}/table2/down/other", b"there")])
    at.let_through(b"stolen")


def rubbish_is_sent(at: Siege, count: int, seed: int) -> None:
    """Packets that are none, before and after the login; the broker, and whoever is there, must stay."""
    chance = random.Random(seed)
    ca, connect = str(at.broker.folder / "ca.pem"), hello(at.broker.tls("table7"))
    with intruder(at.broker.unix("head")) as head, intruder(at.broker.tls("table2")) as two:
        for number in range(count):
            with contextlib.suppress(OSError), secured(at.broker.port, ca) as link:
                if number % 2:
                    link.sendall(connect)
                    link.recv(4)
                link.sendall(_rubbish(chance, connect))
        with contextlib.suppress(OSError):
            for _ in range(count):
                with socket.create_connection(("127.0.0.1", at.broker.port), 60) as bare:
                    bare.sendall(chance.randbytes(chance.randrange(1, 400)))
        at.tally.many("malformed packet", 2 * count)
        left = at.broker.process.poll() is not None or head.thrown_out or two.thrown_out
        at.tally.note("malformed packet", left, "the broker or a bystander has gone")
    at.let_through(b"rubbish")


def _rubbish(chance: random.Random, connect: bytes) -> bytes:
    kind = chance.randrange(6)
    if kind == 0:
        return chance.randbytes(chance.randrange(1, 600))
    if kind == 1:  # a length of up to 256 MB that never comes
        return bytes([chance.randrange(256), 0xFF, 0xFF, 0xFF, 0x7F]) + chance.randbytes(50)
    if kind == 2:
        return bytes([chance.randrange(256), chance.randrange(128)]) + chance.randbytes(chance.randrange(130))
    changed = bytearray(connect)
    for _ in range(chance.randrange(1, 5)):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed) if kind < 5 else bytes(changed) * chance.randrange(1, 20)


def memory_is_filled(at: Siege, messages: int) -> None:
    """A stolen card keeps as much at the broker as it can, and says what is too large."""
    before = _resident(at)
    with intruder(at.broker.unix("head")) as head, intruder(at.broker.tls("table7")) as thief:
        sent = [thief.say(f"{HALL}/table7/up/{n}", b"x" * 8192, True) for n in range(messages)]
        sent += [thief.say(f"{HALL}/table7/up/{leaf}", b"x" * LARGE, True) for leaf in ("log",)]
        at.tally.note("too large a message", not thief.gone(), "the link stayed")
        at.tally.note("too large a message", head.thrown_out, "the head was thrown out")
        del sent
    kept = [one for one in at.let_through(b"filled") if one[0].startswith(f"{HALL}/table7/up/")]
    at.tally.many("kept message to fill the memory", messages)
    grown = _resident(at) - before
    at.tally.note(
        "kept message to fill the memory", bool(kept) or grown > FILLED, f"{len(kept)}, {grown} bytes"
    )


def _resident(at: Siege) -> int:
    fields = Path(f"/proc/{at.broker.process.pid}/statm").read_text().split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")


def _comes_in(address: BrokerAddress) -> bool:
    with contextlib.suppress(queue.Empty), intruder(address) as one:
        return one.inside
    return False


def doors_are_blocked(at: Siege, count: int) -> None:
    """Connections that say nothing; who is in stays in, and the head comes in by its own door."""
    with intruder(at.broker.tls("table2")) as two, _crowd(at.broker.port, count):
        at.tally.many("connection that says nothing", count)
        came = any(_comes_in(at.broker.unix("head")) for _ in range(TRIES))
        at.tally.note("connection that says nothing", not came, "the head was kept out")
        at.tally.note("connection that says nothing", two.thrown_out, "a table was thrown out")
    at.let_through(b"blocked")


@contextlib.contextmanager
def _crowd(port: int, count: int) -> Iterator[None]:
    """Keeps `count` connections of a process of its own: paho's select(2) takes no file above 1,023."""
    command = [sys.executable, "-c", SILENT, str(port), str(count)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as crowd:
        assert crowd.stdout is not None
        assert crowd.stdout.readline() == b"connected\n"
        yield
        crowd.kill()
