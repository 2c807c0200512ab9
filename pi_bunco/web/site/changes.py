"""Changes of the pages by topic; a page names the topics that it shows.

| topic | changes with |
|---|---|
| `round` | seats, the round and its bell, standings, prizes, the host's words: all that is not of one table |
| `table/7` | what happens at table 7 of the round, and its presence |
| `phone/7` | what table 7 itself makes of the taps on its phone |
| `head` | the head's presence |
| `screens` | what a screen tells of itself |
| (every) | anything, and the clock: the scoreboard and the host's pages |
"""

import asyncio
import contextlib
from collections.abc import Callable, Hashable

from pi_bunco.game import facts
from pi_bunco.game.evening import Evening
from pi_bunco.game.facts import Fact

ROUND, HEAD = "round", "head"
SCREENS_TOPIC = "screens"
EVERY = "every"
_OF_A_TABLE = (
    facts.Roll,
    facts.Undo,
    facts.Turn,
    facts.Begins,
    facts.Confirm,
    facts.Faceoff,
    facts.Decide,
    facts.Tally,
    facts.Hand,
    facts.BellSeen,
)


def of_table(number: int) -> str:
    """The topic of table `number`."""
    return f"table/{number}"


def of_phone(number: int) -> str:
    """The topic of the phone that is table `number`."""
    return f"phone/{number}"


def stage(evening: Evening) -> Hashable:
    """All of an evening that a fact of one table may change for others; equal as long as it does not."""
    round_ = evening.round
    holders = map(evening.holder, evening.things)
    return evening.state, evening.epoch, len(evening.rounds), round_ and round_.bell, *holders


def topic(fact: Fact, before: Hashable, after: Hashable) -> str:
    """The topic of a fact that came between two stages of the evening."""
    if before != after or after[0] not in ("round_open", "after_bell"):  # type: ignore[index]
        return ROUND
    return of_table(fact.table) if isinstance(fact, _OF_A_TABLE) else ROUND


class Changes:
    """Tells `listeners` which topics have changed; `version` counts all changes, `rounds` of `round`."""

    def __init__(self) -> None:
        self.version = self.rounds = 0
        self.listeners: list[Callable[[tuple[str, ...]], None]] = []
        self._next = asyncio.Event()

    def changed(self, *topics: str) -> None:
        """These topics are different now; without any, all that pages show."""
        self.version += 1
        self.rounds += not topics or ROUND in topics
        for listener in self.listeners:
            listener(topics)
        self._next.set()
        self._next = asyncio.Event()

    async def after(self, version: int, seconds: float) -> int:
        """The version, once it is another than `version` or `seconds` have passed."""
        if self.version == version:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._next.wait(), seconds)
        return self.version
