"""News for everybody: views, round, scoreboard, log, who is head."""

import math
from collections import deque
from collections.abc import Iterable, Mapping
from functools import cache
from operator import is_
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.game import pace
from pi_bunco.game.board import Board
from pi_bunco.game.evening import Evening
from pi_bunco.game.rolloffs import awaited
from pi_bunco.game.scoreboard import scoreboard
from pi_bunco.game.snapshot import TableView, snapshot
from pi_bunco.game.table import Table
from pi_bunco.head.bell import SignalName
from pi_bunco.head.effects import HeadEffect
from pi_bunco.head.evening_log import EveningLog
from pi_bunco.head.presence import Presence, not_ready, why_not_start
from pi_bunco.head.reasons import FinishTurn, PressOk, RollOff, RollOneDie, sentence
from pi_bunco.log.entry import Entry
from pi_bunco.reason import Coded, Reason
from pi_bunco.rules import RuleSet, preset
from pi_bunco.rules.load import changes
from pi_bunco.wire import messages, topics
from pi_bunco.wire.client import Publish
from pi_bunco.wire.gate import LIMIT_BYTES, fitting
from pi_bunco.wire.log_exchange import answer_of
from pi_bunco.wire.messages import Phase, RoundInfo, View
from pi_bunco.wire.topics import Topic

BOARD_EVERY_MS = 100.0
"""Time between two scoreboards of up to `LARGE_HALL` tables; of more tables it is longer in proportion."""
LARGE_HALL = 30
WAITING_EVERY_MS = 500.0
"""Time between two looks at who is waited for or calls for the host: no fact tells of that."""
VIEW_EVERY_MS = 40.0
"""Time between two views of a table while it only rolls: its own lights wait for none of them."""
REPEAT_EVERY_MS = 200.0
"""Time between two messages that tell all again where the evening stands, for whoever came since."""

BELL_VALID_MS = 5000
"""Milliseconds after a bell in which its message means something."""


class HeadOptions(Struct, frozen=True):
    """The head's name and place; `auto_confirm` is how long (ms) a table that is done may take for its OK."""

    hall: str = "home"
    host: str = ""
    boot: str = "0"
    version: str = ""
    auto_confirm: float = 60_000.0


