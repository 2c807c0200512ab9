"""Four people at a table, as far as dice, panel and lights can tell: they look, think, roll, and press OK.

They are not perfect: some forget to press OK, some roll after the bell.
"""

from random import Random

from msgspec import Struct

from pi_bunco.devices.protocols import DeviceEvent, Faces, LightState, Press, Throw


class Habits(Struct, frozen=True):
    """How quick people are (ms), and how likely they forget the OK or roll once more after the bell."""

    think: float = 1500.0
    tumble: float = 500.0
    ok: float = 2500.0
    forgets: float = 0.0
    dawdles: float = 0.0

    def faster(self, times: float) -> "Habits":
        """The same people, so many times as fast."""
        return Habits(self.think / times, self.tumble / times, self.ok / times, self.forgets, self.dawdles)


class Players:
    """The people at one table; `due` is when (ms of the clock) they do something, None while they wait."""

    def __init__(self, random: Random, habits: Habits) -> None:
        self.due: float | None = None
        self._random = random
        self._habits = habits
        self._state = LightState()

    def see(self, state: LightState, now: float) -> None:
        """They look at the lights."""
        before, self._state = self._state, state
        if state.ok_blinks and not before.ok_blinks and self._random.random() < self._habits.forgets:
            self.due = None
        elif state.round == "stop" and before.round == "running" and not state.rolloff:
            late = self._random.random() < self._habits.dawdles
            self.due = now + self._habits.think if late else self._when(now)
        else:
            self.due = self._when(now)

    def act(self, now: float) -> DeviceEvent | None:
        """What they do now that it is `due`; they try again if nothing comes of it."""
        habits, state = self._habits, self._state
        self.due = None
        if self._rolls or (state.round == "stop" and not state.ok_blinks):
            self.due = now + 2 * habits.think + 100 if self._rolls else None
            return Throw(self._faces(), now - habits.tumble, now)
        if state.ok_blinks:
            self.due = now + 2 * habits.ok + 100
            return Press("ok", now, 0)
        return None

    @property
    def _rolls(self) -> bool:
        return self._state.rolloff or (
            self._state.turn is not None and self._state.round in ("running", "finish")
        )

    def _when(self, now: float) -> float | None:
        jitter = 0.5 + self._random.random()
        if self._rolls:
            return now + (self._habits.think + self._habits.tumble) * jitter
        return now + self._habits.ok * jitter if self._state.ok_blinks else None

    def _faces(self) -> Faces:
        one, two, three = (self._random.randint(1, 6) for _ in range(3))
        return one, two, three
