"""The shell of the demo: a whole night on this machine, played, watched, and examined afterwards."""

import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from queue import SimpleQueue
from random import Random
from typing import Any, Protocol, Self

from msgspec import Struct
from msgspec.structs import asdict

from pi_bunco.game.replay import Replay, replay
from pi_bunco.game.scoreboard import Board, scoreboard
from pi_bunco.hall import evidence
from pi_bunco.hall.evidence import Evidence
from pi_bunco.hall.happenings import Chime, Draw, Effect, Finish, Interrupt, Key, Look, Looked, Say, TellPages
from pi_bunco.hall.night import Night, NightOptions
from pi_bunco.hall.pages import WEB, DemoPages, prepare_evening
from pi_bunco.hall.party import Party
from pi_bunco.hall.screen import Picture
from pi_bunco.head.publisher import fitting_board
from pi_bunco.log import journal
from pi_bunco.play.autohost import Autohost, HostPlan, Patience
from pi_bunco.play.chaos import BROKER, Chaos, Kill, Start
from pi_bunco.play.people import Habits
from pi_bunco.rules import RuleSet
from pi_bunco.rules.load import changes, preset
from pi_bunco.rules.odds import odds
from pi_bunco.runtime.clock import SystemClock
from pi_bunco.runtime.loop import Stop, run
from pi_bunco.wire import topics
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.broker import Kind
from pi_bunco.wire.client import Client, Publish, send
from pi_bunco.wire.messages import Command

HALL = "home"
NODE = "host-demo"
SET, PRACTICE_SET = 120.0, 360.0
"""Seconds that a set takes where nobody asks for another speed, and where a person hosts."""
FORGETS = 0.25
"""How likely a table forgets its OK where a person hosts, who then confirms for it."""
MOVE = 12.0
"""Seconds in which people at a party change tables."""
AFTER_BELL = {"stop": 0, "finish_turn": 3, "finish_lap": 6}
"""About so many rolls of the slowest table come after the bell."""
TRIPS = 8
"""About so often in a set somebody trips over a plug."""
FEW = 4
"""Tables whose people may roll as fast as it goes."""
HURRIED = 100
"""How many times as fast as at a party people are who shall go as fast as it goes, but not madly."""
DARK, FASTEST_DARK = 2000.0, 400.0
"""Milliseconds that the plug is out at most, at any pace and as fast as it goes."""
_NAMES = (
    *("Ann", "Bob", "Cat", "Dee", "Eve", "Flo", "Gus", "Hal", "Ida", "Jim", "Kay", "Lou"),
    *("Mia", "Ned", "Ola", "Pat", "Quin", "Rae", "Sam", "Tia", "Ula", "Val", "Wes", "Zoe"),
)


class Spectator(Protocol):
    """Whoever looks on."""

    def say(self, text: str) -> None:
        """Hears what happened."""

    def chime(self) -> None:
        """Hears a bell."""

    def draw(self, picture: Picture, now: float) -> None:
        """Sees the picture at `now` (ms)."""