class Publisher:
    """Publishes what has changed since it was published last, while the broker is there."""

    def __init__(self, options: HeadOptions, log: EveningLog, presence: Presence) -> None:
        self.session = ""
        """The name of the connection, under which the head is known; "" while the broker is not there."""
        self._options = options
        self._log = log
        self._presence = presence
        self._stale = True
        self._views_due: dict[int, float] = {}
        """Per table that changed when (ms) a view of it may go out."""
        self._next_view_at = 0.0
        self._viewed_length = "", 0
        """The evening of the last view, and the greatest length of its log that views have told."""
        self._round_is_old = True
        self._repeats = False
        self._repeat_at = 0.0
        self._seen: tuple[Any, ...] = ()
        self._status: messages.HeadStatus | None = None
        self._reasons: tuple[Reason, ...] = ()
        self._round: messages.RoundInfo | None = None
        self._blinking: Mapping[int, tuple[Reason, ...]] = {}
        self._viewed_at: dict[int, float] = {}
        self._board_at = self._checked_at = 0.0
        self._waits = list[Reason]()

    def connected(self, session: str) -> list[HeadEffect]:
        """Republishes everything: the broker keeps nothing over a restart."""
        self.session, self._stale = session, True
        self._status = self._round = None
        self._changed(self._log.tables)
        self._round_is_old = True
        return self.entries(self._log.committed()[-1:])

    def disconnected(self) -> None:
        """The broker is gone."""
        self.session = ""

    def repeat_for(self, table: int | None) -> None:
        """A table or the page (None) came: it is told soon what is kept for it, which nats can leave out."""
        self._repeats = True
        if table is not None:
            self._changed((table,))

    def presence_changed(self) -> None:
        """A table has come or gone."""
        self._stale = True

    def check_waiting(self, now: float) -> None:
        """Looks now and then who is waited for."""
        if now - self._checked_at >= WAITING_EVERY_MS:
            self._checked_at = now
            self._stale |= self._waiting(now) != self._waits

    def due(
        self, faults: tuple[Reason, ...], blinking: Mapping[int, tuple[Reason, ...]], now: float
    ) -> list[HeadEffect]:
        """The changes that are not published yet; nothing of a round before it is in the journal.

        `blinking` has what each table that blinks says.
        """
        if not self.session or self._log.bell.start_is_due:
            return []
        self._look()
        if self._repeats and now >= self._repeat_at:
            self._repeats, self._repeat_at = False, now + REPEAT_EVERY_MS
            self._status = self._round = None
            self._round_is_old = True
        if blinking is not self._blinking:
            self._changed(n for n in {*blinking, *self._blinking} if blinking.get(n) != self._blinking.get(n))
            self._blinking = blinking
        return [*self._views(now), *self._head_status(faults, self._options.boot), *self._board(now)]

    def views(self, now: float) -> list[HeadEffect]:
        """The views of tables that facts have changed; all else waits until the facts are on disk."""
        if not self.session or self._log.bell.start_is_due:
            return []
        self._look()
        return self._views(now)

    def recovering(self, faults: tuple[Reason, ...]) -> list[HeadEffect]:
        """That a head is there, which does not know its evening yet."""
        return self._head_status(faults, None) if self.session else []

    def bell(self, signal: SignalName, t: int, cause: str) -> Publish:
        """The bell rang at `t` (ms of the evening clock)."""
        evening = self._log.evening
        message = messages.BellSignal(evening.id, evening.epoch, signal, t, t + BELL_VALID_MS, cause)
        return self.everyone("bell", message)

    def entries(self, entries: Iterable[Entry]) -> list[HeadEffect]:
        """Entries of the log for the replicas, each with the mac behind which it stands."""
        log = self._log.entries
        chained = [replace(one, before=log[one.n - 2].mac) if one.n > 1 else one for one in entries]
        return [self.everyone("log", one, retain=True) for one in chained]

    def everyone(self, leaf: str, message: Any, qos: int = 0, retain: bool = False) -> Publish:
        """A message for all."""
        return Publish(topics.everyone(self._options.hall, leaf), message, qos, retain)

    def _look(self) -> None:
        """Finds the tables that have changed: those of new facts, all when the round or the evening did."""
        log = self._log
        changed = log.changed()
        if changed is not None:
            round_ = log.evening.round
            seen = (
                log.evening,
                round_,
                round_ and round_.bell,
                phase(log.evening),
                log.evening.pace,
                log.branches,
            )
            if len(seen) == len(self._seen) and all(map(is_, seen, self._seen)):
                self._changed(changed)
            else:
                self._changed(log.tables)
                self._round_is_old = True
            self._seen, self._stale = seen, True

    def _changed(self, tables: Iterable[int]) -> None:
        """Makes a view of each due, at once or as soon as it may follow the one before."""
        for number in tables:
            last = self._viewed_at.get(number, -math.inf)
            at = self._views_due.setdefault(number, last + VIEW_EVERY_MS)
            self._next_view_at = min(self._next_view_at, at)

    def _views(self, now: float) -> list[HeadEffect]:
        log, due = self._log, self._views_due
        if log.evening.rules is None or not (due or self._round_is_old):
            return []
        if self._round_is_old:
            self._round_is_old = False
            info = round_info(log.evening, log.opened_t)
            if info != self._round:
                self._round = info
                return [self.everyone("round", info, qos=1, retain=True), *self._view(sorted(due), now)]
        if now < self._next_view_at:
            return []
        return self._view(sorted(number for number, at in due.items() if now >= at), now)

    def _view(self, numbers: Iterable[int], now: float) -> list[HeadEffect]:
        effects: list[HeadEffect] = []
        log, (evening, length) = self._log, self._viewed_length
        n = max(len(log.entries), length if evening == log.evening.id else 0)  # another end may be shorter
        self._viewed_length = log.evening.id, n
        for number in numbers:
            del self._views_due[number]
            if number <= log.evening.tables:
                self._viewed_at[number] = now
                view = table_view(log, n, self.session, number, self._blinking.get(number, ()))
                topic = topics.down(self._options.hall, f"table{number}", "view")
                effects.append(Publish(topic, view, 1, True))
        self._next_view_at = min(self._views_due.values(), default=math.inf)
        return effects

    def _head_status(self, reasons: tuple[Reason, ...], boot: str | None) -> list[HeadEffect]:
        options, evening, published = self._options, self._log.evening.id or None, self._status
        rewritten = self._log.rewritten
        if len(rewritten) > messages.MAX_REWRITTEN:
            rewritten = dict(list(rewritten.items())[-messages.MAX_REWRITTEN :])
        same = published is not None and (published.evening, published.boot) == (evening, boot)
        same = same and published is not None and published.rewritten == rewritten
        if same and reasons == self._reasons:
            return []
        faults, coded = fitting(reasons, sentence)
        self._reasons = reasons
        if published and same and published.faults == faults:
            return []
        length = len(self._log.entries)
        self._status = messages.HeadStatus(
            "online", self.session, options.host, options.version, evening, length, faults, coded, boot,
            dict(rewritten),
        )  # fmt: skip
        return [self.everyone("head", self._status, qos=1, retain=True)]

    def _board(self, now: float) -> list[HeadEffect]:
        if not self._stale or now < self._board_at:
            return []
        self._stale, self._board_at = (
            False,
            now + BOARD_EVERY_MS * max(self._log.evening.tables / LARGE_HALL, 1),
        )
        self._waits = self._waiting(now)
        waits = {
            "waiting": tuple(sentence(why.english()) for why in self._waits),
            "waiting_at": tuple(getattr(why, "table", 0) for why in self._waits),
            "reasons": tuple(map(Coded.beside, self._waits)),
        }
        board = replace(scoreboard(self._log.evening, self._log.last_roll), **waits)
        score = messages.BoardMessage(self._log.evening.id or None, fitting_board(board))
        return [self.everyone("score", score, qos=1, retain=True)]

    def _waiting(self, now: float) -> list[Reason]:
        """Calls of tables, and steps awaited after the bell, or reasons why no round can start."""
        evening, presence = self._log.evening, self._presence
        round_ = evening.round
        there = self._log.tables or {number for number in presence.tables if presence.online(number, now)}
        calls = [call for number in sorted(there) for call in presence.calls(number, now)]
        if round_ is None:
            return calls + why_not_start(evening, presence, now)
        playing = [table for table in round_.tables if not table.final]
        missing = not_ready(evening, presence, now)
        silent = [why for one in playing for why in missing.get(one.number, ())]
        return calls + silent + [_waits_for(one) for one in playing if round_.bell]


