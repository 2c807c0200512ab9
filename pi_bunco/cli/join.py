"""`pi-bunco join`: a new Pi asks the head to be a table; runs at each start until its host has tapped."""

import argparse
import contextlib
import logging
import os
import time
from collections.abc import Iterator
from itertools import chain, cycle
from pathlib import Path

from pi_bunco.cli.parser import add_root, argument, need_root, say
from pi_bunco.cli.serve import add_settings, hardware, settled
from pi_bunco.devices.kinds import PANEL_KINDS, Setup
from pi_bunco.devices.protocols import DeviceError
from pi_bunco.enrol.keys import JoiningPanel
from pi_bunco.provision import join
from pi_bunco.provision.addresses import TLS_PORT
from pi_bunco.provision.join import HEADS, Means
from pi_bunco.provision.system import System, carry_out
from pi_bunco.runtime.clock import SystemClock

ON_S, OFF_S, GROUP_S, END_S = 0.25, 0.35, 1.4, 4.0
SAY_AGAIN_AFTER_S = 60.0
"""Seconds after which the words are said once more, for a screen that shows other things too."""
_LIGHTS = ("ACT", "led0")
ASKING_PANELS = ("gpio", "keypad")
"""The panels that a table can have: this one does not know its own yet."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options: the head's address, and the system."""
    text = f"a head to ask, may be given again (default: those that mDNS names, or {' and '.join(HEADS)})"
    argument(parser, "--head HOST[:PORT]", text, action="append")
    argument(
        parser, "--broker-port N", f"of the head's broker (default: {TLS_PORT})", type=int, default=TLS_PORT
    )
    text = f"where keys may be typed, may be given again (default: {' and '.join(ASKING_PANELS)})"
    argument(parser, "--panel PANEL", text, dest="panels", action="append")
    add_settings(parser, "gpio")
    add_root(parser)


def run(options: argparse.Namespace) -> int:
    """Asks until this Pi is a table; `ProvisionError` if it cannot be one."""
    need_root("join", options.root)
    system = System(options.root.absolute())
    join.check_is_no_head(system)
    found = join.steps(system)
    if found is None:
        screen = JoinScreen(SmallLight(system.places.root))
        with keys_typed(options) as panel:
            means = Means(
                (lambda: options.head) if options.head else join.heads_by_mdns,
                join.ask_by_http,
                join.broker_lets_in(options.broker_port),
                say,
                screen.show,
                screen.wait,
                os.urandom,
                panel,
            )
            new = join.join(means, label(system.places.root))
        join.keep(system, join.handed_over(new, options.broker_port))
        found = join.steps(system)
    if found is not None:
        steps, device = found
        carry_out(steps, lambda _: None)
        say(f"This is {device}.")
    return 0


@contextlib.contextmanager
def keys_typed(options: argparse.Namespace) -> Iterator[JoiningPanel]:
    """Reads the panels that this Pi may have; one that is not there is no reason not to join."""
    logging.disable(logging.WARNING)  # nor for a line on the screen
    clock = SystemClock()
    panel, opened = JoiningPanel(os.urandom, clock.now), []
    setup = Setup(hardware(settled(options), clock), panel.put)
    for word in options.panels or ASKING_PANELS:
        with contextlib.suppress(DeviceError, OSError):
            opened.append(PANEL_KINDS.open(word, setup))
            opened[-1].start()
    try:
        yield panel
    finally:
        for one in opened:
            one.close()


def label(root: Path) -> str:
    """The name of this Pi for the host: its model and the end of its serial number."""
    tree = root / "sys/firmware/devicetree/base"
    parts = [
        (tree / name).read_bytes().decode("ascii", "replace").strip("\0")
        for name in ("model", "serial-number")
        if (tree / name).exists()
    ]
    text = f"{parts[0][:28]} …{parts[1][-4:]}" if len(parts) == 2 else "".join(parts)
    return "".join(one for one in text.replace("…", "..") if " " <= one <= "~")[:40]


class SmallLight:
    """The small light of a Pi, if it has one: blinks groups that a host can count."""

    def __init__(self, root: Path) -> None:
        places = (root / "sys/class/leds" / name for name in _LIGHTS)
        self._place = next((place for place in places if (place / "brightness").exists()), None)
        self._states: Iterator[tuple[bool, float]] = cycle([(False, ON_S)])
        self._left_s = 0.0

    def blink(self, groups: tuple[int, ...]) -> None:
        """Blinks these groups from now on, again and again."""
        self._write("trigger", "none")
        self._states, self._left_s = cycle(states(groups)), 0.0

    def next(self, within_s: float) -> float:
        """Goes on; how many seconds it stays so, `within_s` at most."""
        if self._left_s <= 0:
            on, self._left_s = next(self._states)
            self._write("brightness", "1" if on else "0")
        stays = min(self._left_s, within_s)
        self._left_s -= stays
        return stays

    def _write(self, name: str, value: str) -> None:
        with contextlib.suppress(OSError):  # a Pi joins without its light too
            if self._place is not None:
                (self._place / name).write_text(value)


def states(groups: tuple[int, ...]) -> list[tuple[bool, float]]:
    """On and off with seconds, once through all groups."""
    blinks = ([(True, ON_S), (False, OFF_S)] * count + [(False, GROUP_S)] for count in groups)
    return [*chain.from_iterable(blinks), (False, END_S)]


class JoinScreen:
    """The light, and lines that systemd puts on the HDMI screen and into the log."""

    def __init__(self, light: SmallLight) -> None:
        self._light = light
        self._text, self._since_s = "", 0.0

    def show(self, hall: str, words: tuple[str, str], blinks: tuple[int, ...]) -> None:
        """The words, and the same as blinks."""
        self._text = (
            f"\n\n    {words[0].upper()} {words[1].upper()}\n\n"
            f"This Pi asks the hall {hall}. The host's page says “A new Pi: which table?” and shows two\n"
            "words: only if they are these two, touch the table. (The small green light blinks"
            f" {' '.join(map(str, blinks))}. At a panel keys may be typed, as the page says.)\n"
        )
        say(self._text)
        self._light.blink(blinks)

    def wait(self, seconds: float) -> None:
        """Lets the time pass, with the light."""
        while seconds > 0:
            stays = self._light.next(seconds)
            time.sleep(stays)
            seconds -= stays
            self._since_s += stays
        if self._text and self._since_s >= SAY_AGAIN_AFTER_S:
            self._since_s = 0.0
            say(self._text)
