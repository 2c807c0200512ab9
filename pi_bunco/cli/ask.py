"""A short talk with the head: what it tells everybody, and its answer to one command."""

import contextlib
import queue
import secrets
import time
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from pi_bunco.errors import BuncoError
from pi_bunco.wire import topics
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.client import Client, Connected, Disconnected, Event, Received
from pi_bunco.wire.gate import decode, encode
from pi_bunco.wire.messages import Answer, Command, HeadStatus, RoundInfo, Score
from pi_bunco.wire.topics import WireError

AGAIN = 2.0
"""Seconds after which the link is made anew: nats can leave out what it begins to keep as somebody comes."""


class NoAnswer(BuncoError, TimeoutError):
    """The head did not answer in time; the text says why, as far as that is known."""


class Place(Struct, frozen=True):
    """Where the head is to be found, and as which node one goes there."""

    address: BrokerAddress
    hall: str
    node: str


class Heard(Struct):
    """What has been heard so far; `trouble` is why there is no link now."""

    head: HeadStatus | None = None
    round: RoundInfo | None = None
    score: Score | None = None
    answer: Answer | None = None
    linked: bool = False
    trouble: str = ""

    @property
    def online(self) -> bool:
        """Whether there is a head."""
        return self.head is not None and self.head.state == "online"

    @property
    def standing(self) -> bool:
        """Whether what is known is of one moment; the scoreboard comes a little later than the rest."""
        if self.head is None or self.score is None or not self.online:
            return False
        evening, board, round_ = self.head.evening, self.score.board, self.round
        if evening is None or round_ is None:
            return self.score.evening is evening is None
        now = (evening, evening, board["epoch"])
        # The board has the state's full name, between_rounds for between.
        return (self.score.evening, round_.evening, round_.epoch) == now and round_.phase in board["state"]


def ask(place: Place, command: str, args: dict[str, Any], seconds: float) -> Answer:
    """The head's answer to a command of ours; `NoAnswer` if none comes within `seconds`."""
    asked = Command(secrets.token_hex(8), command, args, place.node)
    encode(asked)  # tells what is too much for one message
    heard = _talk(place, asked, lambda heard: heard.answer is not None, seconds)
    assert heard.answer is not None
    return heard.answer


def look(place: Place, seconds: float) -> Heard:
    """Where the evening stands; `NoAnswer` if no head tells within `seconds`."""
    return _talk(place, None, lambda heard: heard.standing, seconds)


def _talk(place: Place, command: Command | None, enough: Callable[[Heard], bool], seconds: float) -> Heard:
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    # Two of us at a time would throw each other out, had they the same client id.
    id = f"{place.node}-{secrets.token_hex(4)}"
    client = Client(place.address, id, events.put, topics.inbox(place.hall, place.node))
    client.start()
    try:
        return _until(enough, _Talk(client, place, command), events, seconds)
    finally:
        client.close()


def _until(
    enough: Callable[[Heard], bool], talk: "_Talk", events: "queue.SimpleQueue[Event]", seconds: float
) -> Heard:
    now = time.monotonic()
    end, again = now + seconds, now + AGAIN
    while not enough(talk.heard):
        if (now := time.monotonic()) >= end:
            raise NoAnswer(f"No head answers at {talk.place.address}: {_why(talk.heard)}")
        if now >= again:
            talk.again()
            again = now + AGAIN
        with contextlib.suppress(queue.Empty):
            talk.take(events.get(timeout=min(end, again) - now))
    return talk.heard


class _Talk:
    """Listens, and says the command to every head that turns up: it does nothing twice."""

    def __init__(self, client: Client, place: Place, command: Command | None) -> None:
        self.heard = Heard()
        self.place = place
        self._client = client
        self._command = command

    def again(self) -> None:
        """Makes the link anew, if there is one, so that the broker tells again what it keeps."""
        if self.heard.linked:
            self._client.rebuild()

    def take(self, event: Event) -> None:
        """Takes what comes from the link."""
        heard = self.heard
        match event:
            case Connected():
                heard.linked = True
            case Disconnected(why):
                heard.linked, heard.trouble, heard.head = False, why, None
            case Received():
                self._hear(event)

    def _hear(self, received: Received) -> None:
        heard = self.heard
        try:
            message = decode(received.topic, received.payload, received.retained)
        except WireError:
            return
        match message:
            case HeadStatus():
                heard.head = message
                self._say()
            case RoundInfo():
                heard.round = message
            case Score():
                heard.score = message
            case Answer() if self._command and message.id == self._command.id:
                heard.answer = message

    def _say(self) -> None:
        if self._command and self.heard.online:
            topic = topics.up(self.place.hall, self.place.node, "command")
            self._client.publish(topic, encode(self._command), qos=1)


def _why(heard: Heard) -> str:
    if not heard.linked:
        return heard.trouble or "The broker says nothing."
    if heard.head is None:
        return "The broker is there, but no head has been; is the hall right, and pi-bunco head running?"
    if heard.online:
        return "It is there, but says nothing about this."
    return (
        f"It is {'switched off' if heard.head.state == 'stopped' else 'lost'}; start it with pi-bunco head."
    )