class Setting(Struct, frozen=True):
    """What is to be played; `pace` is how many times as fast as at a party, None for as fast as it goes."""

    rules: RuleSet
    players: int
    sets: int
    seed: int
    pace: float | None
    by_hand: bool = False
    """Whether a person hosts, on the page and at the keyboard."""
    chaos: bool = False
    broker: Kind | None = None
    hint: str = ""
    pages: DemoPages | None = None

    @property
    def tables(self) -> int:
        """How many tables there are."""
        return -(-self.players // 4)


class NightOutcome(Struct, frozen=True):
    """What came of a night; `complaints` has a sentence for everything that is not as it should be."""

    seconds: float
    played: Replay
    evidence: Evidence
    equal: bool
    kills: Mapping[str, int]
    deaths: list[str]
    complaints: list[str]


def _pace(setting: Setting) -> str:
    """The pace for the tables' command line.

    People who need no time at all roll thousands of times while the head is dark, or busy with many tables
    on this one machine; those of no party do.
    """
    if setting.pace is not None:
        return f"{setting.pace:.3f}"
    few = setting.tables <= FEW
    return "max" if few and not setting.chaos else f"{HURRIED * min(FEW / setting.tables, 1):.3f}"


def names(number: int) -> tuple[str, ...]:
    """So many people, each with a name of their own."""
    return tuple(
        _NAMES[n % len(_NAMES)] + (f" {n // len(_NAMES) + 1}" if n >= len(_NAMES) else "")
        for n in range(number)
    )


def set_rolls(rules: RuleSet) -> float:
    """How many rolls a table makes in a set, by the exact odds."""
    bells = [odds(rules, face).bell for face in range(1, 7)]
    return sum((bell.mean if bell else 0.0) + AFTER_BELL[rules.after_bell] for bell in bells)


def set_seconds(rules: RuleSet) -> float:
    """About how many seconds a set takes at a party."""
    habits = Habits()
    roll = (habits.think + habits.tumble) / 1000
    return set_rolls(rules) * roll + 6 * (1.5 * habits.ok / 1000 + MOVE)


class Demo:
    """A night in `folder`; `inbox` also takes keys and the wish to end.

    As a context manager it ends every process. It belongs in the thread that made it.
    """

    def __init__(self, setting: Setting, folder: Path, inbox: SimpleQueue[Any]) -> None:
        """Starts the broker; `BrokerError` if there is none."""
        self._inbox = inbox
        self._setting = setting
        self._clock = SystemClock()
        forgets = FORGETS if setting.by_hand else 0.0
        hall = NightOptions(
            setting.tables, _pace(setting), setting.seed, forgets=forgets, pages=setting.pages
        )
        if setting.by_hand:
            prepare_evening(folder / WEB, setting.rules, names(setting.players), setting.sets)
        self._night = Night(hall, folder, self._inbox.put, setting.broker)
        self._party = self._planned()
        address = BrokerAddress.parse(self._night.address)
        self._client = Client(address, NODE, self._inbox.put, topics.inbox(HALL, NODE, replica=setting.chaos))
        self._saved: dict[evidence.Key, Any] = {}
        self._finish: Finish | None = None

    def _planned(self) -> Party:
        setting, rules = self._setting, self._setting.rules
        overrides = changes(rules, preset(rules.preset))
        plan = HostPlan(rules.preset, names(setting.players), setting.sets, setting.seed, overrides)
        pause = 0.0 if setting.pace is None else MOVE * 1000 / setting.pace
        patience = Patience(between=pause, missing=max(pause, 3000.0))
        host = Autohost(plan, patience, f"demo-{secrets.token_hex(4)}", alone=not setting.by_hand)
        picture = Picture(rules.preset, rules.champion, hint=setting.hint)
        trouble = self._trouble() if setting.chaos else None
        return Party(host, trouble, picture, self._night.names, alone=not setting.by_hand)

    def _trouble(self) -> Chaos:
        setting = self._setting
        facts = setting.tables * set_rolls(setting.rules) / TRIPS
        dark = FASTEST_DARK if setting.pace is None else DARK
        return Chaos(Random(f"chaos/{setting.seed}"), setting.tables, facts, dark)

    def play(self, spectator: Spectator, found: Callable[[DemoPages], None]) -> NightOutcome | None:
        """Plays the night to its end before `spectator`; None if somebody wanted to stop.

        `found` is told, at each start of the page service, where the pages are.
        """
        self._spectator, self._found = spectator, found
        for name in [*self._night.names, *([WEB] if self._setting.pages else [])]:
            if name != BROKER:
                self._night.start(name)
        self._client.start()
        run(self._inbox, self._clock, self._party.step, self._perform)
        assert self._finish is not None
        return None if self._finish.early else self._outcome(self._finish)

    def stay(self) -> None:
        """Serves the pages until somebody presses Enter or q, or wants to stop."""
        run(self._inbox, self._clock, self._until_key, lambda _: self._inbox.put(Stop()))

    def _until_key(self, message: object, _now: float) -> list[object]:
        ends = isinstance(message, Interrupt) or (isinstance(message, Key) and message.key in "\r\nq")
        return [message] if ends else []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()
        self._night.stop()

    def _perform(self, effect: Effect) -> object | None:
        match effect:
            case Command():
                send(self._client, Publish(topics.up(HALL, NODE, "command"), effect, 1))
            case Kill():
                self._night.kill(effect.name)
            case Start():
                self._night.start(effect.name)
            case Look():
                return self._look()
            case Say():
                self._spectator.say(effect.text)
            case Chime():
                self._spectator.chime()
            case Draw():
                self._spectator.draw(self._party.picture, self._clock.now())
            case TellPages() if self._setting.pages:
                self._party.picture.hint += f"\n{self._setting.pages}"
                self._found(self._setting.pages)
            case Finish():
                self._finish = effect
                self._inbox.put(Stop())
        return None

    def _look(self) -> Looked:
        """A table forgets what has arrived as soon as the evening is closed, so it is looked up before."""
        log = evidence.entries(self._night.journal)
        self._saved = evidence.saved(self._night.outboxes, log[0].evening if log else "")
        return Looked(evidence.missing(self._saved, log))

    def _outcome(self, finish: Finish) -> NightOutcome:
        log = evidence.entries(self._night.journal)
        saved = self._saved | evidence.saved(self._night.outboxes, log[0].evening if log else "")
        found = evidence.examine(log, saved, self._night.bells)
        exported = self._night.folder / "evening.jsonl"
        exported.write_bytes(b"".join(journal.export(self._night.journal)) if log else b"")
        with exported.open("rb") as lines:
            played = replay(lines, str(exported))
        wrong = differences(self._party.picture.board, played)
        equal = not wrong
        complaints = [f"{finish.why}."] if finish.why else []
        complaints += found.complaints
        if not (equal or finish.why):
            complaints.append(
                f"The head's last scoreboard is not what a replay of its journal gives: {', '.join(wrong)}."
            )
        return NightOutcome(
            seconds=(self._party.ended - self._party.began) / 1000,
            played=played,
            evidence=found,
            equal=equal,
            kills=dict(self._party.kills),
            deaths=self._party.deaths,
            complaints=complaints,
        )


def differences(board: Board | None, played: Replay) -> list[str]:
    """Where the scoreboard of an evening that is over does not show what `played` gives.

    The throws that are awaited for a prize end with the close, which the last scoreboard may not show yet.
    """
    if board is None:
        return ["there is none"]
    expected = asdict(fitting_board(scoreboard(played.evening, {}, board.waiting)))
    return [
        f"{key} {value!r:.80} for {expected[key]!r:.80}"
        for key, value in sorted(asdict(board).items())
        if key != "rolling" and value != expected[key]
    ]
