"""A hall to measure in: the real programs, each a process, and one link that plays whoever is missing."""

import math
import os
import queue
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import IO, Any, Self

import paho.mqtt.client as mqtt
from msgspec import convert, json

from pi_bunco.game.facts import TableFact
from pi_bunco.runtime.clock import SystemClock
from pi_bunco.wire import broker, gate, messages, topics

from ._bare import BARE, link, part

WAIT = 60.0  # s; only a broken hall waits that long
CPU_CLOCK = 2  # <linux/posix-timers.h>: the time that all threads of a process were on a CPU
MISS = {"kind": "roll", "dice": (2, 3, 4), "source": "dice"}
BUNCO = {"kind": "roll", "dice": (1, 1, 1), "source": "dice"}  # in the first round of a set
FILTERS = ("+/down/answer", "+/down/ack", "+/down/clock", "all/+")  # nats grants no more than four
HEARD = ("answer", "ack", "clock", "bell", "head", "round")
AS_INSTALLED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""The environment of a program whose modules are compiled once, and not at each start."""
UNITS = Path(__file__).parents[2] / "systemd"
clock = SystemClock()


def unit(key: str, name: str = "web") -> list[str]:
    """The value of `key` in the unit of a service."""
    text = (UNITS / f"pi-bunco-{name}.service").read_text("utf-8")
    return re.findall(rf"(?m)^{key}=(.*)$", text)


def weighed(name: str) -> tuple[str, ...]:
    """Starts a program with a niceness that stands for the `CPUWeight` of a unit.

    Beside others it gives about the same part of a core.
    """
    return ("nice", "-n", f"{round(math.log(100 / int(unit('CPUWeight', name)[0]), 1.25))}")


def limited(name: str) -> tuple[str, ...]:
    """Starts a program with its unit's weight, environment and memory, and stacks as systemd leaves them."""
    memory = int(unit("LimitDATA", name)[0].removesuffix("M")) << 20
    limits = ("prlimit", f"--data={memory}", "--stack=8388608", "--")
    return ("env", *unit("Environment", name), *weighed(name), *limits)


