"""A night by the clock at 363 tables, each on a link of its own: how far apart they hear starts and ends.

`python -m tests.bench.conductor N` for another number of tables.
"""

import selectors
import sys
import time
from collections.abc import Callable, Iterator
from itertools import pairwise

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from pi_bunco.wire import gate, messages, topics

from . import Figure, spread
from ._hall import WAIT, clock, hall
from ._show import show

TABLES = 363
ROUNDS = 6
PHASE_S = 10
"""Seconds of a round and from its bell to the next start: the shortest that a host may choose."""
QUIET_S = 0.001
"""Seconds without a message for another table after which all are read."""
BELL = topics.everyone("home", "bell")


def rows(_repeats: int, tables: int = TABLES) -> Iterator[Figure]:
    """The benchmarks of the conductor."""
    times: dict[str, list[list[float]]] = {"start": [], "end": []}
    with hall() as one:
        one.cast.open(tables)
        listening = Tables(one.address, tables)
        one.cast.do("pace", play_s=PHASE_S, move_s=PHASE_S, warn_s=0, wait_s=0)
        for _ in range(ROUNDS):
            times["start"].append(listening.hear("start"))
            times["end"].append(listening.hear("end"))
            for number in range(1, tables + 1):
                one.cast.do("decide", table=number, winner="US")
        listening.close()
    for signal, rounds in times.items():
        apart = spread([came - min(heard) for heard in rounds for came in heard])
        firsts = [min(heard) for heard in rounds]
        took = [later - earlier for earlier, later in pairwise(firsts)]
        off = max((abs(one - 2000 * PHASE_S) for one in took), default=0.0)
        what = f"{tables} tables, {signal} of {len(rounds)} rounds by the clock"
        yield Figure(f"{what}: behind the first table, median", apart.median, "ms")
        yield Figure(f"{what}: behind the first table, p99", apart.p99, "ms", most=50.0)
        yield Figure(f"{what}: most that two are apart beside {2 * PHASE_S} s", off, "ms")


class Tables:
    """The links of tables to the broker, all read by whoever waits for a signal."""

    def __init__(self, address: str, count: int) -> None:
        host, _, port = address.rpartition(":")
        self._sockets = selectors.DefaultSelector()
        self._heard: dict[str, list[float]] = {"start": [], "end": []}
        self._granted = 0
        self._came = 0.0
        self._links = [self._link(host, int(port)) for _ in range(count)]
        self._read(lambda: self._granted == count)

    def hear(self, signal: str) -> list[float]:
        """Times at which the tables hear the next signal of that kind (ms)."""
        self._read(lambda: len(self._heard[signal]) >= len(self._links))
        heard, self._heard[signal] = self._heard[signal], []
        return heard

    def _read(self, done: Callable[[], bool]) -> None:
        """Reads until it is done; what comes at once is noted first and read then, which takes its time."""
        end = time.monotonic() + WAIT
        while not done():
            assert time.monotonic() < end, "not every table has heard it"
            came: dict[mqtt.Client, float] = {}
            ready = self._sockets.select(1.0)
            while len(came) < len(ready):
                now = clock.now()
                came = {key.data: now for key, _ in ready} | came
                time.sleep(QUIET_S)
                ready = self._sockets.select(0)
            for link, self._came in came.items():
                link.loop_read()
                link.loop_write()

    def close(self) -> None:
        """Ends all links."""
        for link in self._links:
            link.disconnect()
        self._sockets.close()

    def _link(self, host: str, port: int) -> mqtt.Client:
        link = mqtt.Client(CallbackAPIVersion.VERSION2)
        link.on_connect = lambda link, *_: link.subscribe(BELL)
        link.on_subscribe = self._grant
        link.on_message = self._take
        link.connect(host, port, keepalive=600)
        opened = link.socket()
        assert opened
        self._sockets.register(opened, selectors.EVENT_READ, link)
        return link

    def _grant(self, *_: object) -> None:
        self._granted += 1

    def _take(self, _link: mqtt.Client, _data: object, message: mqtt.MQTTMessage) -> None:
        bell = gate.decode(message.topic, bytes(message.payload), message.retain)
        assert isinstance(bell, messages.BellSignal)
        self._heard[bell.signal].append(self._came)


if __name__ == "__main__":
    show(rows(1, int(sys.argv[1])))
