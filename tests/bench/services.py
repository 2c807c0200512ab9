"""Times until the bell rings and until all tables stop, and the rate of facts that the head journals.

Everything is real: broker, head and tables are processes of their own. A "bare MQTT message" has the same
payload as the roll, goes from the same bare client over the same broker to another, in turn with the rolls.
"""

import os
import queue
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import Raw

from pi_bunco.game import codec, facts
from pi_bunco.log.entry import Entry, Origin
from pi_bunco.log.journal import Journal
from pi_bunco.runtime.writer import Reports
from pi_bunco.wire import broker

from . import Figure, Row, Spread, spread
from ._hall import BUNCO, MISS, Hall, Program, clock, hall

BELLS = 200
WARM = 20  # bells before the first one that counts
STOPS = 60
FACTS = 4000
TABLES = 4  # that tell facts
ROLLS = 100  # of a table in a round
WINDOW = 64  # facts of a table in flight
BETWEEN = (0.005, 0.025)  # s from one thing to the next
MESSAGE = "a bare MQTT message"


def rows(repeats: int) -> Iterator[Row | Figure]:
    """The services' benchmarks; their counts are their own."""
    kinds: dict[broker.BrokerKind, str | None] = {"mosquitto": broker.mosquitto(), "nats": broker.nats()}
    for kind, program in kinds.items():
        if program:
            with hall(kind) as one:
                one.cast.open(3)
                yield from bell(one, kind)
    with hall() as one:
        yield from stop(one)
    with hall() as one:
        yield from journaled(one)


def bell(one: Hall, kind: str) -> Iterator[Figure]:
    """From the roll of the head table, as it is published, to the relay."""
    random = Random(1)
    bells(one, WARM, random)
    ours, bare = bells(one, BELLS, random)
    what = f"roll received to bell, {kind}"
    yield Figure(f"{what}: median", ours.median, "ms", MESSAGE, ours.median / bare.median, most_ratio=2.0)
    yield Figure(f"{what}: p99", ours.p99, "ms", MESSAGE, ours.p99 / bare.p99, most=10.0)


def bells(
    one: Hall, count: int, random: Random, between: tuple[float, float] = BETWEEN
) -> tuple[Spread, Spread]:
    """Times (ms) until the bell, and of a bare message, over `count` rounds of one roll each."""
    rang, bare = list[float](), list[float]()
    for _ in range(count):
        one.cast.start()
        time.sleep(random.uniform(*between))
        roll = one.cast.envelope(1, BUNCO)
        rang.append(one.ring(roll))
        one.cast.cancel()
        time.sleep(random.uniform(*between))
        bare.append(one.bare(roll))
    return spread(rang), spread(bare)


def stop(one: Hall) -> Iterator[Figure]:
    """From the dice of table 1 to the lights of the two others."""
    with ExitStack() as stack:
        tables = [stack.enter_context(one.table(number)) for number in (1, 2, 3)]
        one.cast.open(3)
        stops(one, tables, WARM)
        ours, bare = stops(one, tables, STOPS)
    what = 'roll settled to "stop", 3 tables'
    yield Figure(f"{what}: median", ours.median, "ms", MESSAGE, ours.median / bare.median, most=5.0)
    yield Figure(f"{what}: p99 of {STOPS}", ours.p99, "ms", MESSAGE, ours.p99 / bare.p99)


def stops(one: Hall, tables: list[Program], count: int) -> tuple[Spread, Spread]:
    """Times (ms) until the lights, and of a bare message, over `count` rounds of one roll each."""
    stopped, bare, random = list[float](), list[float](), Random(1)
    for _ in range(count):
        one.cast.start()
        for table in tables:
            lit(table, b"round running")
        time.sleep(random.uniform(*BETWEEN))
        bare.append(one.bare(one.cast.envelope(1, MISS)))
        time.sleep(random.uniform(*BETWEEN))
        began = clock.now()
        tables[0].input.write(b"roll 1 1 1\n")
        tables[0].input.flush()
        for table in tables[1:]:
            lit(table, b"round stop")
        stopped.append(clock.now() - began)
        lit(tables[0], b"round stop")  # what it has shown before is no sign of the next round
        one.cast.bell()
        one.cast.cancel()
    return spread(stopped), spread(bare)


