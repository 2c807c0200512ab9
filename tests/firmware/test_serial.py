"""The host's driver talks to the very firmware in the real interpreter, over a pseudo terminal."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, closing
from itertools import pairwise
from pathlib import Path

import pytest

from devices.simulated_box import Port
from devices.test_serial_dice import BadWire, Host
from firmware.toolchain import MICROPYTHON, PATIENCE_S, TESTS, environment
from pi_bunco.devices.protocols import DiceState, Throw, ThrowVoid
from thorough import times


class Pico:
    """A running dice box at a port, with somebody's finger at its button."""

    def __init__(self, port: Port) -> None:
        orders, self._orders = os.pipe()
        self._process = subprocess.Popen(
            [MICROPYTHON, "-m", "main"],
            stdin=port.fd,
            stdout=port.fd,
            stderr=subprocess.PIPE,
            pass_fds=(orders,),
            env={**environment(TESTS / "firmware" / "unix"), "BUTTON": f"/dev/fd/{orders}"},
            cwd=TESTS,
        )
        os.close(orders)

    def order(self, letter: str) -> None:
        """See `unix/board.py`."""
        os.write(self._orders, letter.encode())

    def off(self) -> str:
        """Waits for the end of a box that was ordered to end; returns what it wrote to standard error."""
        _, told = self._process.communicate(timeout=PATIENCE_S)
        return told.decode()

    def close(self) -> None:
        """Switches the box off, if it is still on."""
        os.close(self._orders)
        self._process.kill()
        self._process.wait(PATIENCE_S)
        if self._process.stderr is not None:
            self._process.stderr.close()


def reports(told: str) -> list[tuple[int, ...]]:
    """The throws that were told on the lines to the Pi."""
    words = [line.split() for line in told.splitlines()]
    assert [die for die, _ in words] == ["1", "2", "3"] * (len(words) // 3)
    faces = [int(face) for _, face in words]
    return list(zip(faces[::3], faces[1::3], faces[2::3], strict=True))


def throw(pico: Pico, host: Host, count: int) -> list[Throw]:
    """Makes `count` throws, each begun when the one before is stored."""
    made = []
    for _ in range(count):
        pico.order("r")
        made.append(host.throw())
        host.commit(made[-1])
    return made


def left(host: Host) -> list[Throw | ThrowVoid]:
    """The messages that the host has been told besides."""
    events = [host.events.get() for _ in range(host.events.qsize())]
    return [event for event in events if isinstance(event, Throw | ThrowVoid)]


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.mark.parametrize("bad", [False, True])
def test_throws_arrive_once_and_as_they_were_shown(tmp_path: Path, stack: ExitStack, bad: bool) -> None:
    port = stack.enter_context(closing(Port(tmp_path / "box")))
    pico = stack.enter_context(closing(Pico(port)))
    if bad:
        stack.enter_context(closing(BadWire(port.path, tmp_path / "host", seed=5)))
    host = stack.enter_context(closing(Host(tmp_path / ("host" if bad else "box"))))
    host.await_dice()
    made = throw(pico, host, count := times(300))
    pico.order("q")
    assert [one.faces for one in made] == reports(pico.off())
    assert [one.mark.seq for one in made if one.mark] == list(range(6, 6 * count + 1, 6))
    assert all(earlier.settled <= later.began for earlier, later in pairwise(made))
    assert left(host) == []
    assert not bad or host.dice.skipped > 0


def test_a_power_cut_in_a_throw_voids_it_and_the_next_counts(tmp_path: Path, stack: ExitStack) -> None:
    port = stack.enter_context(closing(Port(tmp_path / "box")))
    host = stack.enter_context(closing(Host(tmp_path / "box")))
    first = stack.enter_context(closing(Pico(port)))
    host.await_dice()
    before = throw(first, host, 1)
    first.order("c")
    assert reports(first.off()) == [before[0].faces]
    second = stack.enter_context(closing(Pico(port)))
    void = host.next()
    assert isinstance(void, ThrowVoid)
    assert "restarted" in void.why
    (after,) = throw(second, host, 1)
    assert before[0].mark
    assert after.mark
    assert before[0].mark.boot != after.mark.boot
    assert after.mark.seq == 6


def test_a_fault_reaches_the_host_for_every_die(tmp_path: Path, stack: ExitStack) -> None:
    port = stack.enter_context(closing(Port(tmp_path / "box")))
    host = stack.enter_context(closing(Host(tmp_path / "box")))
    pico = stack.enter_context(closing(Pico(port)))
    host.await_dice()
    pico.order("x")
    faulty: set[int] = set()
    while faulty != {1, 2, 3}:
        event = host.events.get(timeout=PATIENCE_S)
        if isinstance(event, DiceState) and event.state == "fault":
            faulty.add(event.die)
    assert "ValueError: broken by order" in pico.off()
