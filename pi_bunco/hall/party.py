"""A night that plays itself, one pure step after another: what follows from what happens in the hall."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from pi_bunco.game.round import EndBell
from pi_bunco.game.scoreboard import Board
from pi_bunco.hall.happenings import Chime, Draw, Effect, Finish, Interrupt, Key, Look, Looked, Say, TellPages
from pi_bunco.hall.night import Ended, Ready, signal_name
from pi_bunco.hall.pages import WEB
from pi_bunco.hall.screen import Picture
from pi_bunco.log.entry import Entry
from pi_bunco.play.autohost import Autohost
from pi_bunco.play.chaos import Chaos, Kill, Start, table
from pi_bunco.runtime.loop import Tick
from pi_bunco.wire import messages
from pi_bunco.wire.client import Connected, Disconnected, Received
from pi_bunco.wire.gate import decode
from pi_bunco.wire.topics import WireError

FRAME = 100.0
"""Milliseconds from one picture to the next."""
LOOK = 250.0
"""Milliseconds from one look at the files to the next."""
SETTLE = 15_000.0
"""Milliseconds after the last round in which what the tables have saved must reach the journal."""
FAREWELL = 30_000.0
"""Milliseconds that the head has to close the evening, on a busy machine too."""
AGAIN = 500.0
"""Milliseconds after which a process that ended by itself is started again."""
DEATHS = 5
"""So often a process may end by itself."""
TABLES = 20
"""So many tables are there at most for the evening of a person who hosts."""

Stage = Literal["starting", "playing", "settling", "closing", "over"]


class Party:
    """Decides, from what happens, what the host asks for and which plug is pulled; `step` is all it does."""

    def __init__(
        self,
        host: Autohost,
        trouble: Chaos | None,
        picture: Picture,
        names: Iterable[str],
        *,
        alone: bool = True,
    ) -> None:
        """`names` are the processes that have to be ready before anything is played.

        Where it is not `alone` a person hosts: then the night ends when that person wants it to.
        """
        self.host = host
        self._alone = alone
        self.picture = picture
        self.stage: Stage = "starting"
        self.began = self.ended = 0.0
        """When the first round was asked for and when the last was over (ms)."""
        self.deaths: list[str] = []
        """The processes that ended by themselves, and why."""
        self._trouble = trouble
        self._awaited = set(names)
        self._known = set(self._awaited)
        self._was_ready: set[str] = set()
        self._page_deaths = 0
        self._starts: dict[str, float] = {}
        self._stage_seen = ("", 0)
        self._drawn_at = self._looked_at = self._staged_at = 0.0

    def step(self, message: object, now: float) -> list[Effect]:
        """What is to be done about `message`, which came at `now` (ms of the clock)."""
        effects = _STEPS[type(message)](self, message, now)
        command = self.host.due(now) if self.stage in ("playing", "closing") else None
        return [*effects, *([command] if command else [])]

    @property
    def kills(self) -> Mapping[str, int]:
        """How often the plug of each kind of process was pulled."""
        return self._trouble.kills if self._trouble else {}

    # What the head says.

    def _received(self, message: Received, now: float) -> list[Effect]:
        try:
            payload = decode(message.topic, message.payload, message.retained)
        except WireError as error:
            return [self._say(f"not understood: {error}")]
        match payload:
            case messages.BoardMessage():
                return self._board(payload.board, now)
            case messages.Answer():
                return self._answer(payload, now)
            case messages.BellSignal():
                return self._bell(payload, now)
            case Entry() if self._trouble:
                self._trouble.journaled(now)
        return []

    def _board(self, board: Board, now: float) -> list[Effect]:
        self.picture.board = board
        self.host.board(board, now)
        effects: list[Effect] = [self._say(text) for text in self._news(board)]
        if self.stage == "playing" and self.host.played and self._alone:
            effects += self._settle(now)
        return [*effects, *(() if self._alone else self._more_tables(board)), *self._farewell()]

    def _more_tables(self, board: Board) -> list[Effect]:
        """The tables that the evening of a person has beyond those that are there."""
        wanted = [table(number) for number in range(1, len(board.next_seating or ()) + 1)[:TABLES]]
        missing = [name for name in wanted if name not in self._known]
        self._known |= set(missing)
        return [Start(name) for name in missing]

    def _news(self, board: Board) -> list[str]:
        before, self._stage_seen = self._stage_seen, (board.state, board.epoch)
        if before == self._stage_seen:
            return []
        match board.state:
            case "round_open":
                return [f"Set {board.set}, round {board.round} has begun."]
            case "after_bell" if board.bell:
                return [f"The bell: {_why(board.bell)}."]
            case "between_rounds" | "break" | "finished" if board.rounds_played:
                return [f"{board.rounds_played} of {board.rounds} rounds are played."]
        return []

    def _answer(self, answer: messages.Answer, now: float) -> list[Effect]:
        self.host.answer(answer, now)
        return [*(self._say(f"The head refuses: {why}") for why in answer.why), *self._farewell()]

    def _bell(self, bell: messages.BellSignal, now: float) -> list[Effect]:
        board = self.picture.board
        why = "the round begins" if bell.signal == "start" else _CAUSES.get(bell.cause, "the round is over")
        if bell.signal == "end" and board and board.bell and board.epoch == bell.epoch:
            why = _why(board.bell)
        self.picture.ring(why, now)
        return [Chime()]

    def _linked(self, _message: Connected | Disconnected, _now: float) -> list[Effect]:
        return []

    # The processes.

    def _ready(self, message: Ready, now: float) -> list[Effect]:
        back = message.name in self._was_ready
        self._was_ready.add(message.name)
        if message.name == WEB and not back:
            return [TellPages()]
        self._awaited.discard(message.name)
        self.picture.down -= {message.name}
        if self.stage != "starting":
            return [self._say(f"{_spoken(message.name)} is {'back' if back else 'there'}.")]
        if self._awaited:
            return []
        self._begin("playing", now)
        self.began = self.picture.began = now
        return []

    def _ended(self, message: Ended, now: float) -> list[Effect]:
        text = f"{_spoken(message.name)} ended by itself ({signal_name(message.status)}): {message.why}"
        if message.name == WEB:
            return self._page_ended(text, now)
        self.deaths.append(text)
        self.picture.down |= {message.name}
        if len(self.deaths) > DEATHS:
            return self._over(Finish(text))
        self._starts[message.name] = now + AGAIN
        return [self._say(text)]

    def _page_ended(self, text: str, now: float) -> list[Effect]:
        """A night goes on without its pages."""
        self._page_deaths += 1
        if self._page_deaths <= DEATHS:
            self._starts[WEB] = now + AGAIN
        return [self._say(text)]

    def _kill(self, name: str) -> list[Effect]:
        self._starts.pop(name, None)
        self.picture.down |= {name}
        return [Kill(name), self._say(f"Somebody pulled the plug of {_spoken(name).lower()}.")]

    def _plugs(self, now: float) -> list[Effect]:
        effects: list[Effect] = [Start(name) for name, at in self._starts.items() if at <= now]
        self._starts = {name: at for name, at in self._starts.items() if at > now}
        if self._trouble and self.stage == "playing":
            for happens in self._trouble.due(now):
                effects += [happens] if isinstance(happens, Start) else self._kill(happens.name)
        return effects

    # The end.

    def _settle(self, now: float) -> list[Effect]:
        """The last round is over: the lights go on again, and all that is on its way arrives."""
        self._begin("settling", now)
        self.ended = now
        return list(self._trouble.end()) if self._trouble else []

    def _looked(self, message: Looked, now: float) -> list[Effect]:
        late = now - self._staged_at > SETTLE
        if self.stage == "settling" and (late or not (message.missing or self.picture.down)):
            self._begin("closing", now)
            self.host.close()
        return []

    def _farewell(self) -> list[Effect]:
        """Once the evening is closed and the scoreboard shows it, the night is over."""
        if self.stage != "closing" or not (self.host.closed and self.host.played):
            return []
        return self._over(Finish())

    def _over(self, finish: Finish) -> list[Effect]:
        if self.stage == "over":
            return []
        self.stage = "over"
        return [Draw(), finish]

    def _interrupt(self, _message: Interrupt, _now: float) -> list[Effect]:
        return self._over(Finish(early=True))

    # The keyboard and time.

    def _key(self, message: Key, now: float) -> list[Effect]:
        match message.key:
            case "\n" | "\r":
                self.host.start_round()
            case "e":
                self.host.end_round()
            case "q" if self.stage == "starting" or not self._opened:
                return self._over(Finish(early=True))
            case "q" if self.stage == "playing":
                return self._settle(now)
        return []

    @property
    def _opened(self) -> bool:
        board = self.picture.board
        return self._alone or (board is not None and board.rules is not None)

    def _tick(self, _tick: Tick, now: float) -> list[Effect]:
        effects = self._plugs(now)
        if self.stage == "settling" and now - self._looked_at >= LOOK:
            self._looked_at = now
            effects.append(Look())
        if self.stage == "closing" and now - self._staged_at > FAREWELL:
            effects += self._over(Finish("the head does not close the evening"))
        if now - self._drawn_at >= FRAME:
            self._drawn_at = now
            effects.append(Draw())
        return effects

    def _begin(self, stage: Stage, now: float) -> None:
        self.stage, self._staged_at = stage, now

    def _say(self, text: str) -> Say:
        self.picture.tell(text)
        return Say(text)


_STEPS: dict[type, Callable[[Party, Any, float], list[Effect]]] = {
    Received: Party._received,
    Connected: Party._linked,
    Disconnected: Party._linked,
    Ready: Party._ready,
    Ended: Party._ended,
    Looked: Party._looked,
    Key: Party._key,
    Interrupt: Party._interrupt,
    Tick: Party._tick,
}
_CAUSES = {
    "bunco": "a Bunco at the head table",
    "points": "the head table has the points",
    "time": "the time is over",
    "host": "the host ends the round",
}


def _why(bell: EndBell) -> str:
    match bell.by:
        case "bunco":
            return f"{bell.player} rolled a Bunco"
        case "points":
            return f"{bell.player} reached the points"
        case by:
            return _CAUSES[by]


def _spoken(name: str) -> str:
    if name == WEB:
        return "The page"
    return f"Table {name.removeprefix('table')}" if name.startswith("table") else f"The {name}"
