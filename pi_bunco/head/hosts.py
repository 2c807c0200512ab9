"""What hosts ask for, and the answers they get: each command is done once and answered alike ever after."""

from collections.abc import Mapping
from random import Random
from typing import Any

import msgspec

from pi_bunco.game import facts
from pi_bunco.head import commands
from pi_bunco.head.commands import Refused
from pi_bunco.head.effects import Append, Effect, Keep, Ring
from pi_bunco.head.evening_log import EveningLog
from pi_bunco.head.presence import Presence, why_not_start
from pi_bunco.wire import topics
from pi_bunco.wire.messages import Answer, Command
from pi_bunco.wire.publish import Publish

TEST_WITHIN = 5000.0
"""A bell test that could not ring within so many ms does not ring any more."""
TEST = "test:"
"""The id of a test's signal begins so; the command's follows."""
ANSWERS = 1000
"""So many answers are remembered."""
NO_HOST = ("A table gives no commands.",)
"""Why a table's command is refused."""


class Commands:
    """Carries out commands on the log; `hall` is where the answers go, `boot` this machine's."""

    def __init__(
        self,
        hall: str,
        boot: str,
        log: EveningLog,
        presence: Presence,
        random: Random,
        answers: Mapping[str, Any],
    ) -> None:
        self.recovering = ""
        """Why no command is taken now, a sentence; empty while they are."""
        self._hall = hall
        self._boot = boot
        self._log = log
        self._presence = presence
        self._random = self._lots = random
        self._answers = {id: msgspec.convert(answer, Answer) for id, answer in answers.items()}
        self._waiting: dict[str, tuple[str, Answer]] = {}

    def obey(self, node: str, command: Command, now: float, durable: bool = True) -> list[Effect]:
        """Carries out a command of `node` that is neither a repeat nor stale, and answers it.

        The answer comes when the command's facts are on disk, at once where the disk fails (not `durable`).
        """
        if topics.table_number(node) is not None:  # a stolen card must not, and is not worth remembering
            return [self._answer(node, Answer(command.id, False, NO_HOST))]
        if command.id in self._waiting:
            return []
        if answer := self._answers.get(command.id):
            return [self._answer(node, answer)]
        if command.not_after is not None and self._log.t(now) > command.not_after:
            return []
        answer, effects = Answer(command.id, True), []
        try:
            effects = self._carried_out(node, command, answer, now)
        except Refused as refused:
            answer, effects = Answer(command.id, False, refused.why), refused.effects
        self._remember(answer)
        stored = durable and any(isinstance(one, Append) and one.answer for one in effects)
        if not stored and not any(isinstance(one, Ring) and one.signal == "test" for one in effects):
            return [*effects, self._answer(node, answer)]
        self._waiting[command.id] = (node, answer)
        return effects

    def began(self) -> Keep:
        """When the evening clock began, for a restart on the same boot."""
        log = self._log
        return Keep("began", {"at": log.began, "boot": self._boot, "evening": log.evening.id})

    def on_disk(self, id: str) -> list[Effect]:
        """The answer that waited until the command `id` was on disk."""
        waiting = self._waiting.pop(id, None)
        return [self._answer(*waiting)] if waiting else []

    def tested(self, signal: str, why: str | None = None) -> list[Effect]:
        """The answer to a bell test, whose signal sounded or stayed silent because of `why`."""
        id = signal.removeprefix(TEST)
        if why is not None and id in self._waiting:
            answer = Answer(id, False, Refused([why]).why)
            self._remember(answer)
            self._waiting[id] = (self._waiting[id][0], answer)
        return self.on_disk(id)

    def give_up_waiting(self) -> list[Effect]:
        """All answers that wait for a disk that fails."""
        return [effect for id in list(self._waiting) for effect in self.on_disk(id)]

    def _remember(self, answer: Answer) -> None:
        self._answers[answer.id] = answer
        while len(self._answers) > ANSWERS:
            del self._answers[next(iter(self._answers))]

    def _answer(self, node: str, answer: Answer) -> Publish:
        return Publish(topics.down(self._hall, node, "answer"), answer, 1)

    def _carried_out(self, node: str, command: Command, answer: Answer, now: float) -> list[Effect]:
        if self.recovering:
            raise Refused([self.recovering])
        name, args, t = command.command, command.args, self._log.t(now)
        by = asker(node, command.by)
        match name:
            case "evening_open":
                return self._open(args, by, answer, now)
            case "bell_test":
                return self._test(command.id, now)
            case "silence":
                return self._silence(args, now)
            case _ if self._log.evening.rules is None:
                raise Refused(["no evening is open"])
            case "round_start":
                return self._start(args, by, answer, now)
            case "seats_draw":
                return self._log.record(commands.draw(self._log.evening, self._lots, t, by), answer)
            case "undo":
                self._check_undo(args)
        return self._log.record(commands.simple(name, args, t, by), answer)

    def _open(self, args: dict[str, Any], by: str, answer: Answer, now: float) -> list[Effect]:
        fact = commands.opening(args, f"{self._random.getrandbits(32):08x}", by)
        log = self._log
        effects: list[Effect] = []
        if log.evening.rules is not None and not log.evening.closed:
            effects = log.record(facts.EveningClose(log.t(now), by or None))
        seed = args.get("seed")  # repeats the seats, never the evening's id
        self._lots = self._random if seed is None else Random(str(seed))
        before = log.tables
        log.begin(now)
        effects += log.record(fact, answer)
        effects.append(self.began())
        gone = before - log.tables
        return effects + [Publish(topics.down(self._hall, f"table{n}", "view"), None, 1, True) for n in gone]

    def _start(self, args: dict[str, Any], by: str, answer: Answer, now: float) -> list[Effect]:
        log = self._log
        effects: list[Effect] = []
        bypass = args.get("bypass") or []
        if not isinstance(bypass, list) or not all(type(table) is int for table in bypass):
            raise Refused(["bypass must be a list of table numbers"])
        for table in bypass:
            if table not in log.evening.bypassed:
                effects += log.record(commands.simple("bypass", {"table": table}, log.t(now), by))
        if why := why_not_start(log.evening, self._presence, now):
            raise Refused(why, effects)
        return effects + log.open_round(log.t(now), commands.who(by) or "host", answer)

    def _check_undo(self, args: dict[str, Any]) -> None:
        """The asker names the roll that they saw last; if another came since, they meant that one."""
        seen, table = args.get("n"), args.get("table")
        latest, _ = self._log.last_roll.get(table if isinstance(table, int) else 0, (None, None))
        if seen is not None and seen != latest:
            raise Refused([f"table {table} has rolled again since"])

    def _test(self, id: str, now: float) -> list[Effect]:
        if self._log.evening.round:
            raise Refused(["a round is running; the bell would end it in everybody's ears"])
        return [Ring(TEST + id, "test", "bell", now + TEST_WITHIN)]

    def _silence(self, args: dict[str, Any], now: float) -> list[Effect]:
        minutes = args.get("minutes")
        if type(minutes) is not int or not 0 <= minutes <= 1440:
            raise Refused(["minutes must be a whole number from 0 (the horn sounds again) to 1440"])
        self._log.bell.silence_horn(now + minutes * 60_000 if minutes else 0.0)
        return []


def asker(node: str, by: str) -> str:
    """Who asked, as the journal says it: a name is `node`'s own word, so it is not told without the node."""
    if by and node not in (topics.HEAD, by, f"host-{by}"):
        return f"{by} ({node})"
    return commands.who(by or node)
