"""Bell and horn at relays: the lowest layer of ours, which no ring gets past (FIELD-NOTES.md, relay)."""

import contextlib
import logging
import threading

from pi_bunco.devices.bell.limits import LONGEST_MS, MINUTE_MS, shortened
from pi_bunco.devices.gpio import Gpio, Output
from pi_bunco.devices.kinds import BELL_KINDS, DeviceKind
from pi_bunco.devices.pins import RELAYS, Part, PinPlan, Relay, wires
from pi_bunco.devices.protocols import Blasts, DeviceError
from pi_bunco.devices.threads import Complaint
from pi_bunco.runtime.clock import Clock

REST_MS = 100.0
"""A silence that is shorter than this is none: what sounds before and after it counts as one blast."""
ON_IN_A_MINUTE_MS = MINUTE_MS / 2
RETRY_AFTER_S = 0.02
LOOK_EVERY_MS = 50.0
"""The longest wait while something sounds or is to sound."""
_log = logging.getLogger(__name__)


class Schedule:
    """Times (ms) of each relay: on for at most `LONGEST_MS` at a time and `ON_IN_A_MINUTE_MS` in a minute."""

    def __init__(self) -> None:
        self._on: dict[Relay, list[tuple[float, float]]] = {relay: [] for relay in RELAYS}

    def ring(self, ring: Blasts, now: float) -> None:
        """Cuts what sounds at `now` and plans `ring`, shortened to what is allowed."""
        self.off(now)
        at = now + max(ring.wait_ms, 0)
        for blast in shortened(ring.pattern, LONGEST_MS):
            for relay in RELAYS:
                if relay in blast.relay:
                    self._plan(relay, at, at + blast.on_ms)
            at += blast.on_ms + blast.off_ms

    def off(self, now: float) -> None:
        """Nothing sounds from `now` on."""
        for relay, blasts in self._on.items():
            self._on[relay] = [(on, min(off, now)) for on, off in blasts if on < now < off + MINUTE_MS]

    def on(self, relay: Relay, now: float) -> bool:
        """True if the relay is to be on at `now`."""
        return any(on <= now < off for on, off in self._on[relay])

    def next(self, now: float) -> float | None:
        """Time (ms) of the next switch of a relay after `now`."""
        times = (time for blasts in self._on.values() for blast in blasts for time in blast)
        return min((time for time in times if time > now), default=None)

    def _plan(self, relay: Relay, on: float, off: float) -> None:
        blasts = self._on[relay]
        room = min(LONGEST_MS - self._run(relay, on), ON_IN_A_MINUTE_MS - sum(b - a for a, b in blasts))
        if (off := min(off, on + room)) > on:
            blasts.append((on, off))

    def _run(self, relay: Relay, at: float) -> float:
        """Time (ms) that the relay has been on at `at` without a real silence."""
        run = 0.0
        for on, off in reversed(self._on[relay]):
            if at - off >= REST_MS:
                break
            run, at = run + off - on, on
        return run


class Relays:
    """Both relays at their lines, off from the first moment on; `step` makes them what is planned for now."""

    def __init__(self, gpio: Gpio, plan: PinPlan, clock: Clock) -> None:
        """Takes the lines; `DeviceError` says which cannot be had."""
        self._clock = clock
        self._schedule = Schedule()
        self._outputs: dict[Relay, Output] = {relay: gpio.output(plan[relay]) for relay in RELAYS}
        self._is_on = dict.fromkeys(RELAYS, False)

    def ring(self, ring: Blasts) -> float:
        """Cuts what sounds and begins `ring`; returns when the relay switches (ms). May raise `OSError`."""
        try:
            self._schedule.ring(ring, self._clock.now())
            self.step()
        except OSError:
            self._schedule.off(self._clock.now())
            raise
        return self._clock.now() + max(ring.wait_ms, 0)

    def off(self) -> None:
        """Silences both; `OSError` if it cannot, then `step` tries again."""
        self._schedule.off(self._clock.now())
        self.step()

    def step(self) -> float | None:
        """Switches what is due, off before on; returns in how many ms it is to be called again."""
        now = self._clock.now()
        wanted = {relay: self._schedule.on(relay, now) for relay in RELAYS}
        for relay in sorted(RELAYS, key=wanted.__getitem__):
            if wanted[relay] != self._is_on[relay]:
                self._outputs[relay].set(wanted[relay])
                self._is_on[relay] = wanted[relay]
        due = self._schedule.next(now)
        return None if due is None else due - now

    def close(self) -> None:
        """Silences both and lets go of their lines."""
        with contextlib.ExitStack() as closing:
            for output in self._outputs.values():
                closing.callback(output.close)


class RelayBell:
    """Bell and horn at the lines of those names.

    `ring` switches on at once, in the caller's thread; a thread does what follows. Without it nothing is
    switched on.
    """

    def __init__(self, gpio: Gpio, plan: PinPlan, clock: Clock) -> None:
        """Takes the lines; `DeviceError` says which cannot be had."""
        self._relays = Relays(gpio, plan, clock)
        self._changed = threading.Condition()
        self._closing = False
        self._complaint = Complaint(_log)
        self._thread = threading.Thread(target=self._run, name="bell", daemon=True)
        self._thread.start()

    def ring(self, ring: Blasts) -> float:
        """Rings; returns when the relay switches (ms). `OSError` or `DeviceError` if it cannot."""
        with self._changed:
            if not self._thread.is_alive():
                raise DeviceError("nothing would switch the bell off again, so it stays silent")
            self._changed.notify()
            return self._relays.ring(ring)

    def off(self) -> None:
        """Silences both relays at once."""
        with self._changed:
            self._changed.notify()
            self._relays.off()

    def close(self) -> None:
        """Silences both relays and lets go of their lines."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join()
        self._relays.close()

    def _run(self) -> None:
        try:
            with self._changed:
                while not self._closing:
                    self._changed.wait(self._step())
        finally:
            with contextlib.suppress(OSError):  # closing says so
                self._relays.off()

    def _step(self) -> float | None:
        """Switches what is due; returns the seconds until it must be called again."""
        try:
            wait = self._relays.step()
        except OSError as error:
            self._complaint.tell("a relay cannot be switched: %s; trying again", error)
            return RETRY_AFTER_S
        self._complaint.works()
        return None if wait is None else min(wait, LOOK_EVERY_MS) / 1000


def parts(plan: PinPlan) -> tuple[Part, ...]:
    """Bell and horn, for the wiring check."""
    return tuple(
        Part(name, f"The {name}", wires([plan[name]], "the relay wires"), (plan[name],)) for name in RELAYS
    )


BELL_KINDS.register(
    DeviceKind(
        "gpio",
        lambda _argument, setup: RelayBell(setup.hardware.gpio, setup.hardware.lines, setup.clock),
        lines=lambda _encoding: ("bell", "horn", "bell_button"),
        parts=lambda _argument, hardware: parts(hardware.lines),
    )
)
