"""A charity night by the clock: `PYTHONPATH=tests python -m chaos.night [--tables N] [--kills N] [--seed S]`.

Head, broker and page are processes, each table has a link of its own. The host opens the evening, sets the
clock and holds it twice; head, broker and page are killed meanwhile, most of them as a bell is due. Exit
status 1 if a signal did not come exactly once, or a throw was lost, doubled or misjudged.
"""

import argparse
import http.client
import logging
import queue
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import Struct

from pi_bunco.game.board import Board
from pi_bunco.game.replay import replay
from pi_bunco.hall import evidence
from pi_bunco.log import journal
from pi_bunco.runtime.clock import SystemClock
from pi_bunco.wire import messages, topics
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.client import Client, Publish, Received, send
from pi_bunco.wire.gate import decode

from ._ledger import Verdict, examined, rings
from ._linked import HALL, LinkedTables
from ._machines import BROKER, HEAD, PAGE, Machines

NODE = "host-night"
KINDS = ((HEAD,), (BROKER,), (PAGE,), (BROKER, HEAD, PAGE))
"""Programs that are killed in turn; all of them hang on one plug."""
DARK_MS = 100.0, 1500.0
"""Milliseconds without power."""
AS_DUE_MS = 700.0
"""Milliseconds before a bell is due in which two of three kills come."""
AGAIN_MS = 1000.0
"""Milliseconds until a command is said again that was not answered."""
HELD_MS = 4000.0
"""Milliseconds for which the host holds the clock."""
SETTLE_MS = 60_000.0
"""Milliseconds that all has to arrive in once the last round is over."""
STUCK_MS = 600_000.0
"""Milliseconds without a bell after which nothing goes on any more."""
CALM_MS = 5000.0
"""Milliseconds after a kill in which no distance between tables is measured."""


class Plan(Struct, frozen=True):
    """The night: lengths in seconds; `faces` are the rounds of each of two sets, between which is a break."""

    tables: int = 363
    kills: int = 12
    seed: int = 1
    play_s: int = 10
    move_s: int = 10
    faces: tuple[int, ...] = (1, 2, 3, 4, 5, 6)

    @property
    def signals(self) -> int:
        """Starts and ends of the night."""
        return 4 * len(self.faces)


class PageWatcher(threading.Thread):
    """A screen of the hall: follows the scoreboard's stream, again after each loss; `bells` is what came."""

    def __init__(self, port: int, clock: SystemClock) -> None:
        super().__init__(name="page-watcher", daemon=True)
        self.bells: list[tuple[str, float]] = []
        self._port = port
        self._clock = clock
        self._open = True

    def run(self) -> None:
        while self._open:
            link = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
            with suppress(OSError, http.client.HTTPException), closing(link):
                link.request("GET", "/stream")
                self._follow(link.getresponse())
            time.sleep(0.1)

    def _follow(self, answer: http.client.HTTPResponse) -> None:
        while self._open and (line := answer.readline()):
            if line == b"event: bell\n":
                self.bells.append(
                    (answer.readline().decode().removeprefix("data: ").strip(), self._clock.now())
                )

    def close(self) -> None:
        self._open = False


class Host:
    """The host: says one thing after another, each until it is answered."""

    def __init__(self, address: str, clock: SystemClock) -> None:
        self.board: Board | None = None
        self._clock = clock
        self._inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._to_say: list[messages.Command] = []
        self._said_at = 0.0
        self._client = Client(BrokerAddress.parse(address), NODE, self._inbox.put, topics.inbox(HALL, NODE))
        self._client.start()
        self._ids = 0

    @property
    def done(self) -> bool:
        """True if all is answered."""
        return not self._to_say

    def say(self, command: str, **args: Any) -> None:
        self._ids += 1
        self._to_say.append(messages.Command(f"night-{self._ids}", command, args, "host"))

    def step(self) -> None:
        while not self._inbox.empty():
            self._take(self._inbox.get())
        now = self._clock.now()
        if self._to_say and now - self._said_at > AGAIN_MS:
            self._said_at = now
            send(self._client, Publish(topics.up(HALL, NODE, "command"), self._to_say[0], 1))

    def _take(self, event: object) -> None:
        if not isinstance(event, Received):
            return
        payload = decode(event.topic, event.payload, event.retained)
        if isinstance(payload, messages.BoardMessage):
            self.board = payload.board
        elif isinstance(payload, messages.Answer) and self._to_say and payload.id == self._to_say[0].id:
            assert payload.done, payload.why
            self._to_say.pop(0)
            self._said_at = 0.0

    def close(self) -> None:
        self._client.close()


