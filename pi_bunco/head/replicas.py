"""What replicas of the log ask the head for."""

from collections import deque

from pi_bunco.head.effects import Effect
from pi_bunco.head.evening_log import EveningLog
from pi_bunco.wire import messages, topics
from pi_bunco.wire.client import Publish
from pi_bunco.wire.entries import answer_of
from pi_bunco.wire.topics import Topic

SECOND = 1000.0
MOST = 4
"""So many requests of a node are answered a second: a mad one must not keep the head from its work."""


class Replicas:
    """Answers what is missing in the replicas; times are ms of the clock."""

    def __init__(self, hall: str, log: EveningLog) -> None:
        self._hall = hall
        self._log = log
        self._answered: dict[str, deque[float]] = {}

    def request(self, topic: Topic, request: messages.LogRequest, now: float) -> list[Effect]:
        """The entries that are asked for, of the evening that runs."""
        if not topics.is_replica(topic.node) or request.evening != self._log.evening.id:
            return []
        answered = self._answered.setdefault(topic.node, deque(maxlen=MOST))
        if len(answered) == MOST and now - answered[0] < SECOND:
            return []
        answered.append(now)
        answer = answer_of(request, self._log.committed()[request.start - 1 :])
        return [Publish(topics.down(self._hall, topic.node, "log"), answer, 1)]