def _waits_for(table: Table) -> Reason:
    """The next step of a table that is not final after the bell."""
    match table.doing:
        case "done":
            return PressOk(table.number)
        case "one_die":
            return RollOneDie(table.number)
        case doing:
            step = RollOff if doing == "roll_off" else FinishTurn
            return step(table.number, table.seats[table.seat])


REQUESTS_WITHIN_MS = 1000.0
MAX_REQUESTS = 4
"""Requests of a node that are answered within that time: a mad one must not keep the head from its work."""


class Replicas:
    """Answers what is missing in the replicas; times are ms of the clock."""

    def __init__(self, hall: str, log: EveningLog) -> None:
        self._hall = hall
        self._log = log
        self._answered: dict[str, deque[float]] = {}

    def request(self, topic: Topic, request: messages.LogRequest, now: float) -> list[HeadEffect]:
        """The entries that are asked for, of the evening that runs."""
        if not topics.is_replica(topic.node) or request.evening != self._log.evening.id:
            return []
        answered = self._answered.setdefault(topic.node, deque(maxlen=MAX_REQUESTS))
        if len(answered) == MAX_REQUESTS and now - answered[0] < REQUESTS_WITHIN_MS:
            return []
        answered.append(now)
        answer = answer_of(request, self._log.committed()[request.start - 1 :])
        return [Publish(topics.down(self._hall, topic.node, "log"), answer, 1)]


