"""`pi-bunco bell test`: the bell rings once somebody has pressed its button, so that nobody is startled."""

import argparse
import contextlib
import queue
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pi_bunco.cli.hands import MockHands, end_by_signal, typed_lines
from pi_bunco.cli.serve import add_settings, settled
from pi_bunco.cli.wired import hardware
from pi_bunco.config import Config
from pi_bunco.devices import factory
from pi_bunco.devices.bell import host_button
from pi_bunco.devices.bell.limits import BellPolicy, RingRefused, RingRequest
from pi_bunco.devices.kinds import Hardware
from pi_bunco.devices.protocols import Bell, DeviceError
from pi_bunco.head.role import without_head
from pi_bunco.runtime.clock import Clock, SystemClock
from pi_bunco.wiring.check import PATIENCE_MS

PRESS = "press bell"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which bell it is."""
    add_settings(parser, "bell", "gpio", "data")


def run(options: argparse.Namespace) -> int:
    """Rings; 1 if nobody pressed or the bell cannot ring. `HeadRuns`, `DeviceError` if it must not."""
    config = settled(options)
    if config.bell == "gpio":
        config = settled(options, "data")  # a head that has the bell is known by its folder
    end_by_signal()
    clock = SystemClock()
    header = hardware(config, clock)
    with without_head(Path(config.data) if config.data else None), contextlib.ExitStack() as opened:
        bell = factory.bell(config.bell, clock, header)
        opened.callback(bell.close)
        if not _pressed(config, header, clock, opened):
            return 1
        return _rung(bell, clock)


def _pressed(config: Config, header: Hardware, clock: Clock, opened: contextlib.ExitStack) -> bool:
    """Whether the button is pressed in time; says so if not."""
    inbox: queue.SimpleQueue[str | bool | None] = queue.SimpleQueue()
    if config.bell == "gpio":
        button = factory.bell_button(inbox.put, header)
        opened.callback(button.close)
        button.start()
        _say("Press the bell button: then the bell rings.")
    else:
        _say(f"Type {PRESS}, or press Enter: then the bell rings.")
    typed_lines(inbox.put)
    why = _waited(inbox, clock, lambda line: _typed(line, config, header), config.bell != "gpio")
    if why and config.bell == "gpio":
        (line,) = host_button.part(header.lines).lines
        _say(f"{why}: GPIO{line.gpio}, header pin {line.pin}, the {line.wire} wire of the bell button cable.")
    elif why:
        _say(f"{why}, so the bell stays silent.")
    return not why


def _typed(line: str, config: Config, header: Hardware) -> bool:
    """Whether a typed line is the press itself; on mock pins it moves the button."""
    if config.bell != "gpio" and line in ("", PRESS):
        return True
    if config.bell == "gpio" and config.gpio == "mock" and line == PRESS:
        MockHands(header).press("bell_button")
    else:
        _say("That does not ring it: press the button.")
    return False


def _waited(
    inbox: "queue.SimpleQueue[Any]", clock: Clock, typed: Callable[[str], bool], typed_only: bool
) -> str:
    """Why there was no press; empty if there was one."""
    until = clock.now() + PATIENCE_MS
    while (left := until - clock.now()) > 0:
        try:
            message = inbox.get(timeout=left / 1000)
        except queue.Empty:
            break
        if isinstance(message, bool) or (message is not None and typed(message)):
            return ""
        if message is None and typed_only:
            return "Nobody pressed"
    return "The bell button did not answer"


def _rung(bell: Bell, clock: Clock) -> int:
    decided = BellPolicy().decide(clock.now(), RingRequest("bell-test", "test", "bell"))
    if isinstance(decided, RingRefused):
        _say(f"The bell did not ring: {decided.why}.")
        return 1
    try:
        bell.ring(decided)
    except (DeviceError, OSError) as error:
        _say(f"The bell did not ring: {error}.")
        return 1
    length = sum(blast.on_ms + blast.off_ms for blast in decided.pattern) + decided.wait_ms
    threading.Event().wait(length / 1000)
    _say(f"The bell rang for {length / 1000:g} s.")
    return 0


def _say(text: str) -> None:
    print(text, flush=True)
