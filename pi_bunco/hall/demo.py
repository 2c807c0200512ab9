"""The demo: a hall with simulated players, told while it plays, and examined afterwards."""

import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any, Self

import msgspec
from msgspec import Struct

from pi_bunco.game.opening import chairs
from pi_bunco.game.replay import Replay, replay
from pi_bunco.hall import evidence
from pi_bunco.hall.evidence import Evidence
from pi_bunco.hall.hall import Finish, Hall, HallSettings, PageAddresses, Say, SimulatedTables, TellPages
from pi_bunco.hall.party import DemoEffect, KeyTyped, Look, Looked, Party
from pi_bunco.log import journal
from pi_bunco.play.autohost import Autohost, HostPlan, Waits
from pi_bunco.play.chaos import BROKER_PROCESS, Chaos
from pi_bunco.play.lengths import MOVE_S, set_rolls
from pi_bunco.rules import RuleSet
from pi_bunco.rules.load import changes, preset
from pi_bunco.runtime.clock import SystemClock
from pi_bunco.runtime.loop import LoopInbox, Stop, run
from pi_bunco.runtime.supervisor import KillProcess, StartProcess
from pi_bunco.runtime.writer import Reports
from pi_bunco.web.pages.host.prepare.draft import Draft
from pi_bunco.web.site.page_state import DRAFT
from pi_bunco.web.site.page_store import WebStore
from pi_bunco.web.site.server import Endpoint
from pi_bunco.wire import topics
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.broker import BrokerError, BrokerKind
from pi_bunco.wire.client import Client, Publish, send
from pi_bunco.wire.messages import Command

HALL = "home"
DEMO_NODE = "host-demo"
SET_S, HOSTED_SET_S = 120.0, 360.0
"""Seconds that a set takes where nobody asks for another speed, and where a person hosts."""
FORGETS_CHANCE = 0.25
"""The chance that a table forgets its OK where a person hosts, who then confirms for it."""
TRIPS_A_SET = 8
"""Times that somebody trips over a plug in a set, about."""
FEW_TABLES = 4
"""Tables whose people may roll as fast as it goes."""
HURRIED_PACE = 100
"""The pace of people who shall go as fast as it goes, but not madly."""
DARK_MS, FASTEST_DARK_MS = 2000.0, 400.0
"""Milliseconds that the plug is out at most, at any pace and as fast as it goes."""
_NAMES = (
    *("Ann", "Bob", "Cat", "Dee", "Eve", "Flo", "Gus", "Hal", "Ida", "Jim", "Kay", "Lou"),
    *("Mia", "Ned", "Ola", "Pat", "Quin", "Rae", "Sam", "Tia", "Ula", "Val", "Wes", "Zoe"),
)


class Setting(Struct, frozen=True):
    """A night to be played; `pace` is a multiple of a party's, None for as fast as it goes.

    `place` is where the pages are served, None for none.
    """

    rules: RuleSet
    players: int
    sets: int
    seed: int
    pace: float | None
    by_hand: bool = False
    """True where a person hosts, on the page and at the keyboard."""
    chaos: bool = False
    broker: BrokerKind | None = None
    place: Endpoint | None = None

    @property
    def tables(self) -> int:
        """The number of tables at the beginning."""
        return (self.players + chairs(self.rules, self.players)[1]) // 4

    @property
    def overrides(self) -> dict[str, Any]:
        """The changes of the rules to their preset."""
        return changes(self.rules, preset(self.rules.preset))


class NightOutcome(Struct, frozen=True):
    """The outcome of a night; `complaints` has a sentence for everything that is not as it should be."""

    seconds: float
    played: Replay
    evidence: Evidence
    equal: bool
    kills: Mapping[str, int]
    deaths: list[str]
    complaints: list[str]


def names(number: int) -> tuple[str, ...]:
    """This many people, each with a name of their own."""
    return tuple(
        _NAMES[n % len(_NAMES)] + (f" {n // len(_NAMES) + 1}" if n >= len(_NAMES) else "")
        for n in range(number)
    )


