"""The people of a hall: four at each table with their dice and dice box, and a host who presses too often."""

from random import Random
from typing import TYPE_CHECKING, Any, Literal, cast

from pi_bunco.devices.protocols import LightState, Press, ThreeFaces, Throw, ThrowMark
from pi_bunco.play.players import Habits, Players
from pi_bunco.reason import Coded
from pi_bunco.wire import topics
from pi_bunco.wire.client import Publish
from pi_bunco.wire.gate import Delivered
from pi_bunco.wire.messages import Answer, BoardMessage, Command, HeadStatus
from vopr.network import Link
from vopr.oracle import Promise
from vopr.oracle import Throw as TrueThrow

if TYPE_CHECKING:
    from vopr.hall import Hall
    from vopr.services import TableProcess

OTHER_ENDS = ("other_end", "other_key")
"""Words of the head on an end of the log that only the host can choose."""
PLAY_S, MOVE_S, LOST_S = 20, 12, 40
"""Seconds of a round and to the next by the clock, and until a host gives up on it and sets it again."""
PACE = Habits(think=350.0, tumble=200.0, ok=600.0, forgets=0.02, dawdles=0.3)


class DiceBox:
    """A box that keeps each throw until its table has stored it, and says it again after a restart."""

    def __init__(self, table: "TableProcess", keeps: bool) -> None:
        self.keeps = keeps
        self.out_of_reach = False
        """Its table runs and does not hear it."""
        self._table = table
        self._kept: dict[ThrowMark, tuple[TrueThrow, float]] = {}
        self._number = 0

    def report(self, throw: TrueThrow, tumbled: float) -> Throw | None:
        """Reports a throw, or keeps it where nobody reads the box."""
        mark = None
        if self.keeps:
            self._number += 1
            mark = ThrowMark(f"box{self._table.number}", self._number)
            self._kept[mark] = (throw, tumbled)
        return self._said(throw, tumbled, mark)

    def forget(self, mark: ThrowMark) -> TrueThrow | None:
        """The table has done with it."""
        return self._kept.pop(ThrowMark(*mark), (None, 0.0))[0]

    def again(self) -> list[tuple[TrueThrow, Throw | None]]:
        """All that is kept is said again."""
        return [(throw, self._said(throw, tumbled, mark)) for mark, (throw, tumbled) in self._kept.items()]

    def unheard(self) -> None:
        """The process that heard of the end is gone, and may not have stored that it did."""
        for throw, _ in self._kept.values():
            throw.heard = 0

    def excuse(self, why: str) -> None:
        """All that is kept may be judged either way."""
        for throw, _ in self._kept.values():
            throw.excused = why

    def without_power(self) -> None:
        """The box hung on the Pi's power."""
        self._kept.clear()

    def _said(self, throw: TrueThrow, tumbled: float, mark: ThrowMark | None) -> Throw | None:
        table = self._table
        if not table.running or self.out_of_reach:
            return None
        up = table.machine.up
        table.hall.made(throw, table, up(throw.at), mark)
        return Throw(throw.dice, up(throw.at - tumbled), up(throw.at), mark)


