"""The loop of a service: messages as they come, and a tick when time has passed."""

import asyncio
import contextlib
import queue
import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future
from math import inf
from typing import Any

import pytest

from clocks import FakeClock
from pi_bunco.runtime.loop import (
    BUSY_FOR_MS,
    IDLE_TICK_EVERY_MS,
    TICK_EVERY_MS,
    AsyncInbox,
    LoopInbox,
    Stop,
    Tick,
    accept_no_more,
    run,
)

END_MS = 2000.0


class Script(LoopInbox):
    """An inbox in which each message comes at its time, by a clock that jumps to what is next."""

    def __init__(self, clock: FakeClock, comes: dict[float, str]) -> None:
        super().__init__()
        self._clock = clock
        self._comes: list[tuple[float, Any]] = [*sorted(comes.items()), (END_MS, Stop())]

    def get(self, block: bool = True, timeout: float | None = None) -> object:
        """The next message, or after `timeout` seconds `queue.Empty`."""
        until = self._clock.time + (timeout or 0.0) * 1000
        if self._comes[0][0] > until:
            self._clock.time = until
            raise queue.Empty
        at, message = self._comes.pop(0)
        self._clock.time = max(at, self._clock.time)
        return message


def ticks(comes: dict[float, str], idle_tick_ms: float, *moments: float, takes: float = 0.0) -> list[float]:
    """The times of the ticks while these messages come and `moments` fall due; a tick takes `takes` ms."""
    clock, found = FakeClock(), list[float]()

    def step(message: object, now: float) -> list[None]:
        if isinstance(message, Tick):
            found.append(now)
            clock.advance(takes)
        return []

    def next_due() -> float:
        return min((at for at in moments if at > found[-1]), default=moments[-1] if moments else inf)

    run(Script(clock, comes), clock, step, lambda _: None, idle_tick_ms=idle_tick_ms, next_due=next_due)
    return found


def test_a_loop_ticks_at_one_pace_where_no_other_is_asked_for() -> None:
    found = ticks({130.0: "news"}, TICK_EVERY_MS)
    assert found == [TICK_EVERY_MS * n for n in range(len(found))]
    assert found[-1] == END_MS - TICK_EVERY_MS


def test_a_loop_to_which_nothing_comes_ticks_seldom() -> None:
    assert ticks({}, IDLE_TICK_EVERY_MS) == [IDLE_TICK_EVERY_MS * n for n in range(8)]


def test_loop_ticks_soon_and_often_after_a_message() -> None:
    found = ticks({600.0: "news"}, IDLE_TICK_EVERY_MS)
    busy = [at for at in found if 600 < at <= 600 + BUSY_FOR_MS]
    assert busy == [650, 700, 750]
    assert found[:3] == [0, 250, 500]
    assert found[6:] == [750 + IDLE_TICK_EVERY_MS * n for n in range(1, len(found) - 5)]


def test_an_idle_loop_ticks_when_something_falls_due() -> None:
    assert ticks({}, IDLE_TICK_EVERY_MS, 630.0, 1001.0)[2:7] == [500, 630, 880, 1001, 1251]


def test_a_busy_loop_ticks_when_something_falls_due() -> None:
    assert 677.0 in ticks({600.0: "news", 670.0: "more"}, IDLE_TICK_EVERY_MS, 677.0)


@pytest.mark.parametrize("moment", [-50.0, 0.0, 630.0])
def test_a_moment_that_is_past_costs_no_more_than_its_own_tick(moment: float) -> None:
    idle = len(ticks({}, IDLE_TICK_EVERY_MS))
    assert idle == 8
    assert len(ticks({}, IDLE_TICK_EVERY_MS, moment)) <= idle + 1


def test_work_due_during_a_tick_gets_the_next_tick_at_once() -> None:
    """Trace: the tick at 255 is done at 260, when 258 is over."""
    found = ticks({}, IDLE_TICK_EVERY_MS, 258.0, takes=5.0)
    assert found[:4] == [0, 255, 260, 515]


def running(inbox: LoopInbox, step: Callable[[object], None]) -> Future[None]:
    """A loop in a thread of its own, and what becomes of it."""
    end = Future[None]()

    def decided(message: object, _now: float) -> list[None]:
        if not isinstance(message, Tick):
            step(message)
        return []

    def work() -> None:
        try:
            run(inbox, FakeClock(), decided, lambda _: None)
        except RuntimeError as error:
            end.set_exception(error)
        else:
            end.set_result(None)

    threading.Thread(target=work, daemon=True).start()
    return end


def test_what_a_link_brings_is_decided_upon_in_its_own_thread_behind_what_came_before() -> None:
    inbox, decided = LoopInbox(), list[tuple[object, int]]()
    here, all_of_before = threading.get_ident(), threading.Event()

    def step(message: object) -> None:
        decided.append((message, threading.get_ident()))
        if message == "put":
            all_of_before.set()

    inbox.deliver("early")
    inbox.put("put")
    end = running(inbox, step)
    assert all_of_before.wait(PATIENCE)
    inbox.deliver("late")
    inbox.put(Stop())
    assert end.result(PATIENCE) is None
    inbox.deliver("too late")
    assert [message for message, _ in decided] == ["early", "put", "late"]
    assert [thread == here for _, thread in decided] == [False, False, True]


