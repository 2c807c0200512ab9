"""`pi-bunco bell`: `test` rings once the button was pressed, `off` silences what a killed head left on.

`off` imports little and never gives up over a config file: meanwhile a horn may be blowing.
"""

import argparse
import sys
import tomllib
from pathlib import Path
from typing import Any

from pi_bunco.devices.gpio.low import drive_low
from pi_bunco.devices.pins import RELAYS, Line, PinsError, plan, shipped
from pi_bunco.devices.protocols import DeviceError
from pi_bunco.provision.places import Places


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is to be done, and which bell it is."""
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="test|off")
    off = verbs.add_parser("off", help="drive the lines of bell and horn low, at once")
    off.add_argument(
        "--config",
        type=Path,
        default=Places().settings,
        metavar="FILE",
        help="where it says which lines these are (default %(default)s); else they are those shipped",
    )
    test = verbs.add_parser("test", help="ring once, after a press of the bell button")
    if "off" not in sys.argv[2:3]:  # what these settings are takes imports that a blowing horn would wait for
        from pi_bunco.cli import ring

        ring.add_arguments(test)


def run(options: argparse.Namespace) -> int:
    """As `ring.run` does for `test`; for `off` 1 if a line cannot be driven low."""
    if options.verb == "off":
        return _off(options.config)
    from pi_bunco.cli import ring

    return ring.run(options)


def _off(file: Path) -> int:
    found = _readable(file)
    if found is not None and str(found.get("bell", "virtual")).partition(":")[0] == "virtual":
        print(f"There is no relay to switch off: the bell is virtual in {file}.")
        return 0
    lines = [_relay(found or {}, name) for name in RELAYS]
    try:
        problems = drive_low(_backend(found or {}), lines)
    except DeviceError as error:
        problems = [str(error)]
    for problem in problems:
        print(f"The bell may still sound: {problem}.", file=sys.stderr)
    if not problems:
        print(f"Bell and horn are off: {' and '.join(map(str, lines))} are low.")
    return 1 if problems else 0


def _readable(file: Path) -> dict[str, Any] | None:
    """What is in the file, None if that cannot be known."""
    try:
        return tomllib.loads(file.read_text("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return None


def _relay(found: dict[str, Any], name: str) -> Line:
    """The line of the relay, the shipped one where what was found cannot be."""
    pins = found.get("pins")
    try:
        return plan({name: pins[name]} if isinstance(pins, dict) and name in pins else {}, (name,))[name]
    except PinsError:
        return shipped()[name]


def _backend(found: dict[str, Any]) -> str:
    """What drives the lines, gpiod where what was found is none."""
    backend = str(found.get("gpio"))
    known = backend.startswith("gpiod:/") or backend in ("gpiod", "rpigpio", "mock")
    return backend if known else "gpiod"
