"""A whole hall in one process on virtual time: machines, cards, links, services, people, the oracle."""

import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count
from math import inf
from pathlib import Path
from random import Random
from typing import Any, Final
from unittest.mock import patch

import msgspec

from pi_bunco.errors import FactError
from pi_bunco.game import codec
from pi_bunco.game.apply import apply
from pi_bunco.game.evening import Evening
from pi_bunco.head.catch_up import RUNG
from pi_bunco.log.chain import LogKey
from pi_bunco.log.records import Stored
from pi_bunco.wire import outbox, topics
from pi_bunco.wire.gate import Received
from pi_bunco.wire.messages import Envelope, Status
from vopr.adversary import FIRST, Adversary
from vopr.cards import Card, Cards, File
from vopr.clockwork import Clockwork, Machine
from vopr.network import Kind, Link, Network, opened
from vopr.oracle import TRUSTED_ERROR_MS, Heads, Line, Oracle
from vopr.oracle import Throw as TrueThrow
from vopr.people import PLAY_S, Host, TablePeople
from vopr.referee import HOUSES
from vopr.services import HALL, HeadProcess, KilledError, Service, TableProcess, written

RULES: Final = ("bonko", "gong", "tournament", "classic")
RESTART_MS: Final = (400.0, 1500.0)
HEAD_START_MS: Final = 5500.0
REPLICAS_BACK_MS: Final = 600.0
MACHINE_BACK_MS: Final = 1500.0
"""So long a head with a log waits for replicas that are not there, the second where its machine was off."""
WAITS_FOR_MORE_MS: Final = 5000.0
"""So long it waits for who has more and is not there."""
PASSED_OVER_MS: Final = 2000.0
"""So long it waits for who is there and does not answer."""
FAR: Final = "far"
"""In the hall of a seed that says so every table is far from the head, by FAR_MS each way."""
FAR_MS: Final = (40.0, 60.0)
IN_THE_DARK: Final = "in the dark"
"""In such a hall every dice box keeps throws, and people play on while their table is off."""
BY_THE_CLOCK: Final = "by the clock"
"""In such a hall the clock starts and ends the rounds."""


_envelope = lru_cache(4096)(msgspec.json.Decoder(Envelope).decode)
_plain = lru_cache(8192)(msgspec.json.decode)
_fact = lru_cache(4096)(codec.decode)
"""The same rows are read again after each cut, and the same facts by each process and with each start."""


