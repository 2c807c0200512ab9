"""`pi-bunco bell`: `test` rings once the button was pressed, `off` silences what a killed head left on.

`off` imports little and never gives up over a config file: meanwhile a horn may be blowing. `test` waits for
a press, so that nobody is startled.
"""

import argparse
import contextlib
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pi_bunco.cli.parser import argument, say
from pi_bunco.devices.gpio.low import drive_low
from pi_bunco.devices.pins import RELAYS, Line, PinsError, plan, shipped
from pi_bunco.devices.protocols import Bell, DeviceError
from pi_bunco.provision.places import Places

if TYPE_CHECKING:
    from pi_bunco.config import Config
    from pi_bunco.devices.kinds import Hardware
    from pi_bunco.runtime.clock import Clock

PRESS = "press bell"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `pi-bunco bell`."""
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="test|off")
    off = verbs.add_parser("off", help="drive the lines of bell and horn low, at once")
    text = "where it says which lines these are (default %(default)s); else they are those shipped"
    argument(off, "--config FILE", text, type=Path, default=Places().settings)
    test = verbs.add_parser("test", help="ring once, after a press of the bell button")
    if "off" not in sys.argv[2:3]:  # what these settings need is imported too slowly for a blowing horn
        from pi_bunco.cli.serve import add_settings

        add_settings(test, "bell", "gpio", "data")


def run(options: argparse.Namespace) -> int:
    """For `off` 1 if a line cannot be driven low; for `test` 1 if nobody pressed or the bell cannot ring.

    `HeadRuns`, `DeviceError` if it must not ring.
    """
    return _off(options.config) if options.verb == "off" else _test(options)


def _off(file: Path) -> int:
    found = None  # where the settings cannot be known
    with contextlib.suppress(OSError, ValueError, RecursionError):
        found = tomllib.loads(file.read_text("utf-8-sig"))
    kind = str((found or {"bell": "gpio"}).get("bell", "virtual")).partition(":")[0]
    if kind in ("virtual", "sound"):
        print(f"There is no relay to switch off: by {file} the bell is {kind}, which has none.")
        return 0
    lines = [_relay(found or {}, name) for name in RELAYS]
    backend = str((found or {}).get("gpio"))
    if not backend.startswith("gpiod:/") and backend not in ("rpigpio", "mock"):
        backend = "gpiod"
    try:
        problems = drive_low(backend, lines)
    except DeviceError as error:
        problems = [str(error)]
    for problem in problems:
        print(f"The bell may still sound: {problem}.", file=sys.stderr)
    if not problems:
        print(f"Bell and horn are off: {' and '.join(map(str, lines))} are low.")
    return 1 if problems else 0


def _relay(found: dict[str, Any], name: str) -> Line:
    """The relay's line; the shipped one where the configured one is wrong."""
    pins = found.get("pins")
    try:
        return plan({name: pins[name]} if isinstance(pins, dict) and name in pins else {}, (name,))[name]
    except PinsError:
        return shipped()[name]


def _test(options: argparse.Namespace) -> int:
    from pi_bunco.cli.serve import hardware, head_folder, settled
    from pi_bunco.cli.terminal import end_by_signal
    from pi_bunco.devices.kinds import BELL_KINDS, Setup
    from pi_bunco.head.role import without_head
    from pi_bunco.runtime.clock import SystemClock

    config = settled(options)
    data = head_folder(config)
    if config.bell == "gpio" and data is None:
        settled(options, "data")  # a head that has the bell is known by its folder
    end_by_signal()
    clock = SystemClock()
    header = hardware(config, clock)
    with without_head(data), contextlib.ExitStack() as opened:
        bell = BELL_KINDS.open(config.bell, Setup(header))
        opened.callback(bell.close)
        if why := _unpressed(config, header, clock, opened):
            say(why)
            return 1
        return _rung(bell, clock)


def _unpressed(config: "Config", header: "Hardware", clock: "Clock", opened: contextlib.ExitStack) -> str:
    """The reason why nobody pressed in time; empty if somebody did. On mock pins a line moves the button."""
    import queue

    from pi_bunco.cli.terminal import MockFingers, typed_lines
    from pi_bunco.devices.bell import host_button
    from pi_bunco.wiring.wiring_check import ANSWER_WITHIN_MS

    inbox: queue.SimpleQueue[str | bool | None] = queue.SimpleQueue()
    has_button, end = config.bell == "gpio", ", so the bell stays silent."
    if has_button:
        button = host_button.open_button(header, inbox.put)
        opened.callback(button.close)
        button.start()
        end = f": {host_button.part(header.lines).place}."
    say(f"{'Press the bell button' if has_button else f'Type {PRESS}, or press Enter'}: then the bell rings.")
    typed_lines(inbox.put)
    until = clock.now() + ANSWER_WITHIN_MS
    while (left := until - clock.now()) > 0:
        try:
            message = inbox.get(timeout=left / 1000)
        except queue.Empty:
            break
        if isinstance(message, bool) or (message in ("", PRESS) and not has_button):
            return ""
        if message is None and not has_button:
            return f"Nobody pressed{end}"
        if message == PRESS and config.gpio == "mock":
            MockFingers(header).close_contact("bell_button")
        elif message is not None:
            say("That does not ring it: press the button.")
    return f"The bell button did not answer{end}"


def _rung(bell: Bell, clock: "Clock") -> int:
    from pi_bunco.devices.bell.limits import BellPolicy, RingRefused, RingRequest, length_ms
    from pi_bunco.devices.bell.sound import sounded

    decided = BellPolicy().decide(clock.now(), RingRequest("bell-test", "test", "bell"))
    if isinstance(decided, RingRefused):
        say(f"The bell did not ring: {decided.why.english()}.")
        return 1
    try:
        bell.ring(decided)
        sounded(bell, decided)
    except (DeviceError, OSError) as error:
        say(f"The bell did not ring: {error}.")
        return 1
    say(f"The bell rang for {length_ms(decided.pattern) / 1000:g} s.")
    return 0