def lit(table: Program, what: bytes) -> None:
    """Waits until the table says that its lights show this."""
    while what not in table.errors.readline():
        pass


def journaled(one: Hall) -> Iterator[Row]:
    """Facts that the head has taken, judged, journaled and acknowledged, and the same ones only journaled."""
    one.cast.open(TABLES)
    wall = cpu = 0.0
    for _ in range(0, FACTS // TABLES, ROLLS):
        one.cast.start()
        told = [[one.cast.envelope(table, MISS) for _ in range(ROLLS)] for table in range(1, TABLES + 1)]
        before, began = one.head.cpu, time.perf_counter()
        acknowledged(one, told)
        wall, cpu = wall + time.perf_counter() - began, cpu + one.head.cpu - before
        one.cast.cancel()
    alone_cpu, alone = journal_alone()
    plain = appends()
    what = "facts acknowledged by the head"
    yield Row(what, "facts", FACTS / cpu, FACTS / wall, "the journal alone", wall / alone)
    what = "facts committed by the journal"
    yield Row(what, "facts", FACTS / alone_cpu, FACTS / alone, "bare appends", alone / plain)


def acknowledged(one: Hall, told: list[list[bytes]]) -> None:
    """Publishes the latest facts of the first tables, of each at most `WINDOW` ahead of the acknowledged."""
    earlier = [one.cast.facts(table) - len(told[table - 1]) for table in range(1, len(told) + 1)]
    sent = [0] * len(told)
    done = [0] * len(told)
    while min(done) < len(told[0]):
        for table, envelopes in enumerate(told):
            ahead = done[table] + WINDOW
            for envelope in envelopes[sent[table] : ahead]:
                one.cast.tell(table + 1, envelope)
            sent[table] = max(sent[table], min(ahead, len(envelopes)))
        table, ack = one.cast.ack()
        if table <= len(told):
            done[table - 1] = max(done[table - 1], ack.committed - earlier[table - 1])


def journal_alone() -> tuple[float, float]:
    """Seconds of CPU and wall time that the journal takes for as many facts with as many in flight."""
    committed: queue.SimpleQueue[int] = queue.SimpleQueue()
    reports = Reports(lambda records: committed.put(len(records)), lambda _why: None)
    entries = [
        Entry("bench", n, Raw(codec.encode(roll(n))), Origin(1, "bench", n), "0" * 32)
        for n in range(1, FACTS + 1)
    ]
    with TemporaryDirectory() as folder:
        journal = Journal(Path(folder) / "journal.db", reports)
        cpu, began, done = time.process_time(), time.perf_counter(), 0
        for number, one in enumerate(entries):
            journal.append(one)
            while number - done >= WINDOW * TABLES:
                done += committed.get(timeout=20.0)
        while done < FACTS:
            done += committed.get(timeout=20.0)
        took = time.process_time() - cpu, time.perf_counter() - began
        journal.close()
    return took


def roll(t: int) -> facts.Fact:
    """A roll that misses."""
    plain: dict[str, Any] = {**MISS, "t": t, "table": 1, "epoch": 1}
    return codec.convert(plain)


def appends() -> float:
    """Seconds in which as many facts are appended to a plain file, on disk whenever a window is full."""
    lines = [codec.encode(roll(n)) + b"\n" for n in range(1, FACTS + 1)]
    with TemporaryDirectory() as folder, (Path(folder) / "log").open("wb", 0) as file:
        began = time.perf_counter()
        for start in range(0, FACTS, WINDOW * TABLES):
            file.writelines(lines[start : start + WINDOW * TABLES])
            os.fsync(file.fileno())
        return time.perf_counter() - began