BESIDE_BOARD_BYTES = 200
"""Bytes of a message beside the board."""
_PHASES: dict[str, Phase] = {
    "setup": "setup",
    "round_open": "open",
    "after_bell": "after_bell",
    "between_rounds": "between",
    "break": "break",
    "finished": "finished",
}


def phase(evening: Evening) -> Phase:
    """The evening's state in the word that goes over the wire."""
    return _PHASES[evening.state]


def round_info(evening: Evening, opened_t: int | None) -> RoundInfo:
    """The payload of `all/round`."""
    round_ = evening.round or (evening.rounds[-1] if evening.rounds else None)
    bell = round_.bell if round_ else None
    timed = pace.phase(evening)
    return RoundInfo(
        evening=evening.id or "none",
        epoch=evening.epoch,
        set=round_.set if round_ else 0,
        round=round_.place if round_ else 0,
        phase=phase(evening),
        opened_t=opened_t,
        bell_t=bell.t if bell else None,
        rules=evening.rules.preset if evening.rules else "",
        ends_t=timed.ends if timed and timed.step == "end" else None,
    )


def table_view(log: EveningLog, n: int, session: str, number: int, refused: tuple[Reason, ...] = ()) -> View:
    """The payload of `down/view` for table `number`, of the head's `session`, with the log's length `n`.

    While it is not empty the table blinks and shows `refused`.
    """
    evening = log.evening
    assert evening.rules is not None
    round_ = evening.round
    seats = evening.seating[number - 1] if evening.seating else None
    table, rolls = None, None
    if round_:
        table = snapshot(round_.tables[number - 1])
    else:
        rolls = awaited(evening, number)
    lines, coded = fitting(refused, sentence) if refused else ((), ())
    text = "\n".join(lines)
    state = TableView(number in evening.by_hand, evening.closed, text, table, rolls, coded)
    ghosts = [name for name in seats or () if name in (round_.ghosts if round_ else evening.people.ghosts)]
    return View(
        evening=evening.id,
        session=session,
        branches=log.branches,
        n=n,
        epoch=evening.epoch,
        upto=dict(log.upto.get(number, {})),
        phase=phase(evening),
        rules=evening.rules.preset,
        overrides=_overrides(evening.rules),
        seats=seats,
        ghosts=tuple(ghosts),
        set=round_.set if round_ else 0,
        round=round_.place if round_ else 0,
        bell_t=round_.bell.t if round_ and round_.bell else None,
        state=state,
    )


@cache
def _overrides(rules: RuleSet) -> dict[str, Any]:
    """In what the rules differ from their preset; the same for every view of an evening."""
    return changes(rules, preset(rules.preset))


def fitting_board(board: Board) -> Board:
    """As much of a large hall's scoreboard as one message holds; `left_out` names the rest."""
    left_out: list[str] = []
    empty: list[dict[str, Any]] = [
        {"standings": {}}, {"next_seating": ()}, {"tables": ()}, {"waiting": (), "waiting_at": ()},
    ]  # fmt: skip
    if len(msgspec.json.encode(board)) > (room := LIMIT_BYTES - BESIDE_BOARD_BYTES):
        board = replace(board, reasons=())  # the English is there
    for nothing in empty:
        if len(msgspec.json.encode(board)) <= room:
            break
        left_out.append(next(iter(nothing)))
        board = replace(board, **nothing, left_out=tuple(left_out))
    return board
