"""A broker and the links to it: order, latency, jams, cuts, one-way silence, wills, retained messages."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import count
from random import Random
from typing import Any, Final, Literal

from pi_bunco.wire.client import KEEPALIVE_S, Publish, reconnect_delay
from pi_bunco.wire.gate import Received, delivery, encode
from pi_bunco.wire.session import CONNECT_WITHIN_S, Connected, Disconnected, Will
from vopr.clockwork import Clockwork

NOTICED_AFTER_MS: Final = KEEPALIVE_S * 1500.0
"""A broker takes a client for dead that is silent for one and a half of its keepalive, and it the broker."""
Kind = Literal["mosquitto", "nats"]


@lru_cache(maxsize=8192)
def matches(subscriptions: tuple[str, ...], topic: str) -> bool:
    """True if a broker would give the topic to who has these subscriptions."""
    parts = topic.split("/")
    return any(
        len(levels) == len(parts) and all(a in ("+", b) for a, b in zip(levels, parts, strict=True))
        for levels in (subscription.split("/") for subscription in subscriptions)
    )


@lru_cache(maxsize=2048)
def opened(received: Received) -> Any:
    """The message in what came, the same for all to whom it comes."""
    return delivery(received)


@dataclass(eq=False)
class Link:
    """One node's way to the broker and back; `take` gets what comes, as from the client of a service."""

    name: str
    subscriptions: tuple[str, ...]
    take: Callable[[Any], None]
    random: Random
    usual: tuple[float, float] = (0.4, 1.2)
    latency: tuple[float, float] = (0.4, 1.2)
    will: Callable[[str], Will] | None = None
    wanted: bool = False
    """The service runs and wants the link."""
    session: int = 0
    """The connection that the client has, 0 without one."""
    silent_up: float = 0.0
    silent_down: float = 0.0
    """Until then nothing gets through in that direction; it waits."""
    frozen_until: float = 0.0
    """Until then the process does nothing, and so its client: its thread waits for who decides."""
    failures: int = 0
    _last_up: float = 0.0
    _last_down: float = 0.0
    life: int = field(default=0)
    _wants: dict[str, bool] = field(default_factory=dict)

    def wants(self, topic: str) -> bool:
        """The broker gives it what comes on this topic."""
        if topic not in self._wants:
            self._wants[topic] = matches(self.subscriptions, topic)
        return self._wants[topic]

    def free(self, now: float) -> bool:
        """Nothing holds up what is sent, and it is read."""
        held_until = max(self.silent_up, self.silent_down, self.frozen_until)
        return held_until <= now and self.latency == self.usual

    def arrives(self, now: float, *, up: bool) -> float:
        """The time at which a message sent now comes out at the other end: never before one sent earlier."""
        silent, last = (self.silent_up, self._last_up) if up else (self.silent_down, self._last_down)
        time = max(now + self.random.uniform(*self.latency), silent, last)
        if up:
            self._last_up = time
        else:
            self._last_down = time
        return time