class Demo:
    """A night in `folder`; `inbox` also takes keys and the wish to end.

    As a context manager it ends every process. It belongs in the thread that made it.
    """

    def __init__(self, setting: Setting, folder: Path, inbox: LoopInbox) -> None:
        """Starts the broker; `BrokerError` if there is none."""
        self._setting = setting
        self._folder = folder
        self._inbox = inbox
        self._clock = SystemClock()
        self._bells = folder / "bells.jsonl"
        self._hall = Hall(_settings(setting, folder, self._bells), inbox.put)
        if setting.by_hand:
            _prepare_evening(setting, folder)
        self._party = _party(setting, self._hall.groups)
        if failed := self._hall.start(BROKER_PROCESS):
            raise BrokerError(failed.why)
        address = BrokerAddress.parse(self._hall.address)
        self._client = Client(
            address, DEMO_NODE, inbox.put, topics.inbox(HALL, DEMO_NODE, replica=setting.chaos)
        )
        self._saved: dict[evidence.FactKey, Any] = {}
        self._finish: Finish | None = None

    @property
    def pages(self) -> PageAddresses | None:
        """The addresses of the pages, if there are any."""
        return self._hall.pages

    def play(self, say: Callable[[str], object], browse: Callable[[str], object]) -> NightOutcome | None:
        """Plays the night to its end and says what happens; None if somebody wanted to stop.

        `browse` is given the page to look at, once it is there.
        """
        self._say, self._browse = say, browse
        self._client.start()
        run(self._inbox, self._clock, self._party.step, self._perform)
        return self._outcome(self._finish.why) if self._finish else None

    def stay(self) -> None:
        """Serves the pages until somebody presses Enter or q, or wants to stop."""

        def pressed(message: object, _now: float) -> list[Stop]:
            return [Stop()] if isinstance(message, KeyTyped) and message.key in "\r\nq" else []

        run(self._inbox, self._clock, pressed, self._inbox.put)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()
        self._hall.close()

    def _perform(self, effect: DemoEffect) -> object | None:
        match effect:
            case Command():
                send(self._client, Publish(topics.up(HALL, DEMO_NODE, "command"), effect, 1))
            case StartProcess(name):
                return self._hall.start(name)
            case KillProcess(name):
                self._hall.kill(name)
            case Look():  # a table forgets what has arrived as soon as the evening is closed
                log = journal.latest(self._journal)
                self._saved = evidence.saved(self._folder, log[0].evening if log else "")
                return Looked(evidence.missing(self._saved, log))
            case Say(text):
                self._say(text)
            case TellPages() if pages := self.pages:
                self._say(f"Scoreboard: {pages.scoreboard}   Host's page: {pages.host}, PIN {pages.pin}")
                self._browse(pages.host_opened if self._setting.by_hand else pages.scoreboard)
            case Finish():
                self._finish = effect
                self._inbox.put(Stop())
            case Stop():
                self._inbox.put(effect)
        return None

    @property
    def _journal(self) -> Path:
        return self._folder / topics.HEAD / "journal.db"

    def _outcome(self, why: str) -> NightOutcome:
        log = journal.latest(self._journal)
        saved = self._saved
        if not self._setting.by_hand:  # else people roll on until the close: that waits for a reopening
            saved = saved | evidence.saved(self._folder, log[0].evening if log else "")
        found = evidence.examine(log, saved, self._bells)
        exported = self._folder / "evening.jsonl"
        exported.write_bytes(b"".join(journal.export(self._journal)) if log else b"")
        with exported.open("rb") as lines:
            played = replay(lines, str(exported))
        wrong = evidence.differences(self._party.board, played)
        complaints = [*([f"{why}."] if why else []), *found.complaints]
        if wrong and not why:
            complaints.append(
                f"The head's last scoreboard is not what a replay of its journal gives: {', '.join(wrong)}."
            )
        return NightOutcome(
            seconds=(self._party.ended - self._party.began) / 1000,
            played=played,
            evidence=found,
            equal=not wrong,
            kills=dict(self._party.kills),
            deaths=self._party.deaths,
            complaints=complaints,
        )


def _settings(setting: Setting, folder: Path, bells: Path) -> HallSettings:
    """The hall of a demo.

    People who need no time at all roll thousands of times while the head is dark, or busy with many tables
    on this one machine; those of no party do.
    """
    if setting.pace is not None:
        pace = f"{setting.pace:.3f}"
    elif setting.chaos or setting.tables > FEW_TABLES:
        pace = f"{HURRIED_PACE * min(FEW_TABLES / setting.tables, 1):.3f}"
    else:
        pace = "max"
    tables = SimulatedTables(setting.tables, pace, setting.seed, FORGETS_CHANCE if setting.by_hand else 0.0)
    bell = f"virtual:{bells}"
    return HallSettings(folder, setting.place, broker=setting.broker, bell=bell, simulated=tables)


def _party(setting: Setting, groups: list[list[str]]) -> Party:
    rules, pace = setting.rules, setting.pace
    plan = HostPlan(rules.preset, names(setting.players), setting.sets, setting.seed, setting.overrides)
    pause = 0.0 if pace is None else MOVE_S * 1000 / pace
    waits = Waits(between=pause, missing=max(pause, 3000.0))
    host = Autohost(plan, waits, f"demo-{secrets.token_hex(4)}", alone=not setting.by_hand)
    trouble = None
    if setting.chaos:
        facts = setting.tables * set_rolls(rules) / TRIPS_A_SET
        dark = FASTEST_DARK_MS if pace is None else DARK_MS
        trouble = Chaos(Random(f"chaos/{setting.seed}"), setting.tables, facts, dark)
    return Party(host, groups, trouble, alone=not setting.by_hand)


def _prepare_evening(setting: Setting, folder: Path) -> None:
    """Puts people and rules onto the page "prepare" of the page service that is to start."""
    overrides = setting.overrides | {"evening.sets": setting.sets}
    draft = Draft(names=names(setting.players), rules=setting.rules.preset, overrides=overrides)
    store = WebStore(folder / "web" / "web.db", Reports(lambda _: None, lambda _: None))
    store.keep(DRAFT, msgspec.to_builtins(draft))
    store.close()
