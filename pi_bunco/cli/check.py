"""`pi-bunco check`: every button, die, light and relay of this machine, tried by a host without a game."""

import argparse
import contextlib
import queue
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from pi_bunco.cli.hands import WORDS, Hands, MockHands, end_by_signal, typed_lines
from pi_bunco.cli.parser import print_json
from pi_bunco.cli.serve import add_settings, settled
from pi_bunco.cli.wired import hardware
from pi_bunco.config import Config, ConfigError
from pi_bunco.devices import factory
from pi_bunco.devices.bell import host_button
from pi_bunco.devices.bell.limits import BellPolicy, RingRefused, RingRequest, shortened
from pi_bunco.devices.dice.virtual import VirtualDice
from pi_bunco.devices.kinds import (
    BELL_KINDS,
    DICE_KINDS,
    DISPLAY_KINDS,
    LIGHTS_KINDS,
    PANEL_KINDS,
    DeviceKind,
    Kinds,
)
from pi_bunco.devices.panel.virtual import VirtualPanel
from pi_bunco.devices.pins import Part, virtual
from pi_bunco.devices.protocols import Bell, Blasts, DeviceError, LightState, Press, Throw
from pi_bunco.head.role import HeadRuns, without_head
from pi_bunco.runtime.clock import SystemClock
from pi_bunco.runtime.loop import Tick, turn
from pi_bunco.wiring import check, stages
from pi_bunco.wiring.stages import PanelStage

TICK_S = 0.5
REST_S = 0.6
"""The bell policy has no other ring sooner after a test."""


