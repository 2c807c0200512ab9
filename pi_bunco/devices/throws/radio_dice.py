"""Dice that say over Bluetooth what they show: the throws of three of them, whoever made them. Pure.

Nothing in what they say tells a time or a number: a message is as old as the radio made it, and what a die
said while its link was down is lost. So a throw in which a link broke is void, and a throw is timed with the
bound that BlueZ gives a link: it is down when nothing came for that long.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.devices.protocols import AllReported, DiceEvent, DiceState, DieState, Throw
from pi_bunco.devices.throws import reasons
from pi_bunco.devices.throws.throw_rule import Throws

LINK_MS = 500.0
"""A link that delivers nothing for 420 ms is down (BlueZ's supervision timeout); and one interval more."""
ONE_HAND_MS = 3000.0
"""Three dice thrown by one hand begin to roll within that; one of another table hardly ever does."""
ROLLS_ON_MS = 2000.0
"""A die that says once more within that that it rolls still does, and was not thrown anew."""
LIES_WITHIN_MS = 3000.0
"""A die that is asked how it lies answers within that."""
WEAK_PERCENT = 15


class Identified(Struct, frozen=True):
    """The die said what it is; `why` it cannot be played with, as the end of a sentence."""

    why: str = ""


class DieRolls(Struct, frozen=True):
    """The die began to roll."""


class DieLies(Struct, frozen=True):
    """The die lies after a roll; the face is None where it is not flat."""

    face: int | None


class FaceClaimed(Struct, frozen=True):
    """The die lies after a roll, on its side or leaning; `RadioModel.measure` asks which."""

    face: int


class FaceMeasured(Struct, frozen=True):
    """The answer of a die that lies: which side is uppermost, and whether it lies flat."""

    face: int
    flat: bool


class PickedUp(Struct, frozen=True):
    """The die is in a hand."""


class Disturbed(Struct, frozen=True):
    """The die was `moved` by hand, or is `cocked`: no roll."""

    state: Literal["moved", "cocked"]


class Battery(Struct, frozen=True):
    """The charge in percent."""

    percent: int


Said = Identified | DieRolls | DieLies | FaceClaimed | FaceMeasured | PickedUp | Disturbed | Battery


class RadioModel(Struct, frozen=True):
    """The dice of one maker: how they are known, what they are asked, and how they are understood.

    `word` is that of the setting. `advertises` judges a name and the services that a device tells of itself.
    `notifies` and `takes` are characteristics. A die with `identify` plays once it has answered that;
    `measure` is asked after each `FaceClaimed`.
    """

    word: str
    name: str
    advertises: Callable[[str, Sequence[str]], bool]
    notifies: str
    takes: str
    battery: bytes
    read: Callable[[bytes], Said | None]
    identify: bytes = b""
    measure: bytes = b""


class RadioThrows:
    """Three dice of a model, each at a link of its own; times are ms and do not fall.

    `questions` are those to be asked of a die, and are taken away by whoever asks them.
    """

    def __init__(self, model: RadioModel) -> None:
        self.questions: dict[int, list[bytes]] = {}
        self._model = model
        self._throws = Throws()
        self._states: dict[int, tuple[DieState, str]] = {}
        self._batteries: dict[int, int] = {}
        self._linked: set[int] = set()
        self._unfit: dict[int, str] = {}
        """Per die the reason why it cannot be played with."""
        self._claims: dict[int, tuple[int, float]] = {}
        """Faces that wait for their measurement, and since when the dice lie."""
        self._rolling: dict[int, float] = {}
        """Per die that has not settled yet the time at which it last said that it rolls."""
        self._lying: set[int] = set()
        """Dice whose faces count in the throw that is open."""
        self._thrown_again = False
        self._delayed: dict[int, tuple[int, float, float]] = {}
        """Faces, since when the dice lie, and until when that waits."""
        self._settled = 0.0
        self._until: list[float] = []

    def linked(self, die: int, at: float) -> Iterator[DiceEvent]:
        """The die can be read (again); what it did in a throw that is open is unknown."""
        self._linked.add(die)
        yield from self._throws.void(reasons.WasOutOfReach(die), at)
        if self._model.identify:
            self._unfit[die] = "it has not said what it is"
            self.questions[die] = [self._model.identify]
        else:
            yield from self._state(die, "ok")

    def unlinked(self, die: int, at: float, why: str) -> Iterator[DiceEvent]:
        """The die cannot be read: what it does now is unknown, and so is a throw that is open."""
        self._linked.discard(die)
        self._claims.pop(die, None)
        self._rolling.pop(die, None)
        self._delayed.pop(die, None)
        self.questions.pop(die, None)
        yield from self._throws.void(reasons.OutOfReach(die), at)
        yield from self._state(die, "unheard", why)

    def take(self, die: int, data: bytes, at: float) -> Iterator[DiceEvent]:
        """The events that follow from a notification."""
        match self._model.read(data):
            case Identified(why):
                self._unfit[die] = why
                yield from self._state(die, "fault" if why else "ok", why)
            case Battery(percent):
                self._batteries[die] = percent
                if die in self._states:
                    yield from self._state(die, *self._states[die])
            case None:
                pass
            case _ if why := self._unfit.get(die, ""):
                yield from self._state(die, "fault", why)
            case message:
                yield from self._moved(die, message, at)

    def _moved(self, die: int, message: Said, at: float) -> Iterator[DiceEvent]:
        claim = self._claims.pop(die, None)
        self._delayed.pop(die, None)
        if isinstance(message, DieRolls):
            anew = at > self._rolling.get(die, -math.inf) + ROLLS_ON_MS
            self._rolling[die] = at
            if anew:
                yield from self._rolls(die, at)
            return
        self._rolling.pop(die, None)
        match message:
            case DieLies(None):
                yield from self._disturbed(die, "cocked", at)
            case DieLies(int(face)):
                yield from self._lies(die, face, at, at)
            case FaceClaimed(face):
                self._claims[die] = face, at
                self.questions.setdefault(die, []).append(self._model.measure)
            case FaceMeasured(face, flat) if claim:
                if face != claim[0] or not flat:
                    yield from self._disturbed(die, "moved" if flat else "cocked", at)
                else:
                    yield from self._lies(die, face, claim[1], at)
            case Disturbed(state):
                yield from self._disturbed(die, state, at)

    def _rolls(self, die: int, at: float) -> Iterator[DiceEvent]:
        """The die is part of the throw that is open, or of a new one with the others that roll just now.

        One that comes too late for the throw that is open voids it; alone it opens none.
        """
        yield from self._state(die, "ok")
        opened = self._throws.opened
        late = opened is not None and not self._throws.has(die) and at > opened + ONE_HAND_MS + LINK_MS
        if late:
            yield from self._throws.void(reasons.ThrownAlone(die), at)
        together = {die: at}
        if late or opened is None:
            together |= {one: since for one, since in self._rolling.items() if since >= at - ONE_HAND_MS}
            if late and len(together) == 1:
                return
            self._settled, self._thrown_again = at, False
            self._lying.clear()
        self._lying.discard(die)
        self._thrown_again = self._thrown_again or bool(self._lying)
        for one, since in sorted(together.items(), key=lambda rolling: rolling[1]):
            yield from self._throws.tumbled(one, since)

    def _lies(self, die: int, face: int, since: float, at: float) -> Iterator[DiceEvent]:
        """The die counts; in a throw in which a die is thrown again, once no other can be in the air.

        All three may have been thrown again, and the word that the last one rolls still be on its way.
        """
        yield from self._state(die, "ok")
        if self._thrown_again:
            self._delayed[die] = face, since, at + LINK_MS
        else:
            yield from self._counts(die, face, since)

    def _counts(self, die: int, face: int, since: float) -> Iterator[DiceEvent]:
        self._settled = max(self._settled, since)
        self._lying.add(die)
        for outcome in self._throws.settled(die, face, since):
            is_throw = isinstance(outcome, Throw)
            yield replace(outcome, settled=self._settled, err=LINK_MS) if is_throw else outcome

    def tick(self, now: float) -> Iterator[DiceEvent]:
        """The events due by `now`: a throw that took too long, and what was asked by `report_until`."""
        for die, (_, since) in [*self._claims.items()]:
            if now > since + LIES_WITHIN_MS:
                del self._claims[die]
                yield from self._state(die, "fault", "it does not say how it lies")
        for die, (face, since, until) in [*self._delayed.items()]:
            if now >= until:
                del self._delayed[die]
                yield from self._counts(die, face, since)
        yield from self._throws.tick(now - LINK_MS)
        waits = self._claims or self._delayed
        while self._until and (not self._linked or (self._until[0] + LINK_MS <= now and not waits)):
            yield AllReported(self._until.pop(0))

    def report_until(self, at: float) -> None:
        """`AllReported` follows when a message of that time is here or its link is down."""
        self._until.append(at)

    def _disturbed(self, die: int, state: DieState, at: float) -> Iterator[DiceEvent]:
        yield from self._state(die, state)
        yield from self._throws.invalid(die, state, at)

    def _state(self, die: int, state: DieState, why: str = "") -> Iterator[DiceState]:
        percent = self._batteries.get(die, 100)
        if state in ("ok", "weak"):
            weak = percent <= WEAK_PERCENT
            state, why = ("weak", f"its battery has {percent} %") if weak else ("ok", "")
        if self._states.get(die) != (state, why):
            self._states[die] = (state, why)
            yield DiceState(die, state, why)
