"""The check of the panel: a press that another button answers for says how the wires are mixed up. Pure."""

from collections.abc import Iterator

from pi_bunco.devices.parts import Part
from pi_bunco.devices.protocols import Press, Stuck
from pi_bunco.wiring.stages import Effect, Message, PartFinding, Question, Stage, Statement

TOGETHER_MS = 10.0
"""Nobody presses two buttons within that; the slowest reading of lines tells it 5 ms late."""


class PanelStage(Stage):
    """The eight buttons."""

    _last: Press | None = None
    _instead = ""

    def ask(self) -> Iterator[Effect]:
        """Asks for a press."""
        self._instead = ""
        if part := self.part:
            how = "Hold UNDO for two seconds." if part.key == "undo" else f"Press {part.key.upper()}."
            yield Question(f"{how} ({self.skipping})")

    def hear(self, message: Message) -> Iterator[Effect]:
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

    def _pressed(self, part: Part, pressed: Part) -> Iterator[Effect]:
        if pressed is part:
            yield from self.found(part, "ok")
        elif self._fine(pressed):
            yield Statement(f"That was {_short(pressed)}; it is {_short(part)}'s turn.")
        elif pressed.key == self._instead:
            why = f"{part.name} did not answer, {_short(pressed)} did: are they swapped? Look at"
            yield from self.found(part, "failed", f"{why} {part.place}, and at {pressed.place}.")
        else:
            yield Statement(f"That was {_short(pressed)}: are {_short(part)} and {_short(pressed)} swapped?")
            yield from self.ask()
            self._instead = pressed.key

    def _fine(self, part: Part) -> bool:
        found = self.findings.get(part.key)
        return found is not None and found.outcome == "ok"

    def _touching(self, one: Part, other: Part) -> Iterator[Effect]:
        for part, its in ((one, other), (other, one)):
            why = f"{part.name} answered together with {_short(its)}: do their wires touch? Look at"
            self.findings[part.key] = PartFinding(part, "failed", f"{why} {part.place}.")
            yield Statement(self.findings[part.key].why)
        yield from self.ask()

    def _stuck(self, part: Part) -> Iterator[Effect]:
        before = self.part
        why = f"{part.name} is down all the time: is it stuck, or does its wire touch ground? Look at"
        self.findings[part.key] = PartFinding(part, "failed", f"{why} {part.place}.")
        yield Statement(self.findings[part.key].why)
        if self.part is not before:
            yield from self.ask()

    def _free(self, part: Part) -> Iterator[Effect]:
        """A button that came loose is asked for again, unless the panel is done with."""
        if self.part is None:
            return
        self.findings.pop(part.key, None)
        yield Statement(f"{part.name} is free again.")
        yield from self.ask()


def _short(part: Part) -> str:
    return part.key.upper()


def _together(one: Press, other: Press) -> bool:
    """Whether one contact closed both; a typed press, held for 0 ms, has none."""
    real = one.held_ms > 0 and other.held_ms > 0
    return real and one.button != other.button and abs(one.at - other.at) <= TOGETHER_MS
