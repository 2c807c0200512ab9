"""`pi-bunco check`: every button, die, light and relay of this machine, tried by a host without a game."""

import argparse
import contextlib
import queue
import sys
import threading
from collections.abc import Callable
from typing import Any, TextIO

from pi_bunco.cli.parser import argument, print_json
from pi_bunco.cli.serve import add_settings, hardware, head_folder, settled
from pi_bunco.cli.terminal import MockFingers, end_by_signal, typed_lines
from pi_bunco.config import Config, ConfigError
from pi_bunco.devices.bell import host_button
from pi_bunco.devices.bell.limits import BellPolicy, RingRefused, RingRequest, shortened
from pi_bunco.devices.bell.sound import sounded
from pi_bunco.devices.kinds import (
    BELL_KINDS,
    DICE_KINDS,
    DISPLAY_KINDS,
    LIGHTS_KINDS,
    PANEL_KINDS,
    Kinds,
    Setup,
)
from pi_bunco.devices.pins import Part, virtual
from pi_bunco.devices.protocols import Bell, Blasts, DeviceError, Lights, LightState, Press, Throw
from pi_bunco.devices.virtual import TypedMoves, VirtualDice, VirtualPanel
from pi_bunco.head.role import HeadRuns, without_head
from pi_bunco.runtime.clock import SystemClock
from pi_bunco.runtime.loop import Tick, turn
from pi_bunco.wiring import check_steps, wiring_check

TICK_EVERY_S = 0.5
TYPED_MOVE_WITHIN_S = 5.0
"""The time that a device that is moved by typing has for its report."""
MOVE_WORDS = ("press", "hold", "roll")
_NOTHING = "nothing is wired by this config: set dice, panel, lights or bell to gpio, or try --stdin"
BELL_RESTS_S = 0.6
"""The bell policy has no other ring sooner after a test."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `pi-bunco check`."""
    add_settings(
        parser, "dice", "panel", "lights", "bell", "gpio", "encoding", "settle_ms", "display", "data"
    )
    text = (
        "virtual devices, and gpio devices with --gpio mock, obey standard input"
        " (press ok, hold undo, roll 1 4 6, press bell)"
    )
    argument(parser, "--stdin", text)
    argument(parser, "--json", "print the result as JSON, and all else as errors")


def run(options: argparse.Namespace) -> int:
    """Checks; 0 if all is fine, 1 if something is not. `ConfigError`, `DeviceError` if it cannot check."""
    config = settled(options)
    end_by_signal()
    with contextlib.ExitStack() as opened:
        bench = Bench(config, options.stdin, sys.stderr if options.json else sys.stdout, opened)
        if not bench.steps:
            raise ConfigError([found.why for found in bench.skipped] or [_NOTHING])
        findings = bench.work()
    failed = any(found.outcome == "failed" for found in findings)
    if options.json:
        fields = ("name", "gpio", "pin", "wire")
        parts = [
            {
                "part": found.part.name,
                "result": found.outcome,
                "why": found.why,
                "lines": [{field: getattr(line, field) for field in fields} for line in found.part.lines],
            }
            for found in findings
        ]
        print_json({"ok": not failed, "parts": parts})
    else:
        print("\n".join(["", *wiring_check.summary(findings)]))
    return int(failed)


