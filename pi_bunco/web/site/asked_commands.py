"""Hosts' commands on their way: said again until the head answers, given up after a while."""

from collections.abc import Iterator

from msgspec import Struct

from pi_bunco.reason import Reason
from pi_bunco.web.site.effects import NODE, CommandDone
from pi_bunco.web.site.presence import Presences
from pi_bunco.web.site.reasons import HeadAway, HeadLate, HeadUnreachable
from pi_bunco.wire import messages, topics
from pi_bunco.wire.client import Publish
from pi_bunco.words.sentences import received

HEAD_ANSWERS_WITHIN_MS = 5000.0
"""Milliseconds that a host waits for the head's answer."""
REPEAT_MS = 1000.0
"""Milliseconds after which a command is said again; the head does nothing twice."""


class _Pending(Struct):
    command: messages.Command
    until: float
    again: float


class PendingCommands:
    """The commands that the head has not answered yet."""

    def __init__(self, hall: str, presences: Presences) -> None:
        self._hall = hall
        self._presences = presences
        self._pending: dict[str, _Pending] = {}

    def ask(self, command: messages.Command, now: float) -> Iterator[Publish]:
        """A host's command is to go to the head."""
        self._pending[command.id] = _Pending(command, now + HEAD_ANSWERS_WITHIN_MS, now + REPEAT_MS)
        if self._presences.linked:
            yield self._published(command)

    def again(self, now: float) -> None:
        """Another head is there: all of them are said again."""
        for pending in self._pending.values():
            pending.again = now

    def answered(self, answer: messages.Answer) -> Iterator[CommandDone]:
        """The head's answer."""
        if self._pending.pop(answer.id, None):
            why = received(answer.why, answer.reasons)
            yield CommandDone(answer.id, answer.done, why, answer.ways)

    def tick(self, now: float) -> Iterator[Publish | CommandDone]:
        """Says again what is not answered, and gives up what waits too long."""
        for id, pending in list(self._pending.items()):
            if now >= pending.until:
                del self._pending[id]
                yield CommandDone(id, False, (self._why_silent(),))
            elif now >= pending.again and self._presences.linked:
                pending.again = now + REPEAT_MS
                yield self._published(pending.command)

    def _published(self, command: messages.Command) -> Publish:
        return Publish(topics.up(self._hall, NODE, "command"), command, 1)

    def _why_silent(self) -> Reason:
        if not self._presences.linked:
            return HeadUnreachable(self._presences.why or "the broker is not there.")
        return HeadLate() if self._presences.head_online else HeadAway()
