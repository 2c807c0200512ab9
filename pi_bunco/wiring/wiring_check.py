"""The wiring check: asks for one part after another, and says where to look for what does not answer. Pure.

`Check.step(message, now)` takes what devices report and the host types, and returns what is to be said, lit
and sounded.
"""

from collections.abc import Iterable, Iterator

from pi_bunco.devices.protocols import Stuck, Throw, ThrowVoid
from pi_bunco.runtime.loop import Tick
from pi_bunco.wiring import check_steps

ANSWER_WITHIN_MS = 30_000.0
"""The time that a part has."""
_WORDS: dict[check_steps.Verdict, str] = {"ok": "fine", "failed": "to be looked at", "skipped": "not checked"}


class Check:
    """All steps, one after another; `done` when every part has its finding."""

    def __init__(self, steps: Iterable[check_steps.CheckStep]) -> None:
        self._steps = [step for step in steps if step.parts]
        self._began = self._question_at = 0.0
        self._ended: check_steps.TypingEnded | None = None

    @property
    def current(self) -> check_steps.CheckStep | None:
        """The step that is under way."""
        return next((step for step in self._steps if step.part), None)

    @property
    def done(self) -> bool:
        """True when nothing is left to ask."""
        return self.current is None

    @property
    def findings(self) -> list[check_steps.PartFinding]:
        """The findings in the order of the steps and their parts."""
        return [step.findings[key] for step in self._steps for key in step.parts if key in step.findings]

    def begin(self, now: float) -> list[check_steps.CheckEffect]:
        """The first question."""
        return self._timed(self._entered(None, now), now)

    def step(self, message: check_steps.CheckMessage, now: float) -> list[check_steps.CheckEffect]:
        """The effects of a message at `now` (ms)."""
        return self._timed(self._taken(message, now), now)

    def _timed(self, effects: Iterator[check_steps.CheckEffect], now: float) -> list[check_steps.CheckEffect]:
        """Restarts the time of a part at its last question."""
        listed = list(effects)
        if any(isinstance(effect, check_steps.Question) for effect in listed):
            self._question_at = now
        return listed

    def _taken(self, message: check_steps.CheckMessage, now: float) -> Iterator[check_steps.CheckEffect]:
        before = self.current
        if isinstance(message, check_steps.TypingEnded):
            self._ended = message
        elif isinstance(message, Stuck):
            for step in self._steps:
                yield from step.take(message)
        elif before and not self._old(message):
            over = isinstance(message, Tick) and now - self._question_at >= ANSWER_WITHIN_MS
            gives_up = before.waits and (
                over or (isinstance(message, check_steps.Typed) and message.text in check_steps.SKIP)
            )
            yield from before.give_up() if gives_up else before.take(message)
        yield from self._entered(before, now)

    def _old(self, message: check_steps.CheckMessage) -> bool:
        """True for a throw of before the question that a box tells again."""
        match message:
            case Throw():
                return message.began < self._began
            case ThrowVoid():
                return message.at < self._began
        return False

    def _entered(self, before: check_steps.CheckStep | None, now: float) -> Iterator[check_steps.CheckEffect]:
        """Begins the next step, past those that nobody answers for."""
        while (step := self.current) and self._ended and (self._ended.devices or not step.waits):
            yield from step.abandon()
        if step and step is not before:
            self._began = now
            yield from step.ask()


def summary(findings: Iterable[check_steps.PartFinding]) -> list[str]:
    """Sentences of what is to be mended or was not checked, and the number of parts with each outcome."""
    listed = list(findings)
    counts = {outcome: sum(found.outcome == outcome for found in listed) for outcome in _WORDS}
    counted = ", ".join(f"{counts[outcome]} {word}" for outcome, word in _WORDS.items() if counts[outcome])
    problems = [found.why for found in listed if found.outcome != "ok"]
    return [*problems, f"{counted[:1].upper()}{counted[1:]}."]
