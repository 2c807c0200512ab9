"""Dice at a real pseudo terminal: real bytes, real threads, and everything that a cable does."""

import os
import queue
import random
import select
import signal
import subprocess
import sys
import threading
import tty
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
import serial

from devices import simulated_box
from devices.simulated_box import Port, SimulatedBox, serve
from pi_bunco.devices.dice import serial as serial_dice
from pi_bunco.devices.dice.serial import SerialDice
from pi_bunco.devices.protocols import AllReported, DeviceEvent, DiceState, Throw, ThrowMark, ThrowVoid
from pi_bunco.runtime.clock import SystemClock

PATIENCE_S = 60


class Plug:
    """A simulated box that runs in a thread at the end of `path`."""

    def __init__(self, path: Path, resend_ms: float = 200, seed: int = 7) -> None:
        clock = SystemClock()
        self.port = Port(path)
        self._box = SimulatedBox(random.Random(seed), clock.now(), resend_ms=resend_ms)
        commands, self._commands = os.pipe()
        self._thread = threading.Thread(target=self._serve, args=(commands, clock))
        self._thread.start()

    def say(self, *commands: str) -> None:
        for command in commands:
            os.write(self._commands, f"{command}\n".encode())

    def close(self) -> None:
        os.close(self._commands)
        self._thread.join(PATIENCE_S)
        self.port.close()

    def _serve(self, commands: int, clock: SystemClock) -> None:
        with os.fdopen(commands):
            serve(self._box, self.port, commands, clock, sys.stderr)


class Host:
    """Serial dice whose events wait in a queue."""

    def __init__(self, path: Path | str, resume: ThrowMark | None = None, root: Path = Path("/")) -> None:
        self.events: queue.Queue[DeviceEvent] = queue.Queue()
        self.dice = SerialDice(str(path), self.events.put, SystemClock(), resume, root)
        self.dice.start()

    def next(self) -> Throw | ThrowVoid:
        while True:
            event = self.events.get(timeout=PATIENCE_S)
            if isinstance(event, Throw | ThrowVoid):
                return event

    def throw(self) -> Throw:
        event = self.next()
        assert isinstance(event, Throw), event
        return event

    def commit(self, throw: Throw) -> ThrowMark:
        assert throw.mark is not None
        self.dice.committed(*throw.mark)
        return throw.mark

    def await_dice(self) -> None:
        waiting = {1, 2, 3}
        while waiting:
            event = self.events.get(timeout=PATIENCE_S)
            if isinstance(event, DiceState) and event.state == "ok":
                waiting.discard(event.die)

    def close(self) -> None:
        self.dice.close()


