"""The head's side: the Pis that ask, and what each is answered. Times are ms of a monotonic clock."""

from collections import deque

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.enrol import protocol, reasons
from pi_bunco.enrol.keys import ShownKeys, drawn_keys
from pi_bunco.reason import Reason
from pi_bunco.words.sentences import sentences

MAX_HELLOS_PER_HOUR = 64
"""Each is one chance in 2**22 for somebody between Pi and head to have the words of both alike."""
FORGOTTEN_AFTER_MS = 30_000.0
"""A Pi asks every 2 s; of one that asks no more the page says nothing, nor would the tap reach it."""
_HOUR_MS = 3_600_000.0


class _Version(Struct):
    version: int = 0


class PiThatAsks(Struct, frozen=True):
    """A Pi at the desk; `request` once it has opened its commitment, `table` once it was taken in.

    `keys` are those that its host is to type there, in place of comparing words.
    """

    id: str
    label: str
    offer: protocol.Offer
    last_ms: float
    request: protocol.JoinRequest | None = None
    answer: protocol.Joined | None = None
    sent_away: bool = False
    keys: ShownKeys | None = None

    @property
    def words(self) -> tuple[str, str]:
        """The words that its host is to compare."""
        return protocol.shown(self.offer, self.request)[0] if self.request else ("", "")

    @property
    def blinks(self) -> tuple[int, ...]:
        """The numbers that its light blinks."""
        return protocol.shown(self.offer, self.request)[1] if self.request else ()


class AtTheDesk(Struct, frozen=True):
    """The Pis that wait for their host, those just taken in, and if it is `full`: no more may ask."""

    asking: tuple[PiThatAsks, ...] = ()
    taken: tuple[PiThatAsks, ...] = ()
    full: bool = False


class Desk:
    """All Pis that ask the head of `hall`, whose authority has the certificate `ca`; None takes nobody in."""

    def __init__(self, hall: str, ca: str | None, random: protocol.Bytes) -> None:
        self._hall, self._ca, self._random = hall, ca, random
        self._pis: dict[str, PiThatAsks] = {}
        self._hellos: deque[tuple[float, str]] = deque()

    def answer(self, data: bytes, now: float) -> protocol.Reply:
        """The answer to a Pi's `data`, JSON."""
        try:
            version = msgspec.json.decode(data, type=_Version).version
            if version != protocol.JOIN_VERSION:
                return _no(reasons.OtherJoinVersion(version, protocol.JOIN_VERSION))
            question: protocol.JoinQuestion = msgspec.json.decode(data, type=protocol.JoinQuestion)
        except (msgspec.DecodeError, RecursionError):
            return _no(reasons.JoinUnreadable())
        self._forget(now)
        if self._ca is None:
            return _no(reasons.NoneTakenInHere(), again=False)
        if isinstance(question, protocol.JoinRequest):
            return self._request(question, now)
        return self._hello(
            question, protocol.Offer(self._hall, self._ca, self._random(protocol.NONCE_BYTES).hex()), now
        )

    def now(self, now: float) -> AtTheDesk:
        """All that a host is to know, the Pis that wait the longest first."""
        self._forget(now)
        here = [pi for pi in self._pis.values() if pi.request and not pi.sent_away]
        return AtTheDesk(
            tuple(pi for pi in here if pi.answer is None),
            tuple(pi for pi in here if pi.answer is not None),
            self._full,
        )

    @property
    def _full(self) -> bool:
        return len(self._hellos) >= MAX_HELLOS_PER_HOUR

    def take_in(self, pi: PiThatAsks, table: int, plays: protocol.JoiningEquipment, now: float) -> None:
        """The Pi's next question is answered with its table; its request is in the broker's accounts."""
        self._pis[pi.id] = replace(pi, answer=protocol.Joined(table, plays), last_ms=now)

    def ask_for_keys(self, pi: PiThatAsks, now: float) -> None:
        """The host is to type keys at this Pi, of which there is one try; others each time."""
        before = pi.request.typed if pi.request else ""
        self._pis[pi.id] = replace(pi, keys=ShownKeys(drawn_keys(self._random), now, before))

    def send_away(self, id: str) -> None:
        """The Pi's next question is answered with that; nothing if it has gone."""
        if id in self._pis:
            self._pis[id] = replace(self._pis[id], sent_away=True)

    def _hello(self, hello: protocol.JoinHello, offer: protocol.Offer, now: float) -> protocol.Reply:
        if any(hello.commitment == before for _, before in self._hellos):
            return _no(reasons.AskedBefore())
        if self._full:
            return _no(reasons.ManyPisAsk(MAX_HELLOS_PER_HOUR))
        self._hellos.append((now, hello.commitment))
        self._pis[hello.commitment] = PiThatAsks(hello.commitment, hello.label, offer, now)
        return offer

    def _request(self, request: protocol.JoinRequest, now: float) -> protocol.Reply:
        pi = self._pis.get(protocol.commitment(request))
        if pi is None:
            return _no(reasons.RequestUnknown())
        others = (one.request for one in self._pis.values() if one.request and one.id != pi.id)
        if any(other.password_hash == request.password_hash for other in others):
            return _no(reasons.SameKeyTwice())
        keys = pi.keys and pi.keys.after(pi.offer, request, now)
        self._pis[pi.id] = replace(pi, request=request, last_ms=now, keys=keys)
        if pi.sent_away:
            return _no(reasons.SentAway(), again=False)
        return pi.answer or protocol.Undecided()

    def _forget(self, now: float) -> None:
        while self._hellos and self._hellos[0][0] <= now - _HOUR_MS:
            self._hellos.popleft()
        self._pis = {id: pi for id, pi in self._pis.items() if now - pi.last_ms < FORGOTTEN_AFTER_MS}


def _no(why: Reason, again: bool = True) -> protocol.TurnedDown:
    return protocol.TurnedDown(sentences("en").of(why), again)
