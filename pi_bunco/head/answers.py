"""Hosts' commands and their answers: each is carried out once, and answered alike ever after."""

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.game.fields import TEXT_MAX_CHARS
from pi_bunco.head.commands import carry_out
from pi_bunco.head.commands.registry import TEST_ID, Task, TaskContext
from pi_bunco.head.effects import Append, HeadEffect, WriteAnew
from pi_bunco.head.evening_log import EveningLog
from pi_bunco.head.outcomes import BellStaysSilent
from pi_bunco.head.presence import Blinking, Presence
from pi_bunco.head.reasons import CommandUnreadable, HostsOnly, LogsNotWritable, Refused, ended, sentence
from pi_bunco.log.records import Answered
from pi_bunco.reason import AndMore, Coded, Reason
from pi_bunco.wire import commands, topics
from pi_bunco.wire.arguments import ArgumentError, arguments
from pi_bunco.wire.client import Publish
from pi_bunco.wire.messages import Answer, Command
from pi_bunco.words.sentences import received

MAX_ANSWER_REASONS = 64  # in one answer
MAX_ANSWERS = 1000
"""Answers that are remembered."""
WHILE_RECOVERING = (commands.EndRecovery, commands.ChooseBranch)
"""The commands that are taken while the log is being recovered."""


class Waiting(Struct):
    """An answer that is not sent yet: for the `disk`, and for the signal `bell` (empty: for none)."""

    node: str
    answer: Answer
    disk: bool
    bell: str


class Commands:
    """Carries out the commands of a `hall`; `answers` are those that were given before."""

    def __init__(self, hall: TaskContext, answers: Mapping[str, Any]) -> None:
        self._hall = hall
        self._answers = {id: msgspec.convert(answer, Answer) for id, answer in answers.items()}
        self._waiting: dict[str, Waiting] = {}
        self.writes_anew = False
        """Logs are being written anew on disk, and not yet here."""

    def obey(
        self, node: str, command: Command, now: float, durable: bool = True, recovering: Reason | None = None
    ) -> list[HeadEffect]:
        """Carries out a command of `node` that is no repeat and not too late, and answers it.

        The answer comes when the command's facts are on disk, but for a disk that fails (not `durable`), and
        when its bell has sounded or cannot. A command of a node that is no host is refused; while the log is
        `recovering`, so are all that need it, for that reason.
        """
        if not may_command(node):  # not worth remembering: a stolen card could fill the memory
            return [self._send(node, refusal(command.id, Refused(HostsOnly())))]
        if command.id in self._waiting:
            return []
        if answer := self._answers.get(command.id):
            return [self._send(node, answer)]
        if command.not_after is not None and self._hall.log.t(now) > command.not_after:
            return []
        task = Task(self._hall, command.id, asker(node, command.by), now)
        try:
            after = carry_out(task, _checked(command, recovering))
            self._check_disk(task, durable)
        except Refused as refused:
            return self._answered(node, refusal(command.id, refused), task.effects)
        answer = done(command.id, after)
        effects, stored = _with_answer(task.effects, answer)
        waiting = Waiting(node, answer, durable and stored, task.bell)
        if not waiting.disk and not waiting.bell:
            return self._answered(node, answer, effects)
        self._remember(answer)
        self._waiting[command.id] = waiting
        return effects

    def _check_disk(self, task: Task, durable: bool) -> None:
        """Raises `Refused` while other logs are being written anew, and while the disk fails."""
        if not any(isinstance(one, WriteAnew) for one in task.effects):
            return
        if self.writes_anew or not durable:
            task.effects.clear()
            raise Refused(LogsNotWritable())
        self.writes_anew = True

    def written_anew(self) -> None:
        """The logs are written anew: answers that may name the person are forgotten."""
        self.writes_anew = False
        self._answers = {id: one for id, one in self._answers.items() if id in self._waiting}

    def unreadable(self, node: str, id: str, why: str) -> list[HeadEffect]:
        """The answer to a command that is too large or malformed; nothing is remembered of it."""
        if id in self._waiting or id in self._answers or not may_command(node):
            return []
        return [self._send(node, refusal(id, Refused(CommandUnreadable(why))))]

    def on_disk(self, id: str) -> list[HeadEffect]:
        """The answer that waited until the command `id` was on disk."""
        if id in self._waiting:
            self._waiting[id].disk = False
        return self._due(id)

    def rang(self, signal: str) -> list[HeadEffect]:
        """The answers that waited for the signal, which has sounded."""
        ids = [id for id, waiting in self._waiting.items() if waiting.bell == signal]
        for id in ids:
            self._waiting[id].bell = ""
        return [effect for id in ids for effect in self._due(id)]

    def silent(self, signal: str, why: Reason) -> list[HeadEffect]:
        """The answers that waited for the signal, which stays silent because of `why`."""
        for id, waiting in self._waiting.items():
            if waiting.bell == signal:
                self._answers[id] = _without_bell(waiting.answer, signal, why)
                self._waiting[id].answer = self._answers[id]
        return self.rang(signal)

    def give_up_waiting(self) -> list[HeadEffect]:
        """All answers that wait for a disk that fails."""
        return [effect for id in list(self._waiting) for effect in self.on_disk(id)]

    def _answered(self, node: str, answer: Answer, effects: list[HeadEffect]) -> list[HeadEffect]:
        self._remember(answer)
        return [*effects, self._send(node, answer)]

    def _due(self, id: str) -> list[HeadEffect]:
        waiting = self._waiting.get(id)
        if waiting is None or waiting.disk or waiting.bell:
            return []
        del self._waiting[id]
        return [self._send(waiting.node, waiting.answer)]

    def _remember(self, answer: Answer) -> None:
        self._answers[answer.id] = answer
        while len(self._answers) > MAX_ANSWERS:
            del self._answers[next(iter(self._answers))]

    def _send(self, node: str, answer: Answer) -> Publish:
        return Publish(topics.down(self._hall.name, node, "answer"), answer, 1)