class Network:
    """The broker, and every link to it."""

    def __init__(self, clockwork: Clockwork, random: Random, kind: Kind = "mosquitto") -> None:
        self.clockwork = clockwork
        self.kind = kind
        self.alive = True
        self.retained: dict[str, bytes] = {}
        self.links: dict[str, Link] = {}
        self.watchers: list[Callable[[str, str, bytes], None]] = []
        self.on_routed: Callable[[Link, Received, bool], object] = lambda _to, _received, _lost: None
        """Told of each message to a client, and whether the broker loses it."""
        self._random = random
        self._sessions: dict[int, Link] = {}
        self._ids = count(1)
        self._joined_at = -1e9

    @property
    def keeps(self) -> bool:
        """True if all that is retained is sent to each new subscriber."""
        return self.kind == "mosquitto"

    # The client's side.

    def start(self, link: Link) -> None:
        """A service starts: its client begins to connect."""
        self.links[link.name] = link
        link.wanted, link.failures = True, 0
        link.life += 1
        self._attempt(link, link.life)

    def stop(self, link: Link, *, power: bool = False) -> None:
        """The service is gone, and with it the socket; where the power went, nobody says so."""
        link.wanted = False
        link.life += 1
        session, link.session = link.session, 0
        if session:
            self.clockwork.later(NOTICED_AFTER_MS if power else 1.0, lambda: self._ended(session))

    def publish(self, link: Link, publish: Publish) -> None:
        """The service publishes: into the socket, or nowhere."""
        if not link.session:
            return
        session = link.session
        payload = b"" if publish.message is None else encode(publish.message)
        arrives = link.arrives(self.clockwork.time, up=True)
        self.clockwork.at(arrives, lambda: self._came(session, publish.topic, payload, publish.retain))

    def rebuild(self, link: Link) -> None:
        """The service throws its link away."""
        if link.wanted:
            self.cut(link, "made anew")

    def inject(self, link: Link, topic: str, payload: bytes, *, retain: bool) -> None:
        """Somebody else says something in this link's name."""
        session = link.session
        self.clockwork.at(
            link.arrives(self.clockwork.time, up=True), lambda: self._came(session, topic, payload, retain)
        )

    # What goes wrong.

    def cut(self, link: Link, why: str = "cut") -> None:
        """The connection breaks, and both sides notice."""
        session, link.session = link.session, 0
        if session:
            self._ended(session)
            self._lost(link, why)

    def silence(self, link: Link, ms: float, *, up: bool, down: bool) -> None:
        """Nothing gets through for so long; who is too long without a sign of life hangs up."""
        now, session = self.clockwork.time, link.session
        if up:
            link.silent_up = max(link.silent_up, now + ms)
        if down:
            link.silent_down = max(link.silent_down, now + ms)
        if ms >= NOTICED_AFTER_MS and session:
            self.clockwork.later(
                NOTICED_AFTER_MS + self._random.uniform(0, 500), lambda: self._given_up(link, session, up)
            )

    def crash(self) -> None:
        """The broker is killed: it keeps nothing."""
        self.alive = False
        self.retained.clear()
        sessions, self._sessions = self._sessions, {}
        for session, link in sessions.items():
            if link.session == session:
                link.session = 0
                self.clockwork.later(self._random.uniform(0.2, 2), partial(self._lost_if, link, link.life))

    def restart(self) -> None:
        """The broker is there again."""
        self.alive = True

    # Inside.

    def reaches(self, link: Link) -> bool:
        """Broker and client have the same session, and nothing holds up what is sent."""
        return link.session in self._sessions and link.free(self.clockwork.time)

    def has(self, link: Link) -> bool:
        """The broker has a session of this client, who may have given it up, and told nobody of its end."""
        return any(one is link for one in self._sessions.values())

    def _given_up(self, link: Link, session: int, up: bool) -> None:
        if max(link.silent_up, link.silent_down) <= self.clockwork.time - 500:
            return
        if up:
            self._ended(session)
        if link.session == session:
            link.session = 0
            if not up:
                self.clockwork.later(NOTICED_AFTER_MS / 2, lambda: self._ended(session))
            self._lost(link, "no answer")

    def _lost_if(self, link: Link, life: int) -> None:
        if link.life == life and link.wanted and not link.session:
            self._lost(link, "the broker is gone")

    def _lost(self, link: Link, why: str) -> None:
        if not link.wanted:
            return
        link.take(Disconnected(why))
        self._retry(link)

    def _retry(self, link: Link) -> None:
        life = link.life
        link.failures += 1
        wait = reconnect_delay(link.failures, link.random.random()) * 1000
        self.clockwork.later(wait, lambda: self._attempt(link, life))

    def _attempt(self, link: Link, life: int) -> None:
        if not link.wanted or link.life != life or link.session:
            return
        now = self.clockwork.time
        free = max(link.silent_up, link.silent_down, now)
        if not self.alive:
            self._retry(link)
        elif free - now > CONNECT_WITHIN_S * 1000:
            self.clockwork.later(CONNECT_WITHIN_S * 1000, lambda: self._attempt(link, life))
        else:
            trips = 4 * link.random.uniform(*link.latency)
            self.clockwork.at(free + trips, lambda: self._join(link, life))

    def _join(self, link: Link, life: int) -> None:
        if not link.wanted or link.life != life or link.session or not self.alive:
            if link.wanted and link.life == life and not link.session:
                self._retry(link)
            return
        if link.frozen_until > self.clockwork.time:
            self.clockwork.at(link.frozen_until, lambda: self._join(link, life))
            return
        for session, other in list(self._sessions.items()):
            if other is link:
                self._ended(session)
        session = next(self._ids)
        self._joined_at = self.clockwork.time
        link.session, link.failures = session, 0
        link._last_up = link._last_down = 0.0  # what an earlier connection had under way holds up nothing
        self._sessions[session] = link
        kept = [(topic, payload) for topic, payload in self.retained.items() if link.wants(topic)]
        link.take(Connected(f"{link.name}-{session}"))
        for topic, payload in kept:
            if self.kind == "nats" and self._random.random() < 0.1:
                continue
            self._deliver(session, link, Received(topic, payload, True))

    def _ended(self, session: int) -> None:
        link = self._sessions.pop(session, None)
        if link is not None and link.will:
            will = link.will(f"{link.name}-{session}")
            self._route(will.topic, will.payload, True)

    def _came(self, session: int, topic: str, payload: bytes, retain: bool) -> None:
        if session in self._sessions:
            for watch in self.watchers:
                watch(self._sessions[session].name, topic, payload)
            self._route(topic, payload, retain)

    def _route(self, topic: str, payload: bytes, retain: bool) -> None:
        if retain:
            self.retained.pop(topic, None)
            if payload:
                self.retained[topic] = payload
        loses = self.kind == "nats" and self.clockwork.time - self._joined_at < 5.0
        received = Received(topic, payload, False)
        for session, link in list(self._sessions.items()):
            if not link.wants(topic):
                continue
            lost = loses and self._random.random() < 0.2
            self.on_routed(link, received, lost)
            if not lost:
                self._deliver(session, link, received)

    def _deliver(self, session: int, link: Link, received: Received) -> None:
        def come() -> None:
            if link.session == session:
                link.take(opened(received))

        self.clockwork.at(link.arrives(self.clockwork.time, up=False), come)