class TablePeople:
    """The people at a table: they look at the lights, throw, and press OK."""

    def __init__(self, hall: "Hall", table: "TableProcess", keeps: bool) -> None:
        self.hall, self.table = hall, table
        self.box = DiceBox(table, keeps)
        self.lights = LightState()
        self.resting = False
        """They wait for the host's word before they play on."""
        self._players = Players(Random(f"{hall.seed} people {table.number}"), PACE)
        self._random = Random(f"{hall.seed} dark {table.number}")
        self._reported: dict[Throw, TrueThrow] = {}
        """Throws that the lights have not shown as saved."""

    def starts(self) -> None:
        """The service has started: the box says what it has."""
        start = self.table.starts

        def again() -> None:
            if self.table.starts == start:
                self.box.unheard()
                self.hear_box()

        self.hall.clockwork.later(30.0, again)

    def reach_box(self) -> None:
        """The box is there, and says again what it has."""
        self.box.out_of_reach = False
        self.hear_box()

    def hear_box(self) -> None:
        """The box is read once more."""
        for throw, report in self.box.again():
            self._tell(throw, report)

    def stops(self) -> None:
        """The service is gone: what it had not saved it will never save."""
        self._reported.clear()
        lit, self.lights = self.lights, LightState()
        if self.hall.in_the_dark and lit.round == "running":
            self._plays_on(lit, self.table.starts)

    def _plays_on(self, lit: LightState, start: int) -> None:
        """The lights are out; the box keeps what they throw."""

        def throws() -> None:
            if self.table.starts == start and not self.table.running and not self.resting:
                self.lights = lit
                self.throw(cast(ThreeFaces, tuple(self._random.choices(range(1, 7), k=3))))
                self.lights = LightState()
                self._plays_on(lit, start)

        self.hall.clockwork.later(self._random.uniform(400.0, 1600.0), throws)

    def forget(self, mark: ThrowMark) -> None:
        """The table has stored a throw, or says that it is of no round: its card forgot of which it was."""
        throw = self.box.forget(mark)
        if throw is not None and throw.excused and not self.table.outbox.has(mark):
            self._reported = {said: one for said, one in self._reported.items() if one is not throw}

    def see(self, state: LightState) -> None:
        """The lights have changed: they speak of all that the table has read by then, and of nothing else."""
        if state.ending and not self.lights.ending:
            self.hall.oracle.ending(self.table.controller.prediction.epoch, self.hall.clockwork.time)
        self.lights = state
        if state.saved:
            for said in [one for one in self._reported if one not in self.table.unread]:
                self._reported.pop(said).saved = True
        self._players.see(state, self.hall.clockwork.time)
        self._plan()

    def _plan(self) -> None:
        due = self._players.due
        if due is not None:
            self.hall.clockwork.at(due, lambda: self._act(due))

    def _act(self, due: float) -> None:
        if self._players.due != due or not self.table.running or self.resting:
            return
        event = self._players.act(self.hall.clockwork.time)
        self._plan()
        if isinstance(event, Throw):
            self.throw(event.faces)
        elif isinstance(event, Press):
            self.table.take(Press("ok", self.table.machine.up(), 0))

    def throw(self, faces: tuple[int, int, int]) -> None:
        """Three dice come to rest."""
        state = self.lights
        played = state.rolloff or (state.turn is not None and state.round in ("running", "finish"))
        shown = self.table.controller.prediction
        heard = self.table.running and shown.table is not None and shown.table.bell_t is not None
        throw = self.hall.oracle.thrown(
            self.table.number, round(self.hall.clockwork.time), faces,
            played=played, shown=shown.epoch, heard=shown.epoch if heard else 0,
        )  # fmt: skip
        self._tell(throw, self.box.report(throw, PACE.tumble))

    def _tell(self, throw: TrueThrow, report: Throw | None) -> None:
        if report is None:
            return
        if throw.played:
            self._reported[report] = throw
        self.table.take(report)


