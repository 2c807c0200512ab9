"""The devices of a table at which simulated people play: dice, panel and lights in one."""

import threading
from random import Random

from pi_bunco.devices.protocols import AllReported, DeviceEvent, LightState, Put
from pi_bunco.runtime.clock import Clock
from pi_bunco.sim.players import Habits, Players

AT_ONCE = Habits(think=0, tumble=0, ok=0)
"""People who need no time at all."""


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
        """Whether the people are still there."""
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
        """What the people do next, once they do it; None at the end."""
        with self._changed:
            while self._open:
                now, due = self._clock.now(), self._players.due
                if due is None or due > now:
                    self._changed.wait(None if due is None else (due - now) / 1000)
                elif event := self._players.act(now):
                    return event
        return None
