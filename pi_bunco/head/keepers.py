"""The tables that keep a copy of the journal, and what they ask the head for."""

from pi_bunco.head.effects import Effect
from pi_bunco.head.ledger import Ledger
from pi_bunco.logcopy import KEEPERS, copy_of
from pi_bunco.wire import messages, topics
from pi_bunco.wire.publish import Publish
from pi_bunco.wire.topics import Topic

BATCH = 100
"""Entries of the log that are sent again at once."""
SOONEST = 500.0
"""A keeper that asks again before so many ms gets nothing: a mad one must not keep the head from its work."""


class Keepers:
    """Answers what is missing in the copies; times are ms of the clock."""

    def __init__(self, hall: str, ledger: Ledger) -> None:
        self._hall = hall
        self._ledger = ledger
        self._answered_at: dict[str, float] = {}

    def need(self, topic: Topic, need: messages.Need, now: float) -> list[Effect]:
        """The entries that are asked for, of the evening that runs."""
        if (topic.table or 0) > KEEPERS or need.evening != self._ledger.evening.id:
            return []
        if now - self._answered_at.get(topic.node, -SOONEST) < SOONEST:
            return []
        self._answered_at[topic.node] = now
        to = topics.down(self._hall, topic.node, "log")
        return [Publish(to, copy_of(one), 1) for one in self._ledger.log[need.start - 1 :][:BATCH]]
