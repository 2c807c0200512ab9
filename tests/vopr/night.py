"""One night by a seed: the faults are drawn, they happen, all is healed, and the oracle judges."""

import gc
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from pi_bunco.game.facts import Branch
from pi_bunco.game.snapshot import snapshot
from pi_bunco.head.reasons import RoundAhead
from vopr.faults import Fault, draw, happens
from vopr.hall import Hall, Told
from vopr.oracle import Finding
from vopr.services import TableProcess

FAULTS_A_NIGHT: Final = 200
HEAL_MS: Final = 45_000.0
OPENS_WITHIN_MS: Final = 20_000.0
MAY_STAY: Final = ("passed_over",)
"""Words of a head about its start that may stay for as long as it runs."""


@dataclass
class Night:
    """The outcome of a seed's night."""

    seed: str
    faults: Sequence[Fault]
    findings: list[Finding] = field(default_factory=list)
    happened: Counter[str] = field(default_factory=Counter)
    waits: list[tuple[float, int]] = field(default_factory=list)
    throws: int = 0
    rounds: int = 0
    true_ms: float = 0.0
    took_s: float = 0.0
    steps: int = 0
    story: list[Told] = field(default_factory=list)
    crashes: list[str] = field(default_factory=list)


def play(seed: int | str, faults: Sequence[Fault] | None = None) -> Night:
    """Plays the night of a seed, with the faults that are drawn for it, or with these.

    A seed that names kinds of faults, such as "7: lie, power", has more of them.
    """
    began = time.process_time()
    hall = Hall(seed)
    more = str(seed).partition(": ")[2].split(", ")
    drawn = Random(f"{seed} faults")
    planned = draw(drawn, hall.size, FAULTS_A_NIGHT, more) if faults is None else faults
    night = Night(str(seed), planned)
    collects = gc.isenabled()
    gc.disable()
    with hall.in_place():
        hall.begin()
        started = hall.clockwork.time
        hall.clockwork.run(started + 4000.0)
        for fault in planned:
            hall.clockwork.run(started + 4000.0 + fault.at)
            if happens(hall, fault):
                night.happened[fault.kind] += 1
                hall.story("FAULT", str(fault))
        _end(hall)
        night.findings = hall.oracle.findings
        night.rounds = sum(ring.signal.endswith("end") for ring in hall.oracle.rings)
    if collects:
        gc.enable()
    night.waits = hall.oracle.waits
    night.throws = sum(map(len, hall.oracle.throws.values()))
    night.true_ms, night.steps = hall.clockwork.time - started, hall.steps
    night.story, night.crashes = hall.told, hall.crashes
    night.took_s = time.process_time() - began
    return night


def _end(hall: Hall) -> None:
    """Everything heals; what then is not told within the time that this takes is lost."""
    heal(hall)
    hall.story("end", "everything is healed")
    hall.host.resting = True

    def done() -> bool:
        return (
            hall.head.running
            and not hall.head.referee.catch_up.pending
            and all(
                one.running and (not len(one.outbox) or _waits_for_the_next_round(hall, one))
                for one in hall.tables.values()
                if one.number not in hall.oracle.liars
            )
            and hall.head.referee.log.evening.round is None
            and not hall.head.referee.log.evening.closed  # the round goes on when it is opened again
        )

    clockwork = hall.clockwork
    clockwork.run(clockwork.time + 8000.0)
    hall.round_ms = 0.0
    ends = clockwork.time + HEAL_MS
    while not done() and clockwork.time < ends:
        clockwork.run(clockwork.time + 250.0)
    if not done():
        hall.oracle.find("stuck", f"after all was healed {_state(hall)}")
    waiting = [one.number for one in hall.tables.values() if _waits_for_the_next_round(hall, one)]
    before = len(hall.oracle.rings)
    hall.host.resting = False
    if not clockwork.run(clockwork.time + OPENS_WITHIN_MS, lambda: len(hall.oracle.rings) > before):
        why = hall.host.refusals[-1].why if hall.host.refusals else "nobody answers"
        hall.oracle.find("stuck", f"no round can be started after all was healed: {why}")
    clockwork.run(clockwork.time + 3000.0)
    hall.host.asleep = True  # a fact of this moment would not be at the replicas yet
    for people in hall.people.values():
        people.resting = True
    clockwork.run(clockwork.time + 4000.0)
    epoch = hall.head.referee.log.evening.epoch if hall.head.running else 0
    honest = [one for one in hall.tables.values() if one.running and one.number not in hall.oracle.liars]
    if behind := [one.number for one in honest if one.controller.prediction.epoch != epoch]:
        hall.oracle.find(
            "false sentence", f"round {epoch} was started, and tables {behind} do not know of it"
        )
    for one in honest if hall.head.running else ():
        if unlike := _unlike(hall, one):
            hall.oracle.find("unlike", f"all is well, and at table {one.number} the log has not {unlike}")
    for fault in hall.host.faults:
        if fault.code not in MAY_STAY and fault.fields.get("table") not in hall.oracle.liars:
            hall.oracle.find("false sentence", f"all is well, and the head says {fault.code} {fault.fields}")
    if behind := [number for number in waiting if len(hall.tables[number].outbox)]:
        hall.oracle.find("stuck", f"tables {behind} hold what waited for the next round after it began")
    hall.oracle.judge(hall.lines())