class BadWire:
    """Copies bytes between a box's port and a port of its own, and damages one in a hundred."""

    def __init__(self, box: str, path: Path, seed: int) -> None:
        self._draw = random.Random(seed)
        self._port = Port(path)
        self._box = os.open(box, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        tty.setraw(self._box)
        self._end, self._stop = os.pipe()
        self._thread = threading.Thread(target=self._copy)
        self._thread.start()

    def close(self) -> None:
        os.close(self._stop)
        self._thread.join(PATIENCE_S)
        for file in (self._box, self._end):
            os.close(file)
        self._port.close()

    def _copy(self) -> None:
        other = {self._box: self._port.fd, self._port.fd: self._box}
        while True:
            ready, _, _ = select.select([*other, self._end], [], [])
            if self._end in ready:
                return
            for file in ready:
                os.write(other[file], bytes(map(self._damage, os.read(file, 4096))))

    def _damage(self, byte: int) -> int:
        return self._draw.randrange(256) if self._draw.random() < 0.01 else byte


@pytest.fixture
def link(tmp_path: Path) -> Path:
    return tmp_path / "dice"


@pytest.fixture
def plug(link: Path) -> Iterator[Plug]:
    with closing(Plug(link)) as plug:
        yield plug


def test_throws_arrive_with_their_times_and_marks(plug: Plug, link: Path) -> None:
    before = SystemClock().now()
    with closing(Host(link)) as host:
        host.await_dice()
        plug.say("roll 1 4 6")
        first = host.throw()
        plug.say("roll 2 2 2")
        second = host.throw()
    assert (first.faces, second.faces) == ((1, 4, 6), (2, 2, 2))
    assert first.mark is not None
    assert second.mark == ThrowMark(first.mark.boot, first.mark.seq + 6)
    assert before <= first.began <= first.settled <= second.began <= SystemClock().now()


@pytest.mark.parametrize("acknowledged", [True, False])
def test_a_host_that_restarts_in_a_throw_goes_on_at_its_mark(
    plug: Plug, link: Path, acknowledged: bool
) -> None:
    with closing(Host(link)) as host:
        plug.say("roll 1 1 2")
        throw = host.throw()
        assert throw.mark is not None
        if acknowledged:
            host.commit(throw)
        plug.say("tumble 1", "tumble 2", "tumble 3", "settle 3 6")
    with closing(Host(link, throw.mark)) as host:
        host.await_dice()
        plug.say("settle 1 4", "settle 2 5")
        again = host.throw()
    assert again.faces == (4, 5, 6)
    assert again.mark == ThrowMark(throw.mark.boot, throw.mark.seq + 6)


def test_a_cable_that_is_replugged_in_a_throw_costs_nothing(plug: Plug, link: Path) -> None:
    with closing(Host(link)) as host:
        host.await_dice()
        plug.say("tumble 1", "tumble 2", "tumble 3", "settle 1 2", "replug", "settle 2 3", "settle 3 4")
        assert host.throw().faces == (2, 3, 4)
        plug.say("replug", "roll 5 5 5")
        assert host.throw().faces == (5, 5, 5)


def test_a_box_that_is_plugged_in_late_is_found(link: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    complaints: queue.Queue[object] = queue.Queue()
    monkeypatch.setattr(serial_dice._log, "log", lambda level, text, *words: complaints.put(words[0]))
    with closing(Host(link)) as host:
        assert complaints.get(timeout=PATIENCE_S) == str(link)
        with closing(Plug(link)):
            host.await_dice()
            assert complaints.empty()
        assert complaints.get(timeout=PATIENCE_S) == str(link)
        assert host.dice.alive()
    assert not host.dice.alive()


def test_nobody_else_can_open_the_port(plug: Plug, link: Path) -> None:
    with closing(Host(link)) as host:
        host.await_dice()
        with pytest.raises(serial.SerialException):
            serial.Serial(str(link), exclusive=True)


def test_300_of_300_messages_arrive_once_and_in_order_through_a_bad_wire(tmp_path: Path) -> None:
    draw = random.Random(3)
    results = [(draw.randint(1, 6), draw.randint(1, 6), draw.randint(1, 6)) for _ in range(50)]
    got, marks = [], []
    with ExitStack() as stack:
        plug = stack.enter_context(closing(Plug(tmp_path / "box", resend_ms=10)))
        stack.enter_context(closing(BadWire(plug.port.path, tmp_path / "host", seed=5)))
        host = stack.enter_context(closing(Host(tmp_path / "host")))
        for one, two, three in results:
            plug.say(f"roll {one} {two} {three}")
            throw = host.throw()
            got.append(throw.faces)
            marks.append(host.commit(throw).seq)
        skipped = host.dice.skipped
        left = [event for event in iter_now(host.events) if isinstance(event, Throw | ThrowVoid)]
    assert got == results
    assert marks == list(range(6, 301, 6))
    assert left == []
    assert skipped > 0


def iter_now(events: "queue.Queue[DeviceEvent]") -> Iterator[DeviceEvent]:
    while not events.empty():
        yield events.get()


SIM = [sys.executable, "-m", "devices.simulated_box", "--tumble-ms", "0"]
TESTS = {**os.environ, "PYTHONPATH": str(Path(simulated_box.__file__).parents[1])}


def test_the_box_is_a_program(link: Path) -> None:
    with subprocess.Popen(
        [*SIM, "--link", str(link)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=TESTS,
    ) as sim:
        assert sim.stdin is not None
        assert sim.stdout is not None
        assert sim.stderr is not None
        path = sim.stdout.readline().strip()
        assert Path(path).is_char_device()
        assert link.resolve() == Path(path)
        with closing(Host(link)) as host:
            host.await_dice()
            sim.stdin.write("rol 1 4 6\nroll 1 4\nroll 1 4 6\n")
            sim.stdin.flush()
            assert host.throw().faces == (1, 4, 6)
        sim.stdin.close()
        complaints = sim.stderr.read().splitlines()
        assert sim.wait(PATIENCE_S) == 0
    assert len(complaints) == 2
    assert "'rol 1 4 6' is not understood" in complaints[0]
    assert "three faces from 1 to 6" in complaints[1]
    assert not link.is_symlink()


def test_the_program_ends_when_told_to(link: Path) -> None:
    with subprocess.Popen(
        [*SIM, "--link", str(link)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=TESTS
    ) as sim:
        assert sim.stdout is not None
        sim.stdout.readline()
        sim.send_signal(signal.SIGTERM)
        assert sim.wait(PATIENCE_S) == 0
    assert not link.is_symlink()


def test_two_boxes_each_keep_to_their_own_host(tmp_path: Path) -> None:
    with ExitStack() as stack:
        plugs = [stack.enter_context(closing(Plug(tmp_path / name))) for name in ("left", "right")]
        hosts = [stack.enter_context(closing(Host(tmp_path / name))) for name in ("left", "right")]
        for host in hosts:
            host.await_dice()
        plugs[1].say("roll 6 6 6")
        plugs[0].say("roll 1 2 3")
        assert [host.throw().faces for host in hosts] == [(1, 2, 3), (6, 6, 6)]


def test_another_device_at_the_port_is_no_dice_and_harms_nothing(link: Path) -> None:
    with closing(Port(link)) as other, closing(Host(link)) as host:
        select.select([other.fd], [], [], PATIENCE_S)
        assert os.read(other.fd, 64).startswith(b"$?*")
        other.write(b"$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47\r\n" * 20)
        states = {host.events.get(timeout=PATIENCE_S) for _ in range(3)}
        assert states == {DiceState(die, "unheard") for die in (1, 2, 3)}
        assert host.dice.skipped > 1000


def test_a_box_without_a_path_is_found_by_asking_and_again_at_another_socket(tmp_path: Path) -> None:
    ports = tmp_path / "dev/serial/by-id"
    ports.mkdir(parents=True)
    with closing(Port(ports / "a-receiver-of-something")), ExitStack() as stack:
        with closing(Plug(ports / "usb-box-0")) as plug:
            host = stack.enter_context(closing(Host("", root=tmp_path)))
            host.await_dice()
            plug.say("roll 1 2 3")
            assert host.commit(host.throw()).seq == 6
        again = stack.enter_context(closing(Plug(ports / "usb-box-1", seed=8)))
        again.say("roll 4 5 6")
        assert host.throw().faces == (4, 5, 6)


def test_over_a_bad_wire_all_that_was_thrown_before_a_moment_comes_before_its_word(
    plug: Plug, link: Path, tmp_path: Path
) -> None:
    worn = tmp_path / "worn"
    with closing(BadWire(plug.port.path, worn, 3)), closing(Host(worn)) as host:
        host.await_dice()
        for _ in range(10):
            plug.say("roll 1 4 6")
            said = SystemClock().now()
            host.dice.report_until(said + 1)  # the box may be a little late
            throws = 0
            while not isinstance(event := host.events.get(timeout=PATIENCE_S), AllReported):
                throws += isinstance(event, Throw | ThrowVoid)
                if isinstance(event, Throw):
                    host.commit(event)
                    assert event.err is not None
            assert event.at == said + 1
            late = throws == 0  # then it was thrown later
            if late:
                made = host.next()
                assert isinstance(made, ThrowVoid) or made.settled > said