def test_a_link_waits_while_the_loop_decides() -> None:
    inbox, decided = LoopInbox(), list[object]()
    begun, go_on = threading.Event(), threading.Event()

    def step(message: object) -> None:
        if message == "slow":
            begun.set()
            assert go_on.wait(PATIENCE)
        decided.append(message)

    end = running(inbox, step)
    inbox.put("slow")
    assert begun.wait(PATIENCE)
    link = threading.Thread(target=inbox.deliver, args=("quick",), daemon=True)
    link.start()
    assert not decided
    go_on.set()
    link.join(PATIENCE)
    inbox.put(Stop())
    assert end.result(PATIENCE) is None
    assert decided == ["slow", "quick"]


def test_what_fails_in_the_thread_of_a_link_ends_the_loop() -> None:
    inbox, runs = LoopInbox(), threading.Event()

    def step(message: object) -> None:
        runs.set()
        if message == "boom":
            raise RuntimeError(message)

    inbox.put("put")
    end = running(inbox, step)
    assert runs.wait(PATIENCE)
    inbox.deliver("boom")
    assert str(end.exception(PATIENCE)) == "boom"


MOST = 3
PATIENCE = 60.0


class HeldLoop:
    """An event loop that takes nothing until it is told to; what waits for it is in `waiting`."""

    def __init__(self) -> None:
        self.waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.most = 0

    def call_soon_threadsafe(self, callback: Any, *args: Any) -> None:
        """Has it wait."""
        self.waiting.put((callback, args))
        self.most = max(self.most, self.waiting.qsize())

    def take(self) -> None:
        """Takes one, which comes now or soon."""
        callback, args = self.waiting.get(timeout=PATIENCE)
        callback(*args)


def held(most: int) -> tuple[AsyncInbox, HeldLoop, list[object]]:
    """An inbox with room for `most`, its loop, and what that took."""
    inbox, loop, taken = AsyncInbox(most), HeldLoop(), list[object]()
    into: Any = loop
    inbox.into(into, taken.append)
    return inbox, loop, taken


def delivers(inbox: AsyncInbox, count: int) -> threading.Thread:
    """A link that delivers as many messages, in a thread of its own."""

    def deliver() -> None:
        for n in range(count):
            inbox.deliver(n)

    link = threading.Thread(target=deliver, daemon=True)
    link.start()
    return link


def test_a_link_waits_for_a_loop_that_is_held_and_all_comes_in_order() -> None:
    inbox, loop, taken = held(MOST)
    link = delivers(inbox, 100)
    for n in range(100):
        assert link.is_alive() or n >= 100 - MOST
        loop.take()
    link.join(PATIENCE)
    assert taken == list(range(100))
    assert loop.most <= MOST


def test_what_a_link_tells_as_the_loop_begins_comes_behind_what_waited() -> None:
    """Trace: a link came while its service began: its first message overtook the word that it was there."""
    inbox, loop, taken = AsyncInbox(MOST), HeldLoop(), list[object]()
    link = threading.Thread(target=inbox.put, args=["its message"], daemon=True)
    soon = loop.call_soon_threadsafe

    def comes(callback: Any, *args: Any) -> None:
        if args == ("another",):
            link.start()
            link.join(0.05)
        soon(callback, *args)

    loop.call_soon_threadsafe = comes  # type: ignore[method-assign]
    for message in ("another", "the link is there"):
        inbox.put(message)
    into: Any = loop
    inbox.into(into, taken.append)
    link.join(PATIENCE)
    for _ in range(3):
        loop.take()
    assert taken == ["another", "the link is there", "its message"]


def test_a_stop_is_taken_although_the_inbox_of_a_link_is_full() -> None:
    inbox, loop, taken = held(MOST)
    link = delivers(inbox, MOST)
    link.join(PATIENCE)
    inbox.put(Stop())
    for _ in range(MOST + 1):
        loop.take()
    assert taken == [0, 1, 2, Stop()]


def test_a_link_does_not_wait_for_a_loop_that_has_ended() -> None:
    inbox, loop, _ = held(MOST)
    links = [delivers(inbox, 100), delivers(inbox, 100)]
    inbox.end()
    for link in links:
        link.join(PATIENCE)
        assert not link.is_alive()
    assert loop.most <= MOST


@pytest.mark.parametrize("rounds", range(6))
def test_who_comes_in_the_last_moment_has_somebody_who_closes_it(rounds: int) -> None:
    """One that was dropped is an unclosed socket, which is an error in every test."""
    served: list[asyncio.StreamWriter] = []

    async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        served.append(writer)

    async def ended_while_one_comes() -> socket.socket:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        link = socket.create_connection(server.sockets[0].getsockname())
        for _ in range(rounds):
            await asyncio.sleep(0)
        await accept_no_more(server.sockets)
        server.close()
        for writer in served:
            writer.transport.abort()
        await asyncio.sleep(0)
        return link

    with asyncio.run(ended_while_one_comes()) as link:
        link.setblocking(False)
        with contextlib.suppress(ConnectionError):
            assert link.recv(1) == b""
    assert served or rounds < 2