class Host:
    """Opens the evening, starts rounds, asks again when nobody answers, and presses twice."""

    def __init__(self, hall: "Hall") -> None:
        self.hall = hall
        self.random = Random(f"{hall.seed} host")
        self.link = Link(
            "host-ann", topics.inbox("home", "host-ann"), self.take, Random(f"{hall.seed} link host")
        )
        self.board: Any = None
        self.answers: dict[str, Answer] = {}
        self.refusals: list[Answer] = []
        self.faults: tuple[Coded, ...] = ()
        """Faults that the head tells of."""
        self.opened = False
        self.resting = False
        """Starts no more rounds."""
        self.asleep = False
        """Presses nothing more."""
        self._asked = 0
        self._clock: Literal["", "runs", "holds"] = ""
        self._holds = 2
        self._goes_at = 0.0
        self._other_end: int | None = None
        self._ways: Any = None
        self._waits: tuple[str, str, dict[str, Any], float] | None = None
        self._since = 0.0
        self._quiet_until = self._reopens_at = 0.0

    def take(self, message: Any) -> None:
        """An answer, or the scoreboard."""
        match message:
            case Delivered(message=Answer() as answer):
                self._answered(answer)
            case Delivered(message=HeadStatus(reasons=reasons)):
                self.faults = reasons
                ends = [one.fields.get("table") for one in reasons if one.code in OTHER_ENDS]
                self._other_end = next((end for end in ends if isinstance(end, int)), None)
            case Delivered(message=BoardMessage(board=board)):
                if (
                    self.board is None
                    or board is None
                    or (board.state, board.epoch) != (self.board.state, self.board.epoch)
                ):
                    self._since = self.hall.clockwork.time
                self.board = board

    def look(self) -> None:
        """Once in a while: asks again, or for what comes next."""
        self.hall.clockwork.later(200.0, self.look)
        now = self.hall.clockwork.time
        if not self.link.session:
            return
        if self._waits is not None:
            id, command, args, asked = self._waits
            if now - asked > 2500.0:
                self._send(id, command, args)
            return
        if self._reopens_at and now >= self._reopens_at:
            self._reopens_at = 0.0
            self.ask("evening_reopen")
            return
        if self.asleep or now < self._quiet_until or self._reopens_at:
            return
        if self._other_end is not None:
            table, self._other_end = self._other_end, None
            self.ask("branch", table=table)
            return
        self._next(now)

    def ask(self, command: str, **args: Any) -> str:
        """Presses a button of the page."""
        self._asked += 1
        id = f"k{self._asked}"
        self._send(id, command, args)
        if self.random.random() < 0.1:  # twice, as one press and as two
            self._send(id, command, args)
            if command in ("round_start", "pause"):
                self._asked += 1
                self._send(f"k{self._asked}", command, args, waits=False)
        return id

    def _goes_on(self, answer: Answer) -> None:
        """Takes the way on that the page shows, the second time."""
        self._ways = answer.ways[0] if answer.ways and answer.ways[0].command == "round_start" else None

    def _send(self, id: str, command: str, args: dict[str, Any], *, waits: bool = True) -> None:
        if waits:
            self._waits = (id, command, args, self.hall.clockwork.time)
        if command == "evening_close" and id not in self.hall.commands:
            self.hall.oracle.closings.append(self.hall.clockwork.time)
        self.hall.commands[id] = command
        topic = topics.up("home", "host-ann", "command")
        self.hall.network.publish(self.link, Publish(topic, Command(id, command, args, "ann"), 1))

    def _next(self, now: float) -> None:
        board = self.board
        if board is not None and board.rules:
            self.opened = True
        elif board is not None and board.state == "setup" and self.hall.oracle.amnesia:
            self.opened = False  # no card has the evening any more: another one is opened
        if board is not None and board.rules and board.state == "setup" and not board.next_seating:
            self.ask("seats_draw")
        elif not self.opened:
            overrides: dict[str, Any] = {"end.points": self.hall.points}
            if self.hall.minutes:
                overrides["end.minutes"] = self.hall.minutes
            names = [f"P{n}" for n in range(1, 4 * self.hall.size + 1)]
            self.ask(
                "evening_open",
                rules=self.hall.rules,
                players=names,
                seed=7,
                sets=9,
                replace=True,
                overrides=overrides,
            )
        elif self.hall.by_the_clock and self._steers(now):
            pass
        elif board is not None and board.state in ("setup", "between_rounds", "break"):
            if not self.resting and now - self._since > 600:
                ways, self._ways = self._ways, None
                refused = len(self.refusals) and self.refusals[-1].done is False
                if ways is not None and refused and now - self._since > 6000:
                    self.ask("round_start", **ways.args)
                else:
                    self.ask("round_start")
        elif board is not None and board.state == "round_open" and now - self._since > self.hall.round_ms:
            self.ask("round_end")
        elif board is not None and board.state == "finished" and now - self._since > 1000:
            self.ask("evening_reopen")
        elif board is not None and board.state == "after_bell":
            self._decides(now)

    def _steers(self, now: float) -> bool:
        """The clock starts and ends rounds, but while the host rests; twice the host holds it for a while."""
        between = self.board is not None and self.board.state in ("setup", "between_rounds", "break")
        if self.resting:
            self.hall.by_the_clock = False
            self.ask("steer", to="off")
            return True
        if self._clock == "holds":
            if now >= self._goes_at:
                self._clock = "runs"
                self.ask("steer", to="go")
            return True
        if not self._clock or (between and now - self._since > 1000 * LOST_S):
            self._clock, self._since = "runs", now
            self.ask("pace", play_s=PLAY_S, move_s=MOVE_S, warn_s=3, wait_s=self.random.choice((0, 5, None)))
            return True
        if self._holds and self.random.random() < 0.005:
            self._holds -= 1
            self._clock, self._goes_at = "holds", now + self.random.uniform(1000.0, 15_000.0)
            self.ask("steer", to="hold")
            return True
        return between

    def _decides(self, now: float) -> None:
        """A table that does not come to its end in time is decided."""
        for table in self.board.tables:
            patience = 6000 if table.table in self.hall.oracle.liars else 25_000
            if table.state != "final" and now - self._since > patience:
                self.ask("decide", table=table.table, winner="US")
                return

    def closes(self, ms: float) -> bool:
        """Closes the evening by mistake, and opens it again after so long."""
        playing = self.board is not None and self.board.state in (
            "round_open",
            "after_bell",
            "between_rounds",
        )
        if not playing or self._waits is not None or self._reopens_at or self.resting:
            return False
        self._reopens_at = self.hall.clockwork.time + ms
        self.ask("evening_close", unfinished=True)
        return True

    def undoes(self, table: int) -> bool:
        """Takes back the latest roll of a table."""
        if self.board is None or self.board.state != "round_open" or self._waits is not None:
            return False
        self.ask("undo", table=table)
        return True

    def _answered(self, answer: Answer) -> None:
        command = self.hall.commands.get(answer.id, "")
        if not answer.done:
            self.hall.oracle.refused[command] += 1
            self.refusals.append(answer)
            self._goes_on(answer)
        elif not self.hall.head.journal.writer.fault:  # else everybody can see that it stands in memory alone
            promise = Promise(answer.id, command, round(self.hall.clockwork.time), tuple(answer.after))
            self.hall.oracle.answered(promise)
        self.answers[answer.id] = answer
        if self._waits and self._waits[0] == answer.id:
            self._waits = None
            self._quiet_until = self.hall.clockwork.time + (300 if answer.done else 1500)
