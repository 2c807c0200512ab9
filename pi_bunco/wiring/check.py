"""The wiring check: asks for one part after another, and says where to look for what does not answer. Pure.

`Check.step(message, now)` takes what devices report and the host types, and returns what is to be said, lit
and sounded.
"""

from collections.abc import Iterable, Iterator

from pi_bunco.devices.protocols import Stuck, Throw, ThrowVoid
from pi_bunco.runtime.loop import Tick
from pi_bunco.wiring.stages import (
    SKIP,
    Effect,
    Message,
    Outcome,
    PartFinding,
    Question,
    Stage,
    Typed,
    TypingEnded,
)

PATIENCE_MS = 30_000.0
"""For so long a part is waited for."""
_WORDS: dict[Outcome, str] = {"ok": "fine", "failed": "to be looked at", "skipped": "not checked"}


class Check:
    """All stages, one after another; `done` when every part has its finding."""

    def __init__(self, stages: Iterable[Stage]) -> None:
        self._stages = [stage for stage in stages if stage.parts]
        self._began = self._asked = 0.0
        self._ended: TypingEnded | None = None

    @property
    def stage(self) -> Stage | None:
        """The stage that is under way."""
        return next((stage for stage in self._stages if stage.part), None)

    @property
    def done(self) -> bool:
        """Whether nothing is left to ask."""
        return self.stage is None

    @property
    def findings(self) -> list[PartFinding]:
        """What was found, in the order of the stages and their parts."""
        return [stage.findings[key] for stage in self._stages for key in stage.parts if key in stage.findings]

    def begin(self, now: float) -> list[Effect]:
        """The first question."""
        return self._timed(self._entered(None, now), now)

    def step(self, message: Message, now: float) -> list[Effect]:
        """What follows from a message at `now` (ms)."""
        return self._timed(self._taken(message, now), now)

    def _timed(self, effects: Iterator[Effect], now: float) -> list[Effect]:
        """From the last question on a part has its time."""
        listed = list(effects)
        if any(isinstance(effect, Question) for effect in listed):
            self._asked = now
        return listed

    def _taken(self, message: Message, now: float) -> Iterator[Effect]:
        before = self.stage
        if isinstance(message, TypingEnded):
            self._ended = message
        elif isinstance(message, Stuck):
            for stage in self._stages:
                yield from stage.hear(message)
        elif before and not self._old(message):
            gives_up = before.waits and self._is_over(message, now)
            yield from before.give_up() if gives_up else before.hear(message)
        yield from self._entered(before, now)

    def _old(self, message: Message) -> bool:
        """A box tells again what was thrown before it was asked for."""
        match message:
            case Throw():
                return message.began < self._began
            case ThrowVoid():
                return message.at < self._began
        return False

    def _is_over(self, message: Message, now: float) -> bool:
        if isinstance(message, Typed):
            return message.text in SKIP
        return isinstance(message, Tick) and now - self._asked >= PATIENCE_MS

    def _entered(self, before: Stage | None, now: float) -> Iterator[Effect]:
        """Begins the stage that is next, past those that nobody answers for."""
        while (stage := self.stage) and self._ended and (self._ended.devices or not stage.waits):
            yield from stage.abandon()
        if stage and stage is not before:
            self._began = now
            yield from stage.ask()


def summary(findings: Iterable[PartFinding]) -> list[str]:
    """What is to be mended and what was not checked, and how many parts did how."""
    listed = list(findings)
    counts = {outcome: sum(found.outcome == outcome for found in listed) for outcome in _WORDS}
    counted = ", ".join(f"{counts[outcome]} {word}" for outcome, word in _WORDS.items() if counts[outcome])
    problems = [found.why for found in listed if found.outcome != "ok"]
    return [*problems, f"{counted[:1].upper()}{counted[1:]}."]