class Program:
    """A Python program as a process, from its start to the line that says that it is ready.

    What it writes to standard error is appended to `log`, or read from `errors` where that is None.
    """

    def __init__(self, log: Path | None, *arguments: str, limits: tuple[str, ...] = ()) -> None:
        """`limits`: the command that starts it."""
        began = time.perf_counter()
        with open(log or "/dev/null", "ab") as file:
            self._process = subprocess.Popen(
                [*limits, sys.executable, *arguments],
                cwd=Path(__file__).parents[2],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=file if log else subprocess.PIPE,
                env=AS_INSTALLED,
                preexec_fn=broker.die_with_parent(),
            )
        if not self.output.readline().startswith(b"ready"):
            self.__exit__(None, None, None)
            raise RuntimeError(f"{' '.join(arguments)} does not start: {log.read_text() if log else ''}")
        self.started = time.perf_counter() - began
        """Seconds until it was ready."""

    @property
    def input(self) -> IO[bytes]:
        """Its standard input."""
        return _pipe(self._process.stdin)

    @property
    def output(self) -> IO[bytes]:
        """Its standard output."""
        return _pipe(self._process.stdout)

    @property
    def errors(self) -> IO[bytes]:
        """Its standard error."""
        return _pipe(self._process.stderr)

    @property
    def cpu(self) -> float:
        """Seconds of CPU time that it has taken."""
        return time.clock_gettime((~self._process.pid << 3) | CPU_CLOCK)

    @property
    def memory(self) -> float:
        """Its memory, libraries that it shares included (RSS, MB)."""
        return self._status("VmRSS") / 1000

    @property
    def share(self) -> float:
        """The same, of what several processes share its part alone (PSS, MB)."""
        lines = Path(f"/proc/{self._process.pid}/smaps_rollup").read_text("ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1000

    @property
    def threads(self) -> int:
        """Its threads."""
        return self._status("Threads")

    def _status(self, key: str) -> int:
        lines = Path(f"/proc/{self._process.pid}/status").read_text("ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(f"{key}:"))

    def kill(self) -> None:
        """Ends it as a power cut would."""
        self._process.kill()
        self.__exit__(None, None, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        process = self._process
        process.terminate()
        try:
            process.wait(WAIT)
        except subprocess.TimeoutExpired:  # it is slow, which is measured elsewhere
            process.kill()
            process.wait(WAIT)
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe:
                pipe.close()


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe
    return pipe


def service(
    name: str, folder: Path, address: str, *arguments: str, told: bool = False, limits: bool = False
) -> Program:
    """A service of pi-bunco with its files in `folder`, with the limits of its unit if it is to have them.

    `told`: its standard error is to be read.
    """
    common = "--config", "/dev/null", "--broker", address, "--data", str(folder)
    log = None if told else folder.with_suffix(".log")
    command = ("-m", "pi_bunco", name, *common, *arguments)
    return Program(log, *command, limits=limited(name) if limits else ())


class Hall:
    """A broker, a head process, a bare receiver, and a link (`cast`) that plays the host and tables."""

    def __init__(self, folder: Path, address: str, cast: "Cast", head: Program, bare: Program) -> None:
        self.folder = folder
        self.address = address
        self.cast = cast
        self.head = head
        self.receiver = bare
        self._bells = bells(folder).open("rb")

    def table(self, number: int) -> Program:
        """The service of a table, whose dice obey its standard input and whose lights are told."""
        folder = self.folder / f"table{number}"
        return service("table", folder, self.address, "--number", str(number), "--stdin", told=True)

    def bare(self, payload: bytes) -> float:
        """Publishes to the bare receiver: milliseconds until it has the message."""
        began = clock.now()
        self.cast.publish(BARE, payload, 1)
        return float(self.receiver.output.readline()) - began

    def ring(self, roll: bytes) -> float:
        """Publishes the roll of table 1 that rings: milliseconds until the relay has switched."""
        began = clock.now()
        self.cast.tell(1, roll)
        self.cast.bell()
        rang: float = json.decode(self._bells.read().splitlines()[-1])["t"]
        return rang - began

    def close(self) -> None:
        """Frees the file."""
        self._bells.close()


def bells(folder: Path) -> Path:
    """The file in which the head's virtual bell notes its rings."""
    return folder / "bells.jsonl"


@contextmanager
def hall(kind: broker.BrokerKind | None = None) -> Iterator[Hall]:
    """A running hall, on a broker of that kind."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        address = stack.enter_context(broker.start(folder / "broker", kind)).address
        cast = Cast(address)
        stack.callback(cast.close)
        bell = "--bell", f"virtual:{bells(folder)}", "--no-bell-limits"
        head = stack.enter_context(service("head", folder / "head", address, *bell))
        bare = stack.enter_context(Program(folder / "bare.log", "-m", "tests.bench._bare", address))
        cast.meet()
        made = Hall(folder, address, cast, head, bare)
        stack.callback(made.close)
        yield made


class Cast:
    """A bare link that plays the host and tables; on this broker every node may say everything."""

    def __init__(self, address: str) -> None:
        self.round: messages.RoundInfo | None = None
        self._said: dict[int, int] = {}
        self._received: dict[int, int] = {}
        self._asked = self._epoch = 0
        self._missing: tuple[int, ...] = ()
        self._ahead = 0.0
        self._heard: dict[str, queue.SimpleQueue[tuple[int, Any]]] = {
            leaf: queue.SimpleQueue() for leaf in HEARD
        }
        self._paho = link(address, self._take, *(f"bunco/v1/home/{one}" for one in FILTERS))

    def meet(self) -> None:
        """Waits until the head is there."""
        while self._next("head")[1].state != "online":
            pass

    def publish(self, topic: str, payload: bytes, qos: int = 0) -> None:
        """Publishes as any node."""
        self._paho.publish(topic, payload, qos)

    def tell(self, table: int, envelope: bytes) -> None:
        """A fact of a table."""
        self.publish(topics.up("home", f"table{table}", "fact"), envelope, 1)

    def say(self, table: int, leaf: str, message: messages.Payload) -> None:
        """Any other message of a table."""
        self.publish(topics.up("home", f"table{table}", leaf), gate.encode(message))

    def envelope(self, table: int, fact: dict[str, Any], round_: messages.RoundInfo | None = None) -> bytes:
        """The next fact of a table, made now in this round, or in the one that runs."""
        held = round_ or self.round
        assert held
        now, seq = clock.now(), self._said.get(table, 0) + 1
        self._said[table] = seq
        return gate.encode(
            messages.Envelope(
                1, held.evening, f"{held.evening}{table:02x}", seq, 1, held.epoch,
                max(int(now + self._ahead), 0), 1.0, int(now), clock.boot, convert(fact, TableFact),
            )
        )  # fmt: skip

    def facts(self, table: int) -> int:
        """The number of facts that were made for that table."""
        return self._said.get(table, 0)

    def do(self, command: str, **args: Any) -> None:
        """A host's command, which must succeed."""
        if why := self.ask(command, **args):
            raise RuntimeError(f"{command}: {' '.join(why)}")

    def ask(self, command: str, **args: Any) -> tuple[str, ...]:
        """A host's command; why it is refused, if so."""
        self._asked += 1
        told = messages.Command(f"k{self._asked}", command, args, "bench")
        self.publish(topics.up("home", "host-bench", "command"), gate.encode(told), 1)
        answer: messages.Answer = self._next("answer")[1]
        return answer.why

    def open(self, tables: int) -> None:
        """Opens an evening with `tables` tables in their seats, whose equipment nobody waits for."""
        players = [f"P{n}" for n in range(1, 4 * tables + 1)]
        self.do("evening_open", rules="bonko", players=players, replace=True)
        self.do("seats_draw")
        self._missing = tuple(range(1, tables + 1))
        self.say(1, "clock", messages.ClockRequest(0.0))
        told = self._next("clock")[1]
        self._ahead = told.t1 - told.began - clock.now()

    def start(self) -> None:
        """Starts a round."""
        self.do("round_start", bypass=self._missing)
        self._missing = ()
        while (told := self._next("round")[1]).phase != "open" or told.epoch == self._epoch:
            pass
        self.round, self._epoch = told, told.epoch

    def cancel(self) -> None:
        """The round never happened."""
        self.do("round_cancel")
        self.round = None

    def bell(self) -> None:
        """Waits for the bell that ends the round."""
        while self._next("bell")[1].signal != "end":
            pass

    def ack(self) -> tuple[int, messages.Ack]:
        """Waits for the next acknowledgement; of which table."""
        return self._next("ack")

    @property
    def under_way(self) -> int:
        """The number of facts that the head has not acknowledged yet."""
        return sum(self._said.values()) - sum(self._received.copy().values())

    def forget(self, leaf: str) -> None:
        """Drops the messages of this kind that came so far."""
        while not self._heard[leaf].empty():
            self._heard[leaf].get()

    def close(self) -> None:
        """Ends the link."""
        part(self._paho)

    def _next(self, leaf: str) -> tuple[int, Any]:
        return self._heard[leaf].get(timeout=WAIT)

    def _take(self, _paho: mqtt.Client, _data: object, message: mqtt.MQTTMessage) -> None:
        topic = topics.parse(message.topic)
        if heard := self._heard.get(topic.leaf):
            decoded = gate.decode(message.topic, bytes(message.payload), message.retain)
            if isinstance(decoded, messages.Ack):
                self._received[topic.table or 0] = decoded.received
            heard.put((topic.table or 0, decoded))