class Obey(Struct, frozen=True):
    """What is typed moves a device."""

    line: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is wired, and how it is told."""
    add_settings(
        parser, "dice", "panel", "lights", "bell", "gpio", "encoding", "settle_ms", "display", "data"
    )
    parser.add_argument(
        "--stdin",
        action="store_true",
        help="virtual devices, and gpio devices with --gpio mock, obey standard input"
        " (press ok, hold undo, roll 1 4 6, press bell)",
    )
    parser.add_argument(
        "--json", action="store_true", help="print the result as JSON, and all else as errors"
    )


def run(options: argparse.Namespace) -> int:
    """Checks; 0 if all is fine, 1 if something is not. `ConfigError`, `DeviceError` if it cannot check."""
    config = settled(options)
    end_by_signal()
    with contextlib.ExitStack() as opened:
        bench = Bench(config, options.stdin, sys.stderr if options.json else sys.stdout, opened)
        if not bench.stages:
            raise ConfigError(
                ["nothing is wired by this config: set dice, panel, lights or bell to gpio, or try --stdin"]
            )
        findings = bench.work()
    return _tell(findings, options.json)


def _tell(findings: Sequence[stages.PartFinding], as_json: bool) -> int:
    failed = any(found.outcome == "failed" for found in findings)
    if as_json:
        print_json({"ok": not failed, "parts": [_plain(found) for found in findings]})
    else:
        print("\n".join(["", *check.summary(findings)]))
    return int(failed)


def _plain(found: stages.PartFinding) -> dict[str, Any]:
    lines = [
        {"name": line.name, "gpio": line.gpio, "pin": line.pin, "wire": line.wire}
        for line in found.part.lines
    ]
    return {"part": found.part.name, "result": found.outcome, "why": found.why, "lines": lines}


class Bench:
    """The devices of this machine under check, each opened as the config says."""

    def __init__(self, config: Config, stdin: bool, out: Any, opened: contextlib.ExitStack) -> None:
        """Opens the devices, to be closed by `opened`; `DeviceError` says which cannot be had."""
        self.stages: list[stages.Stage] = []
        self._config, self._stdin, self._out, self._opened = config, stdin, out, opened
        self._clock = SystemClock()
        self._header = hardware(config, self._clock)
        self._inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._hands, self._mock = Hands(), MockHands(self._header)
        self._skipped: list[stages.PartFinding] = []
        self._real = False
        self._light_up: Callable[[list[str]], None] = lambda _: None
        self._display: Any = None
        self._bell: Bell | None = None
        self._check = check.Check([])
        self._policy = BellPolicy()
        for open_ in (self._open_panel, self._open_dice, self._open_lights, self._open_bell):
            open_()

    def work(self) -> list[stages.PartFinding]:
        """Asks for everything; what was found."""
        self._show_panel()
        typed_lines(self._typed)
        self._check = check.Check(self.stages)
        for effect in self._check.begin(self._clock.now()):
            self._perform(effect)
        while not self._check.done:
            turn(self._next(), self._clock.now(), self._step, self._perform)
        return [*self._check.findings, *self._skipped]

    def _next(self) -> Any:
        try:
            return self._inbox.get(timeout=TICK_S)
        except queue.Empty:
            return Tick()

    def _typed(self, line: str | None) -> None:
        ended = stages.TypingEnded(devices=not self._real)
        self._inbox.put(ended if line is None else stages.Typed(line))

    def _step(self, message: Any, now: float) -> list[Any]:
        if self._stdin and isinstance(message, stages.Typed) and message.text.startswith(WORDS):
            return [] if self._check.done else [Obey(message.text)]
        return list(self._check.step(message, now))

    def _perform(self, effect: Any) -> Any:
        match effect:
            case stages.Statement(text) | stages.Question(text):
                self._say(text)
            case stages.Light(name):
                self._light(name)
            case stages.Sound(relay):
                return self._sound(relay)
            case Obey(line):
                return self._obey(line)
        return None

    def _say(self, text: str) -> None:
        print(text, file=self._out, flush=True)

    def _obey(self, line: str) -> Any:
        try:
            self._hands.obey(line)
        except DeviceError as error:
            self._say(str(error))
            return None
        if (report := self._hands.answer()) is None:
            self._say("No device reported anything.")
        return report

    def _light(self, name: str | None) -> None:
        if self._display:
            self._display.show(LightState(message="CHECK" if name == "display" else ""))
        try:
            self._light_up([name] if name else [])
        except OSError as error:
            self._say(f"The lights cannot be driven: {error}.")

    def _sound(self, relay: Any) -> Any:
        """Through the policy and the relays' limits, like any ring."""
        request = RingRequest(f"check-{relay}", "test", relay)
        decided = self._policy.decide(self._clock.now(), request)
        if isinstance(decided, RingRefused) or self._bell is None:
            return stages.NotSounded(decided.why if isinstance(decided, RingRefused) else "there is none")
        try:
            self._bell.ring(Blasts(decided.id, shortened(decided.pattern, stages.SOUND_MS)))
        except (DeviceError, OSError) as error:
            return stages.NotSounded(str(error))
        threading.Event().wait(REST_S)
        return stages.Sounded()

    def _show_panel(self) -> None:
        for panel in (stage for stage in self.stages if isinstance(stage, PanelStage)):
            self._say("The panel:")
            for part in panel.parts.values():
                self._say(f"  {part.key.upper():<6} {part.place}")

    def _put(self, option: str) -> Any:
        """Where a device reports: one that is moved by typing where that is waited for."""
        if self._stdin and (option.startswith("virtual") or self._config.gpio == "mock"):
            return self._reported
        self._real = True
        return self._inbox.put

    def _reported(self, event: Any) -> None:
        moved = isinstance(event, (Press, Throw, stages.BellPress))
        (self._hands.reported if moved else self._inbox).put(event)

    def _found(self, what: str, kinds: Kinds[Any], option: str) -> DeviceKind[Any] | None:
        """The kind of a device that is to be checked."""
        kind, argument = kinds.find(option)
        if kind.name == "none" or (kind.typed and not self._stdin):
            return None
        if kind.parts(argument, self._header):
            return kind
        self._skip(what, f"{what} was skipped: it is {kind.name}.")
        return None

    def _parts(self, kinds: Kinds[Any], option: str) -> tuple[Part, ...]:
        kind, argument = kinds.find(option)
        return kind.parts(argument, self._header)

    def _skip(self, name: str, why: str) -> None:
        self._skipped.append(stages.PartFinding(Part(name, name, ""), "skipped", why))

    def _open_panel(self) -> None:
        option = self._config.panel or "virtual"
        if not self._found("The panel", PANEL_KINDS, option):
            return
        panel = factory.panel(option, self._put(option), self._clock, self._header)
        self._opened.callback(panel.close)
        if isinstance(panel, VirtualPanel):
            self._hands.hold_virtual(panel)
        elif option == "gpio" and self._config.gpio == "mock":
            self._hands.hold_mock(self._mock)
        self.stages.append(PanelStage(self._parts(PANEL_KINDS, option)))
        panel.start()

    def _open_dice(self) -> None:
        option = self._config.dice
        if not self._found("The dice", DICE_KINDS, option):
            return
        dice = factory.dice(option, self._put(option), self._clock, None, self._header)
        self._opened.callback(dice.close)
        if isinstance(dice, VirtualDice):
            self._hands.dice = dice.roll
        elif option == "gpio" and self._config.gpio == "mock":
            self._hands.dice = self._mock.roll
        self.stages.append(stages.Rolled(self._parts(DICE_KINDS, option)))
        dice.start()

    def _open_lights(self) -> None:
        option, lights = self._config.lights, list[Part]()
        if self._found("The lights", LIGHTS_KINDS, option):
            lights += self._parts(LIGHTS_KINDS, option)
            if option == "gpio":
                from pi_bunco.devices.lights.shift_registers import ShiftRegisters

                registers = ShiftRegisters(self._header.gpio, self._header.lines)
                self._opened.callback(registers.close)
                self._light_up = registers.write
                self._light(None)
            else:
                self._light_up = lambda names: self._say(f"lights: {', '.join(names) or 'dark'}")
        if shown := self._parts(DISPLAY_KINDS, self._config.display):
            self._display = factory.display(self._config.display)
            self._opened.callback(self._display.close)
            lights += shown
        if lights:
            self.stages.append(stages.SeenStage(lights))

    def _open_bell(self) -> None:
        option, data = self._config.bell, self._config.data
        if not self._found("The bell", BELL_KINDS, option):
            return
        try:
            if option == "gpio" and data is None:
                raise HeadRuns("without --data it is not known whether a head runs here")
            self._opened.enter_context(without_head(Path(data) if data else None))
        except HeadRuns as error:
            self._skip("The bell", f"The bell, the horn and the bell button were skipped: {error}.")
            return
        self._bell = factory.bell(option, self._clock, self._header)
        self._opened.callback(self._bell.close)
        part, put = host_button.part(self._header.lines), self._put(option)
        if option == "gpio":
            watched = factory.bell_button(lambda _long: put(stages.BellPress()), self._header)
            self._opened.callback(watched.close)
            if self._config.gpio == "mock":
                self._hands.bell_button = lambda: self._mock.press("bell_button")
            watched.start()
        else:
            self._hands.bell_button = lambda: put(stages.BellPress())
            (part,) = virtual([part])
        self.stages += [stages.Pressed((part,)), stages.Sounders(self._parts(BELL_KINDS, option))]
