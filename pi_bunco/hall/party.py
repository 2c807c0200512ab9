"""A night that plays itself, one pure step after another: what follows from what happens in the hall."""

import signal
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from pi_bunco.game.board import Board
from pi_bunco.game.round import EndBell
from pi_bunco.hall.hall import Finish, Say, TellPages
from pi_bunco.log.entry import Entry
from pi_bunco.play.autohost import Autohost
from pi_bunco.play.chaos import Chaos
from pi_bunco.runtime.loop import Stop, Tick
from pi_bunco.runtime.supervisor import KillProcess, ProcessEnded, ProcessReady, StartProcess, Supervisor
from pi_bunco.wire import messages
from pi_bunco.wire.client import Received
from pi_bunco.wire.gate import decode
from pi_bunco.wire.messages import Command
from pi_bunco.wire.topics import WEB, WireError, table_node
from pi_bunco.words.results import RANG_BY

FILES_LOOK_EVERY_MS = 250.0
"""Milliseconds from one look at the files to the next."""
SETTLE_WITHIN_MS = 15_000.0
"""Milliseconds after the last round in which what the tables have saved must reach the journal."""
CLOSE_WITHIN_MS = 30_000.0
"""Milliseconds that the head has to close the evening, on a busy machine too."""
MAX_DEATHS = 5
"""Processes may end by themselves this often, the page apart."""
HOSTED_MAX_TABLES = 20
"""Tables at most for the evening of a person who hosts."""

NightStage = Literal["starting", "playing", "settling", "closing", "over"]


class KeyTyped(Struct, frozen=True):
    """A key was pressed; Enter is a line end."""

    key: str


class Look(Struct, frozen=True):
    """Look into the files whether all that the tables have saved has arrived."""


class Looked(Struct, frozen=True):
    """This many facts are still on their way."""

    missing: int


DemoEffect = Command | KillProcess | StartProcess | Look | Say | TellPages | Finish | Stop
"""A `Stop` is for a night that somebody ends before it is over."""