class _Names:
    """The draws of `secrets` for names, the same in every play of a seed."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def token_hex(self, _size: int) -> str:
        return f"d{next(self._numbers)}"


def _kept(file: File, key: str) -> Any:
    """A small value of a store, None where it has none of that name."""
    row = file.database.execute("SELECT value FROM kept WHERE key = ?", (key,)).fetchone()
    return msgspec.json.decode(row[0]) if row else None


@dataclass(frozen=True)
class Told:
    """A line of the story."""

    at: float
    who: str
    text: str


class Hall:
    """Head, tables and people, on machines that can be cut off in any way."""

    def __init__(self, seed: int | str) -> None:
        self.seed = seed
        self.chance = Random(f"{seed} chance")
        drawn = Random(f"{seed} hall")
        self.clockwork = Clockwork()
        self.clockwork.time = 100_000.0
        self.size = drawn.choice((2, 3, 3, 4))
        self.rules = drawn.choice(RULES)
        kind: Kind = drawn.choice(("mosquitto", "mosquitto", "nats"))
        self.round_ms = 75_000.0
        self.minutes = drawn.choice((None, None, 1))
        self.usual = drawn.choice(((0.4, 1.2), (0.4, 1.2), (3.0, 40.0), (20.0, 60.0)))
        self.auto_confirm_ms = drawn.choice((2000.0, 60_000.0))
        self.key = LogKey(b"k" * 32)
        self.points = drawn.choice((5, 9, 21))
        self.by_the_clock = BY_THE_CLOCK in str(seed)
        if self.by_the_clock:
            self.points = 200  # the clock comes first
        limit_s = PLAY_S if self.by_the_clock else 60 * self.minutes if self.minutes else None
        self.oracle = Oracle(replace(HOUSES[self.rules], points=self.points), limit_s)
        self.steps = 0
        self.told: list[Told] = []
        self.commands: dict[str, str] = {}
        self.crashes: list[str] = []
        self.network = Network(self.clockwork, Random(f"{seed} network"), kind)
        self.network.watchers.append(self._watch)
        self.network.on_routed = self._routed
        self.cards = Cards()
        self.cards_of: dict[str, Card] = {}
        head_plays = drawn.random() < 0.5
        if FAR in str(seed):
            self.usual, head_plays = FAR_MS, False
        self.machines = {"head": Machine(self.clockwork, "head", Random(f"{seed} machine head"))}
        for number in range(1, self.size + 1):
            name = f"table{number}"
            shared = number == 1 and head_plays
            self.machines[name] = (
                self.machines["head"]
                if shared
                else Machine(self.clockwork, name, Random(f"{seed} machine {name}"))
            )
        for name, machine in self.machines.items():
            first = next(other for other, one in self.machines.items() if one is machine)
            if first == name:
                self.cards_of[name] = Card(Random(f"{seed} card {name}"), lambda: self.clockwork.time)
            else:
                self.cards_of[name] = self.cards_of[first]
            self.cards.insert(name, self.cards_of[name])
        self.head = HeadProcess(self, self.machines["head"])
        self.tables = {n: TableProcess(self, self.machines[f"table{n}"], n) for n in range(1, self.size + 1)}
        self.in_the_dark = IN_THE_DARK in str(seed)
        self.people = {
            n: TablePeople(self, table, drawn.random() < 0.6 or self.in_the_dark)
            for n, table in self.tables.items()
        }
        self.at_end_bell: Callable[[], object] | None = None
        """The fault that happens as the relay switches next for the end of a round."""
        self.services: dict[str, Service] = {
            "head": self.head,
            **{one.what: one for one in self.tables.values()},
        }
        for service in self.services.values():
            if service.machine is not self.head.machine:
                service.link.usual = service.link.latency = self.usual
        self.host = Host(self)
        liar = (drawn.random() < 0.4 and self.size > 2) or "lie" in str(seed) or FIRST in str(seed)
        self.adversary = Adversary(self, self.size, Random(f"{seed} adversary")) if liar else None
        self.at_stake: set[str] = set()
        """The macs of entries that a card which failed or lied may have lost."""
        self._published: dict[str, float] = {}
        self.entered: dict[tuple[str, int, bytes], float] = {}
        """Times at which the head took an entry into its log: it may die before it publishes it."""
        self.offered: dict[str, Any] = {}
        """Per mac the kind of an entry of another end of the log, which the host was told of."""
        self.opened = defaultdict[tuple[str, int], set[str]](set)
        """Per evening and round the macs of entries that opened it."""
        self.ended = defaultdict[tuple[str, int], set[str]](set)
        """Per evening and round the macs of entries that rang its end: a log that has one knows of that."""
        self.made_by: dict[str, str] = {}
        """Per mac of an entry the key that made it."""
        self._free_since = dict.fromkeys(self.services, inf)
        """Per service since when it runs and nothing holds up what it sends and is sent, `inf` where not."""
        self._lost = Counter[tuple[str, int]]()
        """Per fact of the head table how often the broker has lost it, until it comes to a head."""
        self._marks: dict[Any, TrueThrow] = {}
        self._made: dict[tuple[int, str, int], TrueThrow] = {}
        self._places: dict[tuple[int, str, int], TrueThrow] = {}

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """The real code's stores and drawn names are this hall's meanwhile."""
        decode = patch.object(codec, "decode", _fact)
        with patch.object(outbox, "secrets", _Names()), decode, self.cards.in_place():
            yield

    def begin(self) -> None:
        """Everything is switched on."""
        self.network.start(self.host.link)
        for service in self.services.values():
            service.start()
        self.clockwork.later(500.0, self.host.look)
        self._look_at_way()

    def _look_at_way(self) -> None:
        """Twenty times a second: is the way from the head table's dice to the bell free?"""
        now = self.clockwork.time
        since = self._free_since
        for what, one in self.services.items():
            free = one.running and self.network.reaches(one.link)
            if not free:
                since[what] = inf
            elif since[what] == inf:
                since[what] = now
        free = (
            max(since["head"], since["table1"]) <= now
            and self.network.alive
            and not self.people[1].box.out_of_reach
            and not self._reads()
            and not self._lacks_the_round()
            and not self._compares()
            and max(self._lost.values(), default=0) < 2  # it is sent again a second later then, and more
        )
        self.oracle.way(now, free=free)
        self.clockwork.later(50.0, self._look_at_way)

    def look_for_haste(self) -> None:
        """A head tells that it has the end of its log: it waited as long as wire/README.md has it."""
        catch_up, now = self.head.referee.catch_up, self.clockwork.time
        log, since = self.head.referee.log, catch_up.recovery._since
        assert since is not None
        waited = self.head.machine.up() - since
        kept = self.network.retained
        # One that found none did what a host had asked meanwhile: it opened an evening.
        begins = not log.entries or self.entered[written(log.entries[0])] >= self.head.started_at
        if begins or (catch_up.same_boot and self.head.broker_had in {entry.mac for entry in log.entries}):
            return
        back = REPLICAS_BACK_MS if catch_up.same_boot else MACHINE_BACK_MS
        quiet = (
            not self.oracle.liars and self.network.keeps and self._free_since["head"] <= now - waited + 100
        )
        ours = log.branches, len(log.entries)
        longest = answers = 200.0 + 10 * self.usual[1]  # ms in which who is there has answered
        for n, table in self.tables.items():
            if n in self.oracle.liars:
                continue
            born = kept.get(topics.up(HALL, table.what, "status"))
            claim = born and msgspec.json.decode(born, type=Status).replica
            more = claim and claim.evening == log.evening.id and (claim.branches, claim.length) > ours
            more = more and n not in catch_up.recovery.offers  # of those the host is asked
            away = not table.running and now - table.stopped_at > waited
            free_ms = now - max(self._free_since[table.what], self._free_since["head"])
            if away and (waited < back or (more and waited < WAITS_FOR_MORE_MS and self.network.keeps)):
                self.oracle.find("haste", f"the head waited {waited:.0f} ms, and {table.what} is not there")
            left = claim and claim.mac in self.offered.keys() | self.head.had  # the host chose another end
            if more and not left and free_ms > answers and waited < PASSED_OVER_MS:
                self.oracle.find("haste", f"the head waited {waited:.0f} ms, and {table.what} has more")
            quiet = quiet and not more and (away or free_ms > waited + 100)
            longest = back + answers if away else longest
        if quiet and waited > longest:
            self.oracle.find("late start", f"the head waited {waited:.0f} ms, and nobody has more")

    def look_for_online(self) -> None:
        """A head starts: whoever heard the broker since the one before ended shows that none is there.

        A broker that has not noticed that end has said nothing of it.
        """
        if self.network.has(self.head.link):
            return
        within = 200.0 + 10 * self.usual[1]
        for n, table in self.tables.items():
            told_ms = self.clockwork.time - max(self._free_since[table.what], self.head.stopped_at)
            there = table.running and self.network.keeps  # nats may leave a will out
            if there and told_ms > within and self.people[n].lights.online:
                self.oracle.find(
                    "false sentence", f"{table.what} shows a head that ended {told_ms:.0f} ms ago"
                )

    def _reads(self) -> bool:
        """A head reads the end of its log: from its connection on it may take the time of a head's start."""
        head = self.head
        recovery = head.referee.catch_up.recovery if head.running else None
        since = recovery._since if recovery and recovery.pending else None
        return since is not None and head.machine.up() - since < HEAD_START_MS

    def _compares(self) -> bool:
        """The head table's facts wait for clocks that others compared: until 1.5 s behind a change."""
        table, controller, up = self.tables[1], self.tables[1].controller, self.tables[1].machine.up()
        uplink, undecided = controller._uplink, controller._undecided
        unsure = (throw for throw, _ in undecided._waiting if undecided.is_unsure(throw))
        return table.running and (
            (uplink._unsure and not uplink.delivers(up))
            or (not uplink.compared(up) and next(unsure, None) is not None)
        )

    def head_hears(self) -> bool:
        """A head that has its log takes what comes now."""
        head = self.head
        return head.running and self.network.reaches(head.link) and not head.referee.catch_up.pending

    def _lacks_the_round(self) -> bool:
        """The head's card lost the round that the head table plays, and no replica there has more.

        Nor does it take its throws while the host is asked whether its evening, of another key, goes on.
        """
        if not self.head.running:
            return False
        referee, played = self.head.referee, self.tables[1].controller.prediction.evening
        offers = referee.catch_up.recovery.offers.values()
        if played != referee.log.evening.id and any(one.entries[0].evening == played for one in offers):
            return True
        return referee._intake.ahead.get(1, 0) > referee.log.evening.epoch and not any(
            one.controller._log.length > len(referee.log.entries)
            for one in self.tables.values()
            if one.running and self.network.reaches(one.link)
        )

    # What the services and the people tell.

    def story(self, who: str, text: str) -> None:
        """Something that a reader of the story should know."""
        self.told.append(Told(self.clockwork.time, who, text))

    def guarded(self, service: Service, work: Callable[..., object], *arguments: Any) -> bool:
        """Does a step of a service; one that is killed or fails in it is started again, as by systemd."""
        try:
            work(*arguments)
        except KilledError:
            self.story(service.what, "is killed between two effects")
            service.kill()
            self.restart(service)
            return False
        except Exception as error:  # noqa: BLE001 (whatever a service does not catch ends its process)
            where = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{where.filename.rsplit('/', 1)[-1]}:{where.lineno}"
            text = f"{service.what} ends with {type(error).__name__}: {error} ({place})"
            self.story(service.what, text)
            self.oracle.find("crash", text)
            self.crashes.append("".join(traceback.format_exception(error)))
            service.kill()
            if len(self.crashes) < 5:
                self.restart(service)
            return False
        return True

    def kill(self, service: Service) -> bool:
        """The process is killed, and started again; False where it does not run."""
        if not service.running:
            return False
        service.kill()
        self.restart(service)
        return True

    def restart(self, service: Service) -> None:
        """The process is started again a little later, if its machine is on by then."""
        self.clockwork.later(self.chance.uniform(*RESTART_MS), service.start)

    def rang(self, id: str) -> None:
        """The relay switches."""
        evening, epoch, signal = id.split(":")
        self.story("bell", f"rings for {signal} of round {epoch}")
        if signal == "end" and (strikes := self.at_end_bell):
            self.at_end_bell = None
            strikes()
        known = self._start_known(int(epoch)) if signal == "start" else self._end_known(evening, int(epoch))
        self.oracle.rang(
            round(self.clockwork.time), int(epoch), f"{evening} {signal}", self.head.machine.boot, known=known
        )

    def _start_known(self, epoch: int) -> bool:
        """A table that has been there long enough to say so knows of this round, or has it in its log."""
        log, now = self.head.referee.log, self.clockwork.time
        opening = log.entries[log.opened_n - 1].mac
        return any(
            now - max(self._free_since[what], self._free_since["head"]) > 200.0 + 10 * self.usual[1]
            and (table.controller.prediction.epoch >= epoch or opening in self._macs(what))
            for what, table in ((one.what, one) for one in self.tables.values())
        )

    def _end_known(self, evening: str, epoch: int) -> bool:
        """Two tables that are there tell the same end of this round, a log of theirs or the head's has what
        rang it, or the table of what rings now has heard that a head received that.
        """
        _, origin = self.head.referee.log._ringing or (None, None)
        if origin and self.tables[origin.table].outbox.ever_received(origin.stream) >= origin.seq:
            return True
        there = [one for one in self.tables.values() if one.running and self.network.reaches(one.link)]
        bells = (one.controller._record.bell(evening, epoch)[0] for one in there)
        told = Counter(bell for bell in bells if bell is not None)
        logs = [self.head.had, *(self._macs(one.what) for one in there)]
        return max(told.values(), default=0) > 1 or not all(map(self.ended[evening, epoch].isdisjoint, logs))

    def made(self, throw: TrueThrow, table: TableProcess, up: float, mark: Any) -> None:
        """A throw is reported to its table, under this mark or at this time of its machine."""
        if mark is not None:
            self._marks[tuple(mark)] = throw
        self._made[table.number, table.machine.boot, int(up)] = throw

    def _watch(self, node: str, topic: str, payload: bytes) -> None:
        way, leaf = topic.split("/")[-2:]
        if (way, leaf) == ("all", "log") and payload:
            mac = payload[payload.rindex(b'"mac":"') + 7 :][:32].decode()
            self._published.setdefault(mac, self.clockwork.time)
        if (way, leaf) == ("up", "clock") and node.startswith("table") and self.head_hears():
            self.oracle.passed_on(int(node.removeprefix("table")), self.clockwork.time)
        if way != "up" or leaf not in ("fact", "status"):
            return
        match opened(Received(topic, payload, False)):
            case object(message=Status() as birth):
                self.oracle.tells("epoch", birth.epoch or 0, self.clockwork.time)
                self.oracle.tells("no", birth.replica.no if birth.replica else 0, self.clockwork.time)
            case object(message=Envelope() as envelope):
                self.oracle.tells("epoch", envelope.epoch, self.clockwork.time)
                throw = self._place(int(node.removeprefix("table")), envelope)
                if throw is not None:
                    place = f"{envelope.stream}:{envelope.seq}"
                    time = f"t={envelope.t} err={envelope.err} boot={envelope.boot} epoch={envelope.epoch}"
                    throw.as_sent = f"sent as {place} with {time}{' guessed' if envelope.guessed else ''}"
                    if envelope.err is not None and envelope.err <= TRUSTED_ERROR_MS:
                        throw.err = max(throw.err, envelope.err)

    def _routed(self, to: Link, received: Received, lost: bool) -> None:
        """Counts how often nats loses a fact of the head table."""
        if to is not self.head.link or received.topic != topics.up(HALL, "table1", "fact"):
            return
        match opened(received):
            case object(message=Envelope(stream=stream, seq=seq)) if lost:
                self._lost[stream, seq] += 1
            case object(message=Envelope(stream=stream, seq=seq)):
                self._lost.pop((stream, seq), None)

    def _place(self, table: int, envelope: Envelope) -> TrueThrow | None:
        """The throw that an envelope tells of, sent or still in an outbox."""
        if getattr(envelope.fact, "dice", None) is None:
            return None
        mark = tuple(envelope.mark) if envelope.mark else None
        throw = self._marks.get(mark) if mark else self._made.get((table, envelope.boot, envelope.up))
        if throw is not None and throw.table == table:  # the adversary tells of others' marks
            self._places[table, envelope.stream, envelope.seq] = throw
            throw.boot = envelope.boot
            return throw
        return None

    def entries_of(self, who: str) -> set[str]:
        """The macs of all entries that this machine knows."""
        machine = self.services[who].machine
        names = {name for name, one in self.machines.items() if one is machine}
        macs = {mac for name in names for mac in self._macs(name)}
        if machine is self.head.machine and self.head.starts:
            macs.update(entry.mac for entry in self.head.referee.log.entries)
        return macs

    def look_for_forgotten(self) -> None:
        """Notes if the head ends and its journal lacks what it knew: no replica that has it may be there."""
        log = self.head.referee.log.entries if self.head.starts else ()
        if not {entry.mac for entry in log} <= set(self._macs("head")):
            self.oracle.forgot_at = self.clockwork.time

    def _known_anywhere(self) -> Iterator[set[str]]:
        """The macs of the entries that each process and card knows."""
        if self.head.running:
            yield {entry.mac for entry in self.head.referee.log.entries}
        for table in self.tables.values():
            if table.running and table.replica is not None:
                waiting = table.replica.writer.unwritten()
                yield {one.entry.mac for one in waiting if isinstance(one, Stored)}
        for name in self.machines:
            yield set(self._macs(name))

    def look_for_amnesia(self) -> None:
        """Notes what no card that lost it has any more, and no process: nobody can know of it."""
        if self.oracle.amnesia:
            return
        missing = set(self.at_stake)
        for known in self._known_anywhere():
            missing -= known
            if not missing:
                return
        self.oracle.amnesia = True
        self.story("oracle", "what only a card knew that failed or lied is gone")

    def _macs(self, name: str) -> Iterator[str]:
        tables = {"journal.db": "facts", "replica.db": "entries"}
        for path, file in self.cards_of[name].files.items():
            table = tables.get(path.rsplit("/", 1)[1])
            if table and path.split("/")[2] == name and not file.damaged:
                yield from (mac for (mac,) in file.database.execute(f"SELECT mac FROM {table}").fetchall())

    def notes_on_card(self) -> Collection[str]:
        """The signals of which the head's card has that they sounded."""
        journal = self.cards.file(Path("/cards/head/journal.db"))
        return _kept(journal, RUNG) or {} if journal and not journal.damaged else ()

    def heard_of(self, machine: Machine) -> float:
        """The last round of which a table knows that is on another machine than this one."""
        others = [one for one in self.tables.values() if one.machine is not machine]
        known = [one.controller.prediction.epoch if one.running else inf for one in others]
        return max(known, default=0)

    def forgive(self) -> None:
        """A card that lied has lost what it had confirmed: what is on no other card is nobody's fault."""
        rows, places = [], set[tuple[int, str, int]]()
        compared = {n: set[tuple[str, str]]() for n, table in self.tables.items() if not table.running}
        told, heard = defaultdict[int, set[Heads]](set), defaultdict[int, set[Heads]](set)
        for card in {id(card): card for card in self.cards_of.values()}.values():
            for path, file in card.files.items():
                if file.damaged or "damaged" in path:
                    continue
                name = path.split("/")[2:]
                if name[1] == "outbox.db":
                    table = int(name[0].removeprefix("table"))
                    rows += [
                        (table, row[0]) for row in file.database.execute("SELECT envelope FROM envelopes")
                    ]
                    clocks = _kept(file, "clocks") or {"offsets": (), "links": ()}
                    if table in compared:
                        compared[table] |= {(one["boot"], one["head"]) for one in clocks["offsets"]}
                    heard[table] |= {frozenset((one["boot"], one["head"])) for one in clocks["links"]}
                elif name[1] == "journal.db":
                    sql = "SELECT origin_table, stream, seq FROM facts WHERE seq IS NOT NULL"
                    places.update(file.database.execute(sql))
                    for n in self.tables:
                        links = _kept(file, f"clock_links:table{n}") or ()
                        told[n] |= {frozenset((one["boot"], one["head"])) for one in links}
                else:
                    for (origin,) in file.database.execute("SELECT origin FROM entries"):
                        if (one := _plain(origin)) is not None:
                            places.add((one["table"], one["stream"], one["seq"]))
        kept = {id(self._places[place]) for place in places if place in self._places}
        for table, text in rows:
            envelope = _envelope(text)
            self._place(table, envelope)
            if throw := self._places.get((table, envelope.stream, envelope.seq)):
                kept.add(id(throw))
        for throw in (one for throws in self.oracle.throws.values() for one in throws if one.saved):
            throw.saved = id(throw) in kept
        self.oracle.forgets(compared, told, heard)

    # What is left of it.

    def _outboxes(self) -> Iterator[tuple[int, str, int]]:
        """The places of all facts that tables keep on their cards."""
        for number, table in self.tables.items():
            if file := self.cards.file(Path(f"/cards/{table.what}/outbox.db")):
                rows = file.database.execute("SELECT stream, seq FROM envelopes").fetchall()
                yield from ((number, stream, seq) for stream, seq in rows)

    def lines(self) -> list[Line]:
        """The head's log, each roll with the throw that it is of, folded by the real engine."""
        evening, lines = Evening(), list[Line]()
        kept = set(self._outboxes())
        for entry in self.head.referee.log.entries:
            fact, origin = entry.decoded(), entry.origin
            try:
                counted = apply(evening, fact) is None
            except FactError:
                counted = False
            thrown = self._places.get((origin.table, origin.stream, origin.seq)) if origin else None
            plain = {
                name: getattr(fact, name, None)
                for name in ("t", "table", "dice", "epoch", "by", "no", "boot")
            }
            plain["kind"] = fact.__struct_config__.tag
            if plain["kind"] == "round_open":
                plain["epoch"] = evening.epoch
            entered = self.entered[written(entry)]
            at = self._published.get(entry.mac, entered)
            forgotten = origin is not None and (origin.table, origin.stream, origin.seq) not in kept
            lines.append(Line(entry.n, plain, at, thrown, counted, entered, forgotten))
        log = {entry.mac for entry in self.head.referee.log.entries}
        self.oracle.declined = Counter(kind for mac, kind in self.offered.items() if mac not in log)
        self._forgive_unverified()
        return lines

    def _forgive_unverified(self) -> None:
        """Throws that only entries of another key have, and no table: no head can verify and enter them.

        The host is asked about such a log if it has more, and takes one of several.
        """
        log = self.head.referee.log
        sure, unsure = set[tuple[int, str, int]](), set[tuple[int, str, int]]()
        for n, table in self.tables.items():
            if table.running:
                sure |= {(n, one.stream, one.seq) for one in table.outbox.envelopes(log.evening.id)}
        for card in self.cards_of.values():
            for path, file in card.files.items():
                if path.endswith("replica.db") and not file.damaged:
                    for mac, origin in file.database.execute("SELECT mac, origin FROM entries"):
                        if (one := _plain(origin)) is not None:
                            place = (one["table"], one["stream"], one["seq"])
                            (sure if self.made_by.get(mac) == log.key.id else unsure).add(place)
        for place in unsure - sure:
            if throw := self._places.get(place):
                throw.saved = False
