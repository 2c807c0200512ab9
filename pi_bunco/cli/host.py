"""`pi-bunco host`: what a host asks for on the command line, and the head's answer in a sentence."""

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from msgspec import Struct

from pi_bunco.cli import ask, status
from pi_bunco.cli.serve import BROKER, add_settings, settled
from pi_bunco.config import ConfigError
from pi_bunco.rules.load import PRESETS, changes, load, parse_settings, preset
from pi_bunco.wire.topics import HOST_CLI

REFUSED = 1
"""The exit status when the head refuses."""
WAIT = 5.0
"""Seconds that the head has for its answer."""

Arguments = dict[str, dict[str, Any]]


class Verb(Struct, frozen=True):
    """What a host can ask for: the head's command, what it is for, the sentence when done, the arguments."""

    command: str
    help: str
    done: str
    arguments: Arguments = {}


def _number(text: str) -> int:
    if text.isdecimal():
        return int(text)
    raise argparse.ArgumentTypeError(f"{text} should be a whole number")


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


TABLE = {"type": _number, "metavar": "TABLE", "help": "the table's number"}
TABLES = {"nargs": "+", "action": "extend"} | TABLE | {"help": "not wait for the equipment of these tables"}
SEATED = {"nargs": "+", "type": _names, "metavar": "NAMES", "help": "per table: Ann,Bob,Cat,Dee"}
PLAYER = {"metavar": "PLAYER", "help": "the player's name"}
MINUTES = {"type": _number, "metavar": "MINUTES", "help": "how long"}
WINNER = {"type": str.upper, "choices": ["US", "THEM"], "help": "US (seats A and C) or THEM (B and D)"}
SEAT = {"type": str.upper, "choices": list("ABCD"), "help": "A, B, C or D"}
ROLLS = {"type": _number, "default": 0, "metavar": "N", "help": "the last N rolls were that seat's"}
SEQ = {"type": _number, "metavar": "N", "help": "only if it is this one (seq in status --json)"}
ALLOWED = {"choices": ["on", "off"], "help": "on, or off while the dice work"}
OPEN: Arguments = {
    "--rules": {"default": "classic", "metavar": "NAME", "help": f"{', '.join(PRESETS)}, or house.toml"},
    "--players": {"type": _names, "metavar": "NAMES", "help": "everybody who plays: Ann,Bob,..."},
    "--players-file": {"type": Path, "metavar": "FILE", "help": "a file with a name on each line"},
    "--sets": {"type": _number, "metavar": "N", "help": "so many sets of six rounds"},
    "--seed": {"type": _number, "metavar": "S", "help": "what the draw of the seats depends on"},
    "--set": {
        "dest": "overrides",
        "action": "append",
        "default": [],
        "metavar": "KEY=VALUE",
        "help": "change a dimension, for example end.points=21; may be repeated",
    },
}
_AT: Arguments = {"table": TABLE}
_WHO: Arguments = {"player": PLAYER}
VERBS = {
    "open": Verb("evening_open", "open an evening", "The evening is open; draw the seats next.", OPEN),
    "draw": Verb("seats_draw", "draw the seats by lot", "The seats are drawn."),
    "seats": Verb("seats_set", "seat everybody as you say", "All have their seats.", {"tables": SEATED}),
    "start": Verb("round_start", "start a round", "The round has started.", {"--bypass": TABLES}),
    "end": Verb("round_end", "end the round now", "The round is ended; the bell rings."),
    "cancel": Verb("round_cancel", "cancel the round", "The round is cancelled: it never happened."),
    "void": Verb("bell_void", "take a false bell back", "The bell is void; the round goes on."),
    "pause": Verb("pause", "begin a break", "The break has begun.", {"minutes": MINUTES | {"nargs": "?"}}),
    "resume": Verb("resume", "end the break", "The break is over."),
    "bypass": Verb("bypass", "do not wait for a table", "Nobody waits for table {table}.", _AT),
    "restore": Verb("restore", "wait for a table again", "Table {table} is waited for again.", _AT),
    "decide": Verb("decide", "say who wins", "Table {table}: {winner} wins.", _AT | {"winner": WINNER}),
    "reopen": Verb("reopen", "take a result back", "Table {table}'s result is open again.", _AT),
    "undo": Verb("undo", "undo a roll", "Table {table}'s latest roll is taken back.", _AT | {"--seq": SEQ}),
    "turn": Verb(
        "turn",
        "say whose turn it is",
        "Table {table}: {seat}'s turn.",
        _AT | {"seat": SEAT, "--rolls": ROLLS},
    ),
    "confirm": Verb("confirm", "say OK for a table", "Table {table} is confirmed.", _AT),
    "hand": Verb(
        "hand",
        "allow entry by hand",
        "Table {table}: entry by hand is {allowed}.",
        _AT | {"allowed": ALLOWED},
    ),
    "substitute": Verb(
        "substitute",
        "swap a player",
        "{in} plays for {out}.",
        {"out": PLAYER, "in": {"metavar": "SUBSTITUTE"}},
    ),
    "arrive": Verb("arrive", "seat a late player", "{player} takes the seat of a ghost.", _WHO),
    "leave": Verb("leave", "let a player go", "{player} has left; a ghost takes the seat.", _WHO),
    "silence": Verb(
        "silence", "silence the horn", "The horn is silent for {minutes} minutes.", {"minutes": MINUTES}
    ),
    "bell-test": Verb("bell_test", "ring the bell shortly", "The bell is tested: listen."),
    "close": Verb("evening_close", "close the evening", "The evening is closed."),
}
"""What a host can say; `status` besides."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `pi-bunco host`; those for the broker may stand before the command or behind it."""
    _add_common(parser)
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="WHAT")
    for name, verb in VERBS.items():
        own = verbs.add_parser(name, help=verb.help, description=f"{verb.help.capitalize()}.")
        for flag, more in verb.arguments.items():
            own.add_argument(flag, **more)
        _add_common(own)
    own = verbs.add_parser("status", help="show where the evening stands")
    own.add_argument("--json", action="store_true", help="print what the head tells everybody as JSON")
    _add_common(own)