class Party:
    """Decides, from what happens, what the host asks for and which plug is pulled; `step` is all it does."""

    def __init__(
        self,
        host: Autohost,
        groups: Sequence[Sequence[str]],
        trouble: Chaos | None = None,
        *,
        alone: bool = True,
    ) -> None:
        """`groups` are the processes in the order in which they start.

        Where it is not `alone` a person hosts: then the night ends when that person wants it to.
        """
        self.host = host
        self.board: Board | None = None
        """The newest scoreboard."""
        self.stage: NightStage = "starting"
        self.began = self.ended = 0.0
        """The times at which the first round was asked for and the last was over (ms)."""
        self.deaths: list[str] = []
        """The processes that ended by themselves, and why."""
        self._alone = alone
        self._trouble = trouble
        self._supervisor = Supervisor(groups)
        self._awaited = {name for group in groups for name in group} - {WEB}
        self._stage_seen = ("", 0)
        self._looked_at = self._staged_at = 0.0

    @property
    def kills(self) -> Mapping[str, int]:
        """The plugs pulled, of each kind of process."""
        return self._trouble.kills if self._trouble else {}

    def step(self, message: object, now: float) -> list[DemoEffect]:
        """The effects of `message`, which came at `now` (ms of the clock)."""
        effects = list(self._follows(message, now))
        command = self.host.due(now) if self.stage in ("playing", "closing") else None
        return [*effects, *([command] if command else [])]

    def _follows(self, message: object, now: float) -> Iterator[DemoEffect]:
        match message:
            case Received():
                yield from self._received(message, now)
            case ProcessReady(name):
                yield from self._ready(name, now)
            case ProcessEnded():
                yield from self._ended(message, now)
            case Looked(missing) if self.stage == "settling":
                late = now - self._staged_at > SETTLE_WITHIN_MS
                if late or not (missing or self._supervisor.down):
                    self._begin("closing", now)
                    self.host.close()
            case KeyTyped(key):
                yield from self._key(key, now)
            case Tick():
                yield from self._tick(now)

    # What the head says.

    def _received(self, received: Received, now: float) -> Iterator[DemoEffect]:
        try:
            payload = decode(received.topic, received.payload, received.retained)
        except WireError as error:
            yield Say(f"not understood: {error}")
            return
        match payload:
            case messages.BoardMessage(board=board):
                yield from self._board(board, now)
            case messages.Answer():
                self.host.answer(payload, now)
                yield from (Say(f"The head refuses: {why}") for why in payload.why)
                yield from self._farewell()
            case Entry() if self._trouble:
                self._trouble.journaled(now)

    def _board(self, board: Board, now: float) -> Iterator[DemoEffect]:
        self.board = board
        self.host.board(board, now)
        if (news := self._news(board)) is not None:
            yield Say(news)
        if self.stage == "playing" and self.host.played and self._alone:
            yield from self._settle(now)
        if not self._alone:  # the evening of a person may have more tables than there are
            for number in range(1, len(board.next_seating or ()) + 1)[:HOSTED_MAX_TABLES]:
                yield from self._supervisor.add(table_node(number))
        yield from self._farewell()

    def _news(self, board: Board) -> str | None:
        before, self._stage_seen = self._stage_seen, (board.state, board.epoch)
        if before == self._stage_seen:
            return None
        match board.state:
            case "round_open":
                return f"Set {board.set}, round {board.round} has begun."
            case "after_bell" if board.bell:
                return f"The bell: {_bell_words(board.bell)}."
            case "between_rounds" | "break" | "finished" if board.rounds_played:
                return f"{board.rounds_played} of {board.rounds} rounds are played."
        return None

    # The processes.

    def _ready(self, name: str, now: float) -> Iterator[DemoEffect]:
        back = self._supervisor.was_ready(name)
        yield from self._supervisor.ready(name, now)
        if name == WEB and not back:
            yield TellPages()
        elif self.stage != "starting":
            yield Say(f"{_process_name(name)} is {'back' if back else 'there'}.")
        elif all(map(self._supervisor.was_ready, self._awaited)):
            self._begin("playing", now)
            self.began = now

    def _ended(self, ended: ProcessEnded, now: float) -> Iterator[DemoEffect]:
        """Reports a process that ended; the night is over if it is not started again, or too many ended."""
        again = self._supervisor.ended(ended.name, now)
        status = ended.status
        how = f"status {status}" if status >= 0 else signal.Signals(-status).name
        text = f"{_process_name(ended.name)} ended by itself ({how}): {ended.why}"
        if ended.name != WEB:
            self.deaths.append(text)
            if not again or len(self.deaths) > MAX_DEATHS:
                yield from self._over(Finish(text))
                return
        yield Say(text)

    def _plugs(self, now: float) -> Iterator[DemoEffect]:
        yield from self._supervisor.due(now)
        if self._trouble is None or self.stage != "playing":
            return
        for effect in self._trouble.due(now):
            yield effect
            if isinstance(effect, KillProcess):
                self._supervisor.killed(effect.name)
                yield Say(f"Somebody pulled the plug of {_process_name(effect.name).lower()}.")

    # The end.

    def _settle(self, now: float) -> Iterable[DemoEffect]:
        """Begins to settle after the last round: the lights go on, all that is on its way arrives."""
        self._begin("settling", now)
        self.ended = now
        return self._trouble.end() if self._trouble else []

    def _farewell(self) -> Iterable[DemoEffect]:
        """Ends the night once the evening is closed and the scoreboard shows it."""
        if self.stage == "closing" and self.host.closed and self.host.played:
            return self._over(Finish())
        return []

    def _over(self, finish: Finish | Stop) -> Iterable[DemoEffect]:
        self.stage = "over"
        return [finish]

    # The keyboard and time.

    def _key(self, key: str, now: float) -> Iterable[DemoEffect]:
        opened = self._alone or (self.board is not None and self.board.rules is not None)
        match key:
            case "\n" | "\r":
                self.host.start_round()
            case "e":
                self.host.end_round()
            case "q" if self.stage == "starting" or not opened:
                return self._over(Stop())
            case "q" if self.stage == "playing":
                return self._settle(now)
        return []

    def _tick(self, now: float) -> Iterator[DemoEffect]:
        yield from self._plugs(now)
        if self.stage == "settling" and now - self._looked_at >= FILES_LOOK_EVERY_MS:
            self._looked_at = now
            yield Look()
        if self.stage == "closing" and now - self._staged_at > CLOSE_WITHIN_MS:
            yield from self._over(Finish("the head does not close the evening"))

    def _begin(self, stage: NightStage, now: float) -> None:
        self.stage, self._staged_at = stage, now


def _bell_words(bell: EndBell) -> str:
    if did := RANG_BY.get(bell.by):
        return f"{bell.player} {did}"
    return "the time is over" if bell.by == "time" else "the host ends the round"


def _process_name(name: str) -> str:
    """A process as people call it, at the beginning of a sentence."""
    if name == WEB:
        return "The page"
    return f"Table {name.removeprefix('table')}" if name.startswith("table") else f"The {name}"