class Night:
    """The night, until its last round is over."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        self.clock = SystemClock()
        self.killed: list[float] = []
        """Times of kills (ms of the clock)."""
        self._plan = plan
        port = _free_port()
        self.machines = Machines(folder, 0, "mosquitto", self.clock, plan.seed, port)
        self.tables = LinkedTables(plan.tables, self.machines.broker.address, folder, self.clock, plan.seed)
        self.page = PageWatcher(port, self.clock)
        self.page.start()
        self.host = Host(self.machines.broker.address, self.clock)
        self._random = Random(plan.seed)
        spread = self._random.sample(range(1, plan.signals), plan.kills)
        self._kills = {after: KINDS[n % len(KINDS)] for n, after in enumerate(spread)}
        self._holds = {3, plan.signals // 2 + 2}
        self._due: list[tuple[float, Any]] = []
        self._rang, self._rang_at = 0, self.clock.now()

    def play(self) -> bool:
        """Plays it; False if nothing goes on any more."""
        plan, players = self._plan, tuple(f"P{n}" for n in range(1, 4 * self._plan.tables + 1))
        sets = {"sets": 2, "faces": plan.faces, "break_after": 1, "break_minutes": 1}
        overrides = {f"evening.{name}": value for name, value in sets.items()} | {"tie.method": "one_roll"}
        self.host.say("evening_open", rules="mybunco", players=players, overrides=overrides, seed=plan.seed)
        self.host.say("seats_draw")
        self.host.say("pace", play_s=plan.play_s, move_s=plan.move_s, warn_s=5)
        while not self._over:
            self._step()
            if self.clock.now() - self._rang_at > STUCK_MS:
                return False
        end = self.clock.now() + SETTLE_MS
        while self.clock.now() < end and any(len(table.outbox) for table in self.tables.of):
            self._step()
        return True

    @property
    def _over(self) -> bool:
        return self.host.board is not None and self.host.board.state == "finished" and self.machines.well

    def _step(self) -> None:
        self.tables.step()
        self.host.step()
        now = self.clock.now()
        self.machines.tick(now)
        path = self.machines.bells
        rang = path.read_bytes().count(b"\n") if path.exists() else 0
        if rang > self._rang:
            self._rang, self._rang_at = rang, now
            self._plan_ahead(now)
        for at, deed in [one for one in self._due if one[0] <= now]:
            self._due.remove((at, deed))
            deed()

    def _plan_ahead(self, now: float) -> None:
        """Plans the hall's troubles, and the host's acts, between this bell and the next."""
        length = 1000.0 * (self._plan.play_s if self._rang % 2 else self._plan.move_s)
        if kinds := self._kills.pop(self._rang, ()):
            as_due = self._random.random() < 2 / 3
            after = length - self._random.uniform(0, AS_DUE_MS) if as_due else length * self._random.random()
            self._due.append((now + after, lambda: self._kill(kinds)))
        if self._rang in self._holds:
            self._due.append((now + length / 3, lambda: self.host.say("steer", to="hold")))
            self._due.append((now + length / 3 + HELD_MS, lambda: self.host.say("steer", to="go")))

    def _kill(self, kinds: tuple[str, ...]) -> None:
        self.killed.append(self.clock.now())
        for name in kinds:
            self.machines.note(f"kill {name}")
            self.machines.kill(name, self._random.uniform(*DARK_MS))

    def close(self) -> None:
        self.page.close()
        self.host.close()
        self.tables.close()
        self.machines.close()


def play(plan: Plan, folder: Path) -> tuple[Verdict, list[str]]:
    """The night with its files in `folder`: the verdict, and lines about what was measured."""
    night = Night(plan, folder)
    try:
        goes_on = night.play()
    finally:
        night.close()
    path = folder / HEAD / "journal.db"
    log = journal.latest(path)
    evening = log[0].evening if log else ""
    saved = {
        (number, one.stream, one.seq): one
        for number, table in enumerate(night.tables.of, 1)
        for one in table.outbox.envelopes(evening)
    }
    thrown = [throw for table in night.tables.of for throw in table.thrown]
    rang = rings(night.machines.bells, evening)
    verdict = examined(log, saved, thrown, rang, lambda _: [])
    verdict.kills = sum(night.machines.kills.values())
    verdict.complaints += night.machines.deaths
    if not goes_on or len(rang) != plan.signals:
        verdict.complaints.append(f"{len(rang)} signals of {plan.signals}: {night.host.board}"[:300])
    found = evidence.differences(night.host.board, replay(journal.export(path), "journal"))
    if different := [one for one in found if not one.startswith("left_out")]:  # of a large hall, by its size
        verdict.complaints.append(f"the scoreboard is not the journal's: {different}"[:300])
    verdict.complaints += [*_wrong_at_tables(night, plan.signals // 2), *_wrong_at_page(night, rang)]
    return verdict, [*_apart(night, rang), f"page: {len(night.page.bells)} of {plan.signals} bells came"]


def _wrong_at_tables(night: Night, rounds: int) -> Iterator[str]:
    """A complaint for every table that did not show each start and end once, or heard one twice."""
    for number, table in enumerate(night.tables.of, 1):
        for signal, shown in table.shown.items():
            wrong = {one: shown[one] for one in range(1, rounds + 1) if shown[one] != 1}
            if wrong:
                yield f"table {number} showed the {signal} of rounds so often: {wrong}"
        if twice := [signal for signal, times in table.heard.items() if len(times) > 1]:
            yield f"table {number} heard {twice} twice"


def _wrong_at_page(night: Night, rang: dict[str, list[float]]) -> Iterator[str]:
    """A complaint for every signal that the page told twice, or did not tell though nothing was killed."""
    times = sorted((at[0], name.partition(":")[2], name) for name, at in rang.items())
    for n, (at, signal, name) in enumerate(times):
        end = times[n + 1][0] if n + 1 < len(times) else float("inf")
        came = [when for what, when in night.page.bells if what == signal and at <= when < end]
        calm = not any(abs(at - killed) < CALM_MS for killed in night.killed)
        if len(came) > 1 or (calm and not came):
            yield f"the page told {name} {len(came)} times"


def _apart(night: Night, rang: dict[str, list[float]]) -> Iterator[str]:
    """The spread of the times at which tables hear a signal that is sent while nothing is killed."""
    for signal in ("start", "end"):
        apart: list[float] = []
        for name, at in rang.items():
            epoch, _, what = name.partition(":")
            if what != signal or any(abs(at[0] - killed) < CALM_MS for killed in night.killed):
                continue
            heard = [table.heard.get((int(epoch), signal)) for table in night.tables.of]
            came = [times[0] for times in heard if times]
            if len(came) != len(night.tables.of):
                night.machines.note(f"{name} came to {len(came)} tables")
            apart += [one - min(came) for one in came]
        if len(apart) > 1:
            p99 = quantiles(apart, n=100)[98]
            yield f"{signal}: behind the first table, median {median(apart):.1f} ms, p99 {p99:.1f} ms"


def _free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        return int(free.getsockname()[1])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m chaos.night", description=__doc__)
    parser.add_argument("--tables", type=int, default=363)
    parser.add_argument("--kills", type=int, default=12, help="moments at which something is killed")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="(default: the time)")
    parser.add_argument("--play", type=int, default=10, help="seconds of a round")
    parser.add_argument("--move", type=int, default=10, help="seconds from its bell to the next start")
    parser.add_argument("--keep", type=Path, help="a folder in which the files stay")
    options = parser.parse_args()
    logging.getLogger("pi_bunco.wire").setLevel(logging.ERROR)  # 363 links that are lost, again and again
    plan = Plan(options.tables, options.kills, options.seed, options.play, options.move)
    with TemporaryDirectory() as passing:
        folder = options.keep or Path(passing)
        folder.mkdir(parents=True, exist_ok=True)
        verdict, measured = play(plan, folder)
    print(f"{plan}\n{verdict}", *measured, sep="\n")
    return 1 if verdict.complaints else 0


if __name__ == "__main__":
    sys.exit(main())
