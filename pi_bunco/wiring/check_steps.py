"""The steps of the wiring check, one for each kind of part: their questions and findings. Pure."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Literal

from msgspec import Struct

from pi_bunco.devices.pins import Part
from pi_bunco.devices.protocols import DeviceEvent, Press, Stuck, Throw, ThrowVoid
from pi_bunco.runtime.loop import Tick

SOUND_MS = 200
"""Length of the sound of bell and horn."""
PRESSED_TOGETHER_MS = 10.0
"""Nobody presses two buttons within that; the slowest reading of lines tells it 5 ms late."""
YES, NO, SKIP = ("y", "yes"), ("n", "no"), ("s", "skip")

Verdict = Literal["ok", "failed", "skipped"]


class Statement(Struct, frozen=True):
    """A line for the host."""

    text: str


class Question(Statement, frozen=True):
    """A line that the host is to answer, or a part is; from now on it is waited for."""


class Light(Struct, frozen=True):
    """The light of this name is lit and no other; None for darkness, `display` for the display."""

    name: str | None


class Sound(Struct, frozen=True):
    """The relay of this name is to be on for `SOUND_MS`; `Sounded` tells what came of it."""

    relay: str


class Typed(Struct, frozen=True):
    """A line that the host typed."""

    text: str


class TypingEnded(Struct, frozen=True):
    """Nobody types any more; with `devices`, none of them can answer either."""

    devices: bool


class BellPress(Struct, frozen=True):
    """The bell button was pressed."""


class Sounded(Struct, frozen=True):
    """The relay was switched, or `why` not."""

    why: str = ""


class PartFinding(Struct, frozen=True):
    """The outcome of a part; `why` is a sentence unless it is fine."""

    part: Part
    outcome: Verdict
    why: str = ""


CheckEffect = Statement | Light | Sound
CheckMessage = DeviceEvent | Typed | TypingEnded | BellPress | Sounded | Tick


class CheckStep(ABC):
    """Parts of one kind, asked for one after another: what is without a finding is still to come."""

    skipping = "s: it does not answer"

    def __init__(self, parts: Iterable[Part]) -> None:
        self.parts = {part.key: part for part in parts}
        self.findings: dict[str, PartFinding] = {}

    @property
    def part(self) -> Part | None:
        """The part that is asked for; None when all is found."""
        return next((part for key, part in self.parts.items() if key not in self.findings), None)

    @property
    def waits(self) -> bool:
        """True while a part is waited for; otherwise the host's word is."""
        return True

    @abstractmethod
    def ask(self) -> Iterator[CheckEffect]:
        """Asks for `part`, if there is one left."""

    @abstractmethod
    def take(self, message: CheckMessage) -> Iterator[CheckEffect]:
        """The effects of a message."""

    def give_up(self) -> Iterator[CheckEffect]:
        """The part that was asked for does not answer."""
        if self.part:
            yield from self.found(self.part, "failed", f"{self.part.name} did not answer: {self.part.place}.")

    def abandon(self) -> Iterator[CheckEffect]:
        """Nobody is there who could answer for what is left."""
        while part := self.part:
            yield self.note(part, "failed", f"{part.name} was not checked: nobody answered.")

    def found(self, part: Part, outcome: Verdict, why: str = "") -> Iterator[CheckEffect]:
        """Notes how a part did, and asks for the next one."""
        yield self.note(part, outcome, why)
        yield from self.ask()

    def note(self, part: Part, outcome: Verdict, why: str = "") -> Statement:
        """Notes how a part did; the line that says so."""
        self.findings[part.key] = PartFinding(part, outcome, why)
        return Statement(why or f"{part.name}: fine.")


class SeenStep(CheckStep):
    """Parts that only the host can judge: yes, no, or skip."""

    @property
    def waits(self) -> bool:
        """Never for a part."""
        return False

    def ask(self) -> Iterator[CheckEffect]:
        """Lights the part and asks whether it is lit; darkness at the end."""
        yield Light(self.part.key if self.part else None)
        if self.part:
            yield Question(self.part.question)

    def take(self, message: CheckMessage) -> Iterator[CheckEffect]:
        """The host's word about the part."""
        if self.part and isinstance(message, Typed):
            yield from self.judged(self.part, message.text)

    def judged(self, part: Part, text: str) -> Iterator[CheckEffect]:
        """The part as the host sees it."""
        if text in YES:
            yield from self.found(part, "ok")
        elif text in NO:
            yield from self.found(part, "failed", f"{part.name} does not work: {part.place}.")
        elif text in SKIP:
            yield from self.found(part, "skipped", f"{part.name} was skipped.")
        else:
            yield Statement("Answer y or n, or s to skip it.")


class BellStep(SeenStep):
    """Bell and horn, each sounded only when the host agrees, and judged by the host."""

    _sounding = False

    def ask(self) -> Iterator[CheckEffect]:
        """Asks before anything sounds."""
        self._sounding = False
        if self.part:
            yield Question(f"Sound the {self.part.key} for {SOUND_MS} ms now? (y/n)")

    def take(self, message: CheckMessage) -> Iterator[CheckEffect]:
        """The host's word, and whether the relay was switched."""
        part = self.part
        if part is None:
            return
        match message:
            case Typed(text) if self._sounding:
                yield from self.judged(part, text)
            case Typed(text) if text in YES:
                yield Sound(part.key)
            case Typed(text):
                yield from self.judged(part, "s" if text in NO else text)
            case Sounded(""):
                self._sounding = True
                yield Question(f"Did the {part.key} sound? (y/n)")
            case Sounded(why):
                yield from self.found(part, "failed", f"{part.name} did not sound: {why}; {part.place}.")


