"""A Pi without a screen: its host types keys at its panel that the page shows, and OK behind them.

The Pi commits itself to them at once and opens that when the head takes no more commitments, so that nobody
between them learns the keys in time; README.md says why that is enough. Times are ms of a monotonic clock.
"""

from collections import deque
from collections.abc import Callable
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.devices.protocols import DeviceEvent, Press
from pi_bunco.enrol import protocol

LATE_ASK_MS = 15_000.0
"""For a Pi that asks every 2 s, in a bad network."""


class JoiningPanel:
    """The panel of a new Pi: what was typed there last."""

    def __init__(self, random: protocol.Bytes, now: Callable[[], float]) -> None:
        self._random, self._now = random, now
        self._pressed: deque[tuple[protocol.PanelKey, float]] = deque(maxlen=protocol.KEY_COUNT)
        self._typed: tuple[protocol.TypedKeys, float] | None = None

    def put(self, event: DeviceEvent) -> None:
        """A device's event, from its own thread."""
        if not isinstance(event, Press):
            return
        if event.button in protocol.ANY_KEY:
            self._pressed.append((event.button, event.at))
        elif event.button == "ok" and len(self._pressed) == protocol.KEY_COUNT:
            keys = tuple(key for key, _ in self._pressed)
            nonce = self._random(protocol.NONCE_BYTES).hex()
            self._typed = protocol.TypedKeys(keys, nonce), min(at for _, at in self._pressed)
            self._pressed.clear()

    def completed(self, offer: protocol.Offer, request: protocol.JoinRequest) -> protocol.JoinRequest:
        """The request with what is to be said now of the keys."""
        if self._typed is None:
            return request
        typed, first_ms = self._typed
        opened = typed if self._now() - first_ms >= protocol.OPENED_AFTER_MS else None
        commitment = protocol.keys_commitment(offer, request, typed)
        return replace(request, typed=commitment, keys=opened)


class ShownKeys(Struct, frozen=True):
    """The keys that the page shows for one Pi since `since_ms`; what it had committed itself to `before`
    does not count, and of what comes the first commitment alone, `typed`.
    """

    keys: tuple[protocol.PanelKey, ...]
    since_ms: float
    before: str = ""
    typed: str = ""
    state: Literal["waiting", "typed", "right", "wrong", "late"] = "waiting"

    @property
    def pending(self) -> bool:
        """True until it is known which keys were typed; nobody is taken in by that tap before."""
        return self.state in ("waiting", "typed")

    @property
    def failed(self) -> bool:
        """True if no keys came, or others."""
        return self.state in ("wrong", "late")

    def after(self, offer: protocol.Offer, request: protocol.JoinRequest, now: float) -> "ShownKeys":
        """The same after a request of that Pi."""
        waited = now - self.since_ms
        match self.state:
            case "waiting" if waited > protocol.KEYS_WITHIN_MS:
                return replace(self, state="late")
            case "waiting" if request.typed not in ("", self.before):
                return replace(self, state="typed", typed=request.typed)
            case "typed" if request.keys and self._commits_to(offer, request, request.keys):
                return replace(self, state="right" if request.keys.keys == self.keys else "wrong")
            case "typed" if waited > protocol.KEYS_WITHIN_MS + protocol.OPENED_AFTER_MS + LATE_ASK_MS:
                return replace(self, state="wrong")
        return self

    def _commits_to(
        self, offer: protocol.Offer, request: protocol.JoinRequest, typed: protocol.TypedKeys
    ) -> bool:
        return protocol.keys_commitment(offer, request, typed) == self.typed


def drawn_keys(random: protocol.Bytes) -> tuple[protocol.PanelKey, ...]:
    """Keys that nobody can know, of 3,125 kinds."""
    number = int.from_bytes(random(8))
    return tuple(
        protocol.ANY_KEY[number // len(protocol.ANY_KEY) ** place % len(protocol.ANY_KEY)]
        for place in range(protocol.KEY_COUNT)
    )