class Bench:
    """The devices of this machine under check, each opened as the config says."""

    def __init__(self, config: Config, stdin: bool, out: TextIO, opened: contextlib.ExitStack) -> None:
        """Opens the devices, to be closed by `opened`; `DeviceError` says which cannot be had."""
        self.steps: list[check_steps.CheckStep] = []
        self._config, self._stdin, self._out, self._opened = config, stdin, out, opened
        self._clock = SystemClock()
        self._header = hardware(config, self._clock)
        self._inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._moves, self._fingers = TypedMoves(), MockFingers(self._header)
        self._reports: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.skipped: list[check_steps.PartFinding] = []
        self._real = False
        self._light_up: Callable[[list[str]], None] = lambda _: None
        self._display: Lights | None = None
        self._bell: Bell | None = None
        self._check = wiring_check.Check([])
        self._policy = BellPolicy()
        panel = config.panel or "virtual"
        if mover := self._open_reporting("The panel", PANEL_KINDS, panel, check_steps.PanelStep):
            self._moves.press, self._moves.hold = mover.press, mover.hold
        if mover := self._open_reporting("The dice", DICE_KINDS, config.dice, check_steps.RollStep):
            self._moves.roll = mover.roll
        self._open_lights()
        self._open_bell()

    def work(self) -> list[check_steps.PartFinding]:
        """Asks for everything; what was found."""
        for panel in (step for step in self.steps if isinstance(step, check_steps.PanelStep)):
            self._say("The panel:")
            for part in panel.parts.values():
                self._say(f"  {part.key.upper():<6} {part.place}")
        ended = check_steps.TypingEnded(devices=not self._real)
        typed_lines(lambda line: self._inbox.put(ended if line is None else check_steps.Typed(line)))
        self._check = wiring_check.Check(self.steps)
        for effect in self._check.begin(self._clock.now()):
            self._perform(effect)
        while not self._check.done:
            try:
                message = self._inbox.get(timeout=TICK_EVERY_S)
            except queue.Empty:
                message = Tick()
            turn(message, self._clock.now(), self._step, self._perform)
        return [*self._check.findings, *self.skipped]

    def _step(self, message: Any, now: float) -> list[Any]:
        if self._stdin and isinstance(message, check_steps.Typed) and message.text.startswith(MOVE_WORDS):
            return [] if self._check.done else [message]
        return list(self._check.step(message, now))

    def _perform(self, effect: Any) -> Any:
        match effect:
            case check_steps.Statement(text) | check_steps.Question(text):
                self._say(text)
            case check_steps.Light(name):
                self._light(name)
            case check_steps.Sound(relay):
                return self._sound(relay)
            case check_steps.Typed(text):
                return self._obey(text)
        return None

    def _obey(self, line: str) -> Any:
        """Moves a device as the line says; its report, None if there is none soon."""
        try:
            self._moves.obey(line)
            return self._reports.get(timeout=TYPED_MOVE_WITHIN_S)
        except DeviceError as error:
            self._say(str(error))
        except queue.Empty:
            self._say("No device reported anything.")
        return None

    def _say(self, text: str) -> None:
        print(text, file=self._out, flush=True)

    def _light(self, name: str | None) -> None:
        if self._display:
            self._display.show(LightState(message="CHECK" if name == "display" else ""))
        try:
            self._light_up([name] if name else [])
        except OSError as error:
            self._say(f"The lights cannot be driven: {error}.")

    def _sound(self, relay: Any) -> Any:
        """Rings through the policy and the relays' limits, like any ring."""
        request = RingRequest(f"check-{relay}", "test", relay)
        decided = self._policy.decide(self._clock.now(), request)
        if isinstance(decided, RingRefused):
            return check_steps.Sounded(decided.why.english())
        if self._bell is None:
            return check_steps.Sounded("there is none")
        ring = Blasts(decided.id, shortened(decided.pattern, check_steps.SOUND_MS))
        try:
            self._bell.ring(ring)
            sounded(self._bell, ring)
        except (DeviceError, OSError) as error:
            return check_steps.Sounded(str(error))
        finally:
            threading.Event().wait(BELL_RESTS_S)
        return check_steps.Sounded()

    def _put(self, option: str) -> Any:
        """The `put` of a device: the inbox, or `_reported` for one that is moved by typing."""
        if self._stdin and (option.startswith("virtual") or self._config.gpio == "mock"):
            return self._reported
        self._real = True
        return self._inbox.put

    def _reported(self, event: Any) -> None:
        moved = isinstance(event, (Press, Throw, check_steps.BellPress))
        (self._reports if moved else self._inbox).put(event)

    def _parts(self, what: str, kinds: Kinds[Any], option: str) -> tuple[Part, ...]:
        """Parts of a device that are to be checked; skips a device without any."""
        kind, argument = kinds.find(option)
        if kind.name == "none" or (kind.typed and not self._stdin):
            return ()
        parts = kind.parts(argument, self._header)
        if not parts:
            self._skip(what, f"{what} was skipped: it is {kind.name}.")
        return parts

    def _skip(self, name: str, why: str) -> None:
        self.skipped.append(check_steps.PartFinding(Part(name, name, ""), "skipped", why))

    def _open_reporting(
        self, what: str, kinds: Kinds[Any], option: str, step: type[check_steps.CheckStep]
    ) -> Any:
        """Opens panel or dice, and adds their step.

        Returns what a typed line moves, the device or the mock pins that it is at; None for people.
        """
        parts = self._parts(what, kinds, option)
        if not parts:
            return None
        device = kinds.open(option, Setup(self._header, self._put(option)))
        self._opened.callback(device.close)
        self.steps.append(step(parts))
        device.start()
        if isinstance(device, VirtualDice | VirtualPanel):
            return device
        return self._fingers if option == "gpio" and self._config.gpio == "mock" else None

    def _open_lights(self) -> None:
        option = self._config.lights
        lights = self._parts("The lights", LIGHTS_KINDS, option)
        if lights and option == "gpio":
            from pi_bunco.devices.lights.shift_registers import ShiftRegisters

            registers = ShiftRegisters(self._header.gpio, self._header.lines)
            self._opened.callback(registers.close)
            self._light_up = registers.write
            self._light(None)
        elif lights:
            self._light_up = lambda names: self._say(f"lights: {', '.join(names) or 'dark'}")
        if display := self._parts("The display", DISPLAY_KINDS, self._config.display):
            self._display = DISPLAY_KINDS.open(self._config.display, Setup(self._header))
            self._opened.callback(self._display.close)
        if lights or display:
            self.steps.append(check_steps.SeenStep((*lights, *display)))

    def _open_bell(self) -> None:
        option, data = self._config.bell, head_folder(self._config)
        parts = self._parts("The bell", BELL_KINDS, option)
        if not parts:
            return
        try:
            if option == "gpio" and data is None:
                raise HeadRuns("without --data it is not known whether a head runs here")
            self._opened.enter_context(without_head(data))
        except HeadRuns as error:
            self._skip("The bell", f"The bell, the horn and the bell button were skipped: {error}.")
            return
        self._bell = BELL_KINDS.open(option, Setup(self._header))
        self._opened.callback(self._bell.close)
        self.steps.append(check_steps.BellStep(parts))
        if option.startswith("sound"):
            return  # a loudspeaker has no button beside it
        button: tuple[Part, ...] = (host_button.part(self._header.lines),)
        put = self._put(option)
        if option == "gpio":
            watched = host_button.open_button(self._header, lambda _long: put(check_steps.BellPress()))
            self._opened.callback(watched.close)
            if self._config.gpio == "mock":
                self._moves.press_bell = lambda: self._fingers.close_contact("bell_button")
            watched.start()
        else:
            self._moves.press_bell = lambda: put(check_steps.BellPress())
            button = virtual(button)
        self.steps.insert(-1, check_steps.BellButtonStep(button))
