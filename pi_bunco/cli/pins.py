"""`pi-bunco pins`: the header of the Pi with what is on it."""

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pi_bunco.cli.parser import argument, print_json
from pi_bunco.cli.serve import add_settings, settled

if TYPE_CHECKING:
    from pi_bunco.devices.pins import Line

PINS = 40
OTHERS = {
    **dict.fromkeys((1, 17), "3.3 V"),
    **dict.fromkeys((2, 4), "5 V"),
    **dict.fromkeys((6, 9, 14, 20, 25, 30, 34, 39), "ground"),
    **dict.fromkeys((27, 28), "HAT EEPROM"),
    8: "serial TX",
    10: "serial RX",
}
"""Pins that are nobody's lines, or are left alone (https://pinout.xyz)."""
_TABLE = {"dice": "gpio", "panel": "gpio", "lights": "gpio", "bell": "virtual"}
_WIRED = {"table": _TABLE, "head": _TABLE | {"bell": "gpio"}}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options: the service whose header is shown, and other wiring."""
    parser.add_argument(
        "whose",
        nargs="?",
        choices=tuple(_WIRED),
        help="the Pi of a table, or of the head table, with all that can be wired to it"
        " (default: what the config says is wired, or table)",
    )
    add_settings(parser, "encoding", "display")
    argument(parser, "--json", "print the 40 pins as JSON")


def run(options: argparse.Namespace) -> int:
    """Prints the header; `ConfigError` has everything that is wrong with it."""
    from pi_bunco.devices.pins import used

    config = None if options.whose else settled(options)
    if config is None or not config.wired:
        config = settled(argparse.Namespace(**vars(options) | _WIRED[options.whose or "table"]))
    on = {line.pin: line for line in used(config.pins, config.wired)}
    if options.json:
        print_json([_plain(pin, on.get(pin)) for pin in range(1, PINS + 1)])
    else:
        print("\n".join(drawn(on)))
    return 0


def drawn(on: dict[int, "Line"]) -> Iterator[str]:
    """The header as one looks at it with the USB ports below: pin 1 at the upper left."""
    words = {pin: _words(pin, on.get(pin)) for pin in range(1, PINS + 1)}
    width = max(len(words[pin]) for pin in range(1, PINS, 2))
    for pin in range(1, PINS, 2):
        yield f"{words[pin]:>{width}}  ({pin:2}) ({pin + 1:2})  {words[pin + 1]}".rstrip()


def _words(pin: int, line: "Line | None") -> str:
    if line is None:
        return OTHERS.get(pin, "-")
    return ", ".join(word for word in (f"{line.name} GPIO{line.gpio}", line.wire) if word)


def _plain(pin: int, line: "Line | None") -> dict[str, Any]:
    if line is None:
        return {"pin": pin, "is": OTHERS.get(pin, "free")}
    fields = ("name", "gpio", "direction", "active", "pull", "wire")
    return {"pin": pin, "is": "line", **{field: getattr(line, field) for field in fields}}
