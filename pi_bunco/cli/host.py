"""`pi-bunco host`: what a host asks for on the command line, and the head's answer in sentences.

The commands follow from `wire.commands`; those that only show something are modules of their own.
"""

import argparse
import importlib
import sys
from typing import Any

from pi_bunco.cli import ask
from pi_bunco.cli.connection import WAIT, add_connection, place
from pi_bunco.cli.host_arguments import add_fields, command_line, given
from pi_bunco.wire.arguments import arguments
from pi_bunco.wire.commands import COMMANDS, Arguments
from pi_bunco.wire.messages import WayOn

REFUSED = 1
"""The exit status when the head refuses."""
WORDS = {kind.word: kind for kind in COMMANDS.values()}
SHOWN = {
    "status": "show where the evening stands",
    "evenings": "list the evenings of this machine's journal",
    "results": "show champions, prizes and open ties",
    "review": "show what tables sent that does not count and is kept for review",
}
"""What only shows something, and what it is for."""
MODULES = {"status": "status", "evenings": "host_evenings", "results": "host_results", "review": "review"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `pi-bunco host`; those for the broker may stand before the command or behind it."""
    add_connection(parser)
    words: Any = parser.add_subparsers(dest="word", required=True, metavar="WHAT")
    for word, kind in WORDS.items():
        one = words.add_parser(word, help=kind.help, description=kind.__doc__)
        add_fields(one, kind)
        add_connection(one)
    for word, summary in SHOWN.items():
        one = words.add_parser(word, help=summary, description=f"{summary.capitalize()}.")
        _module(word).add_arguments(one)


def _on(asked: type[Arguments], way: WayOn) -> str:
    """How to go on, in words of the command line; empty if the head knows a command that is none here."""
    kind = COMMANDS.get(way.command)
    if kind is None:
        return ""
    words = " ".join(command_line(kind, way.args))
    if kind is asked:
        return f"To do it all the same, add {words}."
    return f"To go on: pi-bunco host {' '.join([kind.word, words]).rstrip()}"


def _module(word: str) -> Any:
    return importlib.import_module(f"pi_bunco.cli.{MODULES[word]}")


def run(options: argparse.Namespace) -> int:
    """Asks and prints the answer: 1 if it is refused; `NoAnswer` or `ConfigError` if there is none."""
    wait = float(getattr(options, "wait", WAIT))
    if options.word in SHOWN:
        return int(_module(options.word).run(options, wait))
    kind = WORDS[options.word]
    args = given(kind, options)
    arguments(kind.name, args, kind.word)
    answer = ask.ask(place(options), kind.name, args, wait)
    if answer.done:
        print("\n".join(answer.after) or "Done.")
        return 0
    print(f"Refused: {' '.join(answer.why)}", file=sys.stderr)
    for way in answer.ways:
        print(_on(kind, way), file=sys.stderr)
    return REFUSED