def _add_common(parser: argparse.ArgumentParser) -> None:
    add_settings(parser, *BROKER)
    parser.add_argument(
        "--wait",
        type=float,
        default=argparse.SUPPRESS,
        metavar="SECONDS",
        help=f"for an answer (default {WAIT:g})",
    )


def run(options: argparse.Namespace) -> int:
    """Asks and prints the answer: 1 if it is refused; `NoAnswer` or `ConfigError` if there is none."""
    wait = getattr(options, "wait", WAIT)
    args = _arguments(options)
    place = _place(options)
    if options.verb == "status":
        return status.show(ask.look(place, wait), options.json)
    answer = ask.ask(place, VERBS[options.verb].command, args, wait)
    if answer.done:
        print(_done(options))
        return 0
    print(f"Refused: {' '.join(answer.why)}", file=sys.stderr)
    return REFUSED


def _place(options: argparse.Namespace) -> ask.Place:
    config = settled(options, "broker.address")
    node = config.broker.user or HOST_CLI
    address = config.address(node)
    if config.broker.secrets and address.password is None and os.geteuid() != 0:
        raise ConfigError([f"the host's password in {config.broker.secrets} is for root alone: use sudo"])
    return ask.Place(address, config.hall, node)


def _done(options: argparse.Namespace) -> str:
    if options.verb == "silence" and not options.minutes:
        return "The horn sounds again."
    said = {"on": "allowed", "off": "not allowed while the dice work"}
    words = {key: said.get(str(value), value) for key, value in vars(options).items()}
    return VERBS[options.verb].done.format_map(words)


def _arguments(options: argparse.Namespace) -> dict[str, Any]:
    """The arguments as the head takes them; `ConfigError` or `RulesError` if they make no sense."""
    if options.verb == "status":
        return {}
    if options.verb == "open":
        return _opening(options)
    known = [flag.lstrip("-") for flag in VERBS[options.verb].arguments]
    args = {key: value for key in known if (value := getattr(options, key)) is not None}
    return args | {"allowed": args["allowed"] == "on"} if "allowed" in args else args


def _opening(options: argparse.Namespace) -> dict[str, Any]:
    if (options.players is None) == (options.players_file is None):
        raise ConfigError(["say who plays: either --players Ann,Bob,... or --players-file FILE"])
    name, overrides = options.rules, parse_settings(options.overrides)
    if name.endswith(".toml"):  # a file of this machine, of which the head knows nothing
        rules = load(name, overrides)
        name, overrides = rules.preset, changes(rules, preset(rules.preset))
    return {
        "rules": name,
        "overrides": overrides,
        "players": options.players or _names_in(options.players_file),
        "sets": options.sets,
        "seed": options.seed,
    }


def _names_in(file: Path) -> list[str]:
    try:
        lines = file.read_text("utf-8-sig").splitlines()
    except OSError as error:
        raise ConfigError([f"--players-file {file} cannot be read: {error.strerror}"]) from error
    except UnicodeDecodeError as error:
        raise ConfigError([f"--players-file {file} is no text in UTF-8"]) from error
    return [line.strip() for line in lines if line.strip()]