def _unlike(hall: Hall, table: TableProcess) -> list[str]:
    """Differences of a table from the head's log, once nobody plays any more."""
    log, prediction = hall.head.referee.log, table.controller.prediction
    chain = table.controller._log.follower.chain
    round_, shown, lights = log.evening.round, prediction.table, hall.people[table.number].lights
    branches = sum(isinstance(one.decoded(), Branch) for one in log.entries)
    kept = table.replica is None or (len(chain), chain.newest) == (len(log.entries), log.entries[-1].mac)
    alike = {
        "its replica": kept,
        "the branches of its view": prediction.view is None or prediction.view.branches == branches,
        "its score": not (round_ and shown) or snapshot(round_.tables[table.number - 1]) == snapshot(shown),
        "its lights": lights.saved and lights.online,
        "its faults": not table.controller._equipment.faults.reasons(),
    }
    return [what for what, well in alike.items() if not well]


def _waits_for_the_next_round(hall: Hall, table: TableProcess) -> bool:
    """It played a round whose entries no card has any more, or that is in an end which the host has left.

    The host was told, and may go on without them.
    """
    head = hall.head
    if not (head.running and table.running) or table.number in hall.oracle.liars:
        return False
    log, faults = head.referee.log, head.referee._faults
    ahead = {one.table: one.then for one in faults if isinstance(one, RoundAhead)}.get(table.number)
    if ahead is None:
        return False
    opening = hall.opened[log.evening.id, ahead]
    kept = any(not opening.isdisjoint(hall._macs(name)) for name in hall.machines)
    return bool(hall.oracle.amnesia or log.branches or (opening and not kept))


def heal(hall: Hall) -> None:
    """Machines are on, links free, cards well, boxes in reach, processes started."""
    hall.network.restart()
    for card in hall.cards_of.values():
        card.full, card.write_ms, card.honesty = False, (3.0, 12.0), "honest"
    for link in hall.network.links.values():
        silent = max(link.silent_up, link.silent_down) > hall.clockwork.time
        link.silent_up = min(link.silent_up, hall.clockwork.time)
        link.silent_down = min(link.silent_down, hall.clockwork.time)
        link.latency = link.usual
        if silent:  # what is on its way would come out as late as ever
            hall.network.cut(link)
    for people in hall.people.values():
        if people.box.out_of_reach:
            people.reach_box()
    for service in hall.services.values():
        service.dies_in = None
        if not service.machine.on:
            service.machine.boot_up()
        if not service.running:
            hall.restart(service)


def _state(hall: Hall) -> str:
    waiting = {n: len(one.outbox) for n, one in hall.tables.items() if one.running and len(one.outbox)}
    off = [name for name, one in hall.services.items() if not one.running]
    if hall.head.running and hall.head.referee.catch_up.pending:
        return "the head still reads its log"
    board = hall.host.board
    state = f"state {board.state}, waiting for {board.waiting}" if board else "no scoreboard"
    return f"outboxes hold {waiting}, not running {off}, {state}"
