"""Four people at a table, and their devices: they look at the lights, think, roll, and press OK.

They are not perfect: some forget to press OK, some roll after the bell.
"""

import threading
from random import Random

from msgspec import Struct

from pi_bunco.devices.protocols import AllReported, DeviceEvent, LightState, Press, Put, ThreeFaces, Throw
from pi_bunco.runtime.clock import Clock


class Habits(Struct, frozen=True):
    """Pauses of people (ms), and the chance that they forget the OK or roll once more after the bell."""

    think: float = 1500.0
    tumble: float = 500.0
    ok: float = 2500.0
    forgets: float = 0.0
    dawdles: float = 0.0

    def faster(self, times: float) -> "Habits":
        """The same people, `times` as fast."""
        return Habits(self.think / times, self.tumble / times, self.ok / times, self.forgets, self.dawdles)


AT_ONCE = Habits(think=0, tumble=0, ok=0)
"""People who need no time at all."""


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
        """Their deed now that it is `due`; they try again if nothing comes of it."""
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

    def _faces(self) -> ThreeFaces:
        one, two, three = (self._random.randint(1, 6) for _ in range(3))
        return one, two, three


class SmartTable:
    """`Dice`, `Panel` and `Lights` whose people act on what the lights show, in a thread of their own.

    People without any pace wait for nothing but the lights: the head is there, and their roll is saved.
    """

    def __init__(self, put: Put, clock: Clock, random: Random, habits: Habits) -> None:
        self._put = put
        self._clock = clock
        self._players = Players(random, habits)
        self._hurried = not habits.think
        self._changed = threading.Condition()
        self._open = True
        self._thread = threading.Thread(target=self._run, name="players", daemon=True)

    def start(self) -> None:
        """The people sit down, once."""
        if self._thread.ident is None:
            self._thread.start()

    def show(self, state: LightState) -> None:
        """The people look at the lights."""
        with self._changed:
            if not self._hurried or (state.saved and state.online):
                self._players.see(state, self._clock.now())
                self._changed.notify()

    def committed(self, boot: str, seq: int) -> None:
        """These dice keep nothing."""

    def report_until(self, at: float) -> None:
        """A throw is reported as it settles."""
        self._put(AllReported(at))

    def alive(self) -> bool:
        """True while the people are there."""
        return self._thread.is_alive()

    def close(self) -> None:
        """The people go home."""
        with self._changed:
            self._open = False
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while (event := self._next()) is not None:
            self._put(event)

    def _next(self) -> DeviceEvent | None:
        """Waits for the next deed of the people; None at the end."""
        with self._changed:
            while self._open:
                now, due = self._clock.now(), self._players.due
                if due is None or due > now:
                    self._changed.wait(None if due is None else (due - now) / 1000)
                elif event := self._players.act(now):
                    return event
        return None