def _checked(command: Command, recovering: Reason | None) -> commands.Arguments:
    try:
        args = arguments(command.command, command.args)
    except ArgumentError as error:
        raise Refused(*error.reasons) from error
    if recovering and not isinstance(args, WHILE_RECOVERING):
        raise Refused(recovering)
    return args


def may_command(node: str) -> bool:
    """True for a host's node: the page, `host-*`, or the head itself, whose button that is."""
    return node in (topics.WEB, topics.HEAD) or node.startswith("host-")


def asker(node: str, by: str) -> str:
    """The asker in the log: a name is the node's own word, so it does not stand without the node."""
    if by and node not in (topics.HEAD, by, f"host-{by}"):
        return f"{by[: TEXT_MAX_CHARS - len(node) - 3]} ({node})"
    by = (by or node)[:TEXT_MAX_CHARS]
    return "host" if by == "time" else by  # "time" is the clock's own word there


def _with_answer(effects: list[HeadEffect], answer: Answer) -> tuple[list[HeadEffect], bool]:
    """Effects with the answer journaled with the last of them that goes to disk; whether there is one."""
    saved = [effect for effect in effects if isinstance(effect, Append | WriteAnew)]
    if not saved:
        return effects, False
    answered = replace(saved[-1], answer=Answered(answer.id, msgspec.to_builtins(answer)))
    return [answered if effect is saved[-1] else effect for effect in effects], True


def _without_bell(answer: Answer, signal: str, why: Reason) -> Answer:
    if signal.startswith(TEST_ID):
        return refusal(answer.id, Refused(why))
    late = done(answer.id, [BellStaysSilent(why)])
    return replace(answer, after=(*answer.after, *late.after), outcomes=(*answer.outcomes, *late.outcomes))


def refusal(id: str, refused: Refused) -> Answer:
    """The answer to the command `id` that was refused: every reason why."""
    reasons = _fitting(refused.reasons)
    why = tuple(sentence(reason.english()) for reason in reasons)
    return Answer(id, False, why, ways=refused.leads_to, reasons=tuple(map(Coded.beside, reasons)))


def done(id: str, outcomes: Iterable[Reason]) -> Answer:
    """The answer to the command `id` that has been carried out: what is true since."""
    reasons = _fitting(tuple(outcomes))
    return Answer(id, True, after=tuple(map(_outcome, reasons)), outcomes=tuple(map(Coded.beside, reasons)))


def _fitting(reasons: Sequence[Reason]) -> tuple[Reason, ...]:
    """Reasons that fit into an answer; of too many the last counts the rest."""
    if len(reasons) <= MAX_ANSWER_REASONS:
        return tuple(reasons)
    return (*reasons[: MAX_ANSWER_REASONS - 1], AndMore(len(reasons) - MAX_ANSWER_REASONS + 1))


def _outcome(reason: Reason) -> str:
    """The outcome as a sentence; a name at its beginning stays as it is."""
    text = reason.english()
    values = (getattr(reason, name) for name in reason.__struct_fields__)
    named = text.startswith(tuple(value for value in values if isinstance(value, str) and value))
    return ended(text) if named else sentence(text)


SECOND_PRESS_WITHIN_MS = 10_000.0
"""A second press within this time starts without what is missing."""
REFUSAL_BLINKS_MS = 5000.0
"""The lights of the head's table blink for this long after a refusal."""
HEAD_TABLE = 1


class BellButton:
    """The commands that presses are, and the answers to them; times are ms of the clock."""

    def __init__(self, log: EveningLog, presence: Presence, random: Random, blinking: Blinking) -> None:
        self._log = log
        self._presence = presence
        self._random = random
        self._blinking = blinking
        self._pressed_at: float | None = None

    def asks(self, long: bool, now: float) -> Command:
        """The host's command that this press is."""
        id, by = f"button-{self._random.getrandbits(32):08x}", "bell button"
        if long:
            return Command(id, "round_end", by=by)
        again = self._pressed_at is not None and now - self._pressed_at <= SECOND_PRESS_WITHIN_MS
        self._pressed_at, tables = now, self._log.tables
        missing = [n for n in sorted(tables) if self._presence.why_not_ready(n, now)] if again else []
        return Command(id, "round_start", {"bypass": missing} if missing else {}, by)

    def answered(self, effects: Iterable[HeadEffect], now: float) -> None:
        """Has the head's table blink, and say why, if the head refuses; else it blinks no more."""
        answers = [one.message for one in effects if isinstance(one, Publish)]
        refusals = [one for one in answers if isinstance(one, Answer) and not one.done]
        if why := tuple(reason for one in refusals for reason in received(one.why, one.reasons)):
            self._blinking.blink(HEAD_TABLE, why, now + REFUSAL_BLINKS_MS)
        else:
            self._blinking.stop(HEAD_TABLE)