class BellButtonStep(CheckStep):
    """The one brass button beside the bell."""

    def ask(self) -> Iterator[CheckEffect]:
        """Asks for a press."""
        if self.part:
            yield Question(f"Press the bell button. ({self.skipping})")

    def take(self, message: CheckMessage) -> Iterator[CheckEffect]:
        """A press is all that it can do."""
        if self.part and isinstance(message, BellPress):
            yield from self.found(self.part, "ok")


class RollStep(CheckStep):
    """Three dice: thrown together, then judged one by one, since a wrong wire tells a wrong face."""

    _throw: Throw | None = None
    _void = ""

    @property
    def waits(self) -> bool:
        """Until there is a throw."""
        return self._throw is None

    def ask(self) -> Iterator[CheckEffect]:
        """Asks for a throw, then for each face."""
        if self._throw is None:
            yield Question(f"Roll all three dice. ({self.skipping})")
        elif self.part:
            yield Question(f"{self.part.name} says {self._face(self.part)}: does it show that? (y/n)")

    def take(self, message: CheckMessage) -> Iterator[CheckEffect]:
        """A throw, what is wrong with one, or the host's word about a face."""
        match message:
            case Throw() if self.part:
                self._throw = message
                yield from self.ask()
            case ThrowVoid(why) if self.waits:
                self._void = why
                yield Statement(f"That was no throw: {why}.")
                yield from self.ask()
            case Typed(text) if self.part and not self.waits:
                yield from self._judged(self.part, text)

    def give_up(self) -> Iterator[CheckEffect]:
        """No throw, so no die: the reason of the last void one says which die is to blame."""
        blamed = [part for part in self.parts.values() if part.name.lower() in self._void]
        for part in self.parts.values():
            if blamed and part not in blamed:
                yield self.note(part, "skipped", f"{part.name} could not be checked without the others.")
            else:
                reason = f" ({self._void})" if self._void else ""
                yield self.note(part, "failed", f"{part.name} did not answer{reason}: {part.place}.")

    def _judged(self, part: Part, text: str) -> Iterator[CheckEffect]:
        if text in YES:
            yield from self.found(part, "ok")
        elif text in NO:
            why = f"{part.name} said {self._face(part)} and showed another face: {part.place}."
            yield from self.found(part, "failed", why)
        else:
            yield Statement("Answer y or n.")

    def _face(self, part: Part) -> int:
        assert self._throw
        return self._throw.faces[int(part.key) - 1]


class PanelStep(CheckStep):
    """The eight buttons."""

    _last: Press | None = None
    _instead = ""

    def ask(self) -> Iterator[CheckEffect]:
        """Asks for a press."""
        self._instead = ""
        if part := self.part:
            how = "Hold UNDO for two seconds." if part.key == "undo" else f"Press {part.key.upper()}."
            yield Question(f"{how} ({self.skipping})")

    def take(self, message: CheckMessage) -> Iterator[CheckEffect]:
        """Presses, and buttons that stay down."""
        match message:
            case Press() if self.part:
                last, self._last = self._last, message
                if last and _together(last, message):
                    yield from self._touching(self.parts[last.button], self.parts[message.button])
                else:
                    yield from self._pressed(self.part, self.parts[message.button])
            case Stuck(button, True):
                yield from self._stuck(self.parts[button])
            case Stuck(button, False):
                yield from self._free(self.parts[button])

    def _pressed(self, part: Part, pressed: Part) -> Iterator[CheckEffect]:
        if pressed is part:
            yield from self.found(part, "ok")
        elif (before := self.findings.get(pressed.key)) and before.outcome == "ok":
            yield Statement(f"That was {_short(pressed)}; it is {_short(part)}'s turn.")
        elif pressed.key == self._instead:
            why = f"{part.name} did not answer, {_short(pressed)} did: are they swapped? Look at"
            yield from self.found(part, "failed", f"{why} {part.place}, and at {pressed.place}.")
        else:
            yield Statement(f"That was {_short(pressed)}: are {_short(part)} and {_short(pressed)} swapped?")
            yield from self.ask()
            self._instead = pressed.key

    def _touching(self, one: Part, other: Part) -> Iterator[CheckEffect]:
        for part, its in ((one, other), (other, one)):
            why = f"{part.name} answered together with {_short(its)}: do their wires touch? Look at"
            yield self.note(part, "failed", f"{why} {part.place}.")
        yield from self.ask()

    def _stuck(self, part: Part) -> Iterator[CheckEffect]:
        before = self.part
        why = f"{part.name} is down all the time: is it stuck, or does its wire touch ground? Look at"
        yield self.note(part, "failed", f"{why} {part.place}.")
        if self.part is not before:
            yield from self.ask()

    def _free(self, part: Part) -> Iterator[CheckEffect]:
        """Asks again for a button that came loose, unless the panel is done with."""
        if self.part is None:
            return
        self.findings.pop(part.key, None)
        yield Statement(f"{part.name} is free again.")
        yield from self.ask()


def _short(part: Part) -> str:
    return part.key.upper()


def _together(one: Press, other: Press) -> bool:
    """True if one contact closed both; a typed press, held for 0 ms, has none."""
    real = one.held_ms > 0 and other.held_ms > 0
    return real and one.button != other.button and abs(one.at - other.at) <= PRESSED_TOGETHER_MS
