"""Formats for other programs: JSON Schema, AsyncAPI, and the rules by the golden logs of the kit."""

import argparse
import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec

from pi_bunco.cli.parser import argument, print_json
from pi_bunco.errors import BuncoError, LogError
from pi_bunco.game import codec, conformance
from pi_bunco.game.conformance import Broken, Kit, ResultLine
from pi_bunco.wire import asyncapi

KIT = Path(__file__).parents[2] / "tests" / "golden" / "conformance.jsonl.xz"
"""The kit in a checkout; it is no part of the package, which goes to every Pi."""
SHOWN_CHARACTERS = 600


def add_conform(parser: argparse.ArgumentParser) -> None:
    """The command that is judged, and the kit."""
    text = "reads logs, one a line, and writes their results (pi_bunco/rules/README.md)"
    argument(parser, "implementation COMMAND", text, nargs="?")
    argument(
        parser, "--kit KIT", "the file of the kit (default: that of the checkout)", type=Path, default=KIT
    )
    argument(parser, "--logs N", "the first N logs alone", type=int)
    argument(parser, "--answer", "be such a command, with this engine")


def run_conform(options: argparse.Namespace) -> int:
    """Judges the command; 1 if a result is wrong or missing."""
    if options.answer:
        return _answer()
    if not options.implementation:
        raise BuncoError("Name the command that reads logs and writes results, or say --answer.")
    if options.kit == KIT and not KIT.exists():
        raise BuncoError("Name the kit with --kit: conformance.jsonl.xz lies in tests/golden of the source.")
    kit = conformance.read_kit(options.kit)
    kit = Kit(kit.rulings, kit.cases[: options.logs])
    answers = _answers(kit, options.implementation)
    wrong = conformance.judged(kit, answers)
    print(f"{len(kit.cases) - len(wrong)} of {len(kit.cases)} results are as they must be.")
    for broken in conformance.broken_rulings(kit, wrong):
        _show(broken, answers)
    return 1 if wrong else 0


def _answer() -> int:
    for line in sys.stdin.buffer:
        case = msgspec.json.decode(line)
        try:
            result = conformance.result_of(case["log"])
        except LogError as error:
            result = {"error": str(error)}
        print(json.dumps({"id": case["id"], "result": result}, separators=(",", ":")))
    return 0


def _answers(kit: Kit, command: str) -> dict[int, dict[str, Any]]:
    """Results that the command writes, by the number of their log."""
    lines = b"".join(msgspec.json.encode({"id": case.id, "log": case.log}) + b"\n" for case in kit.cases)
    try:
        done = subprocess.run(shlex.split(command), input=lines, stdout=subprocess.PIPE, check=False)
    except (OSError, ValueError) as error:
        raise BuncoError(f"{command} cannot be run: {error}") from error
    answers = {}
    for number, line in enumerate(done.stdout.splitlines(), 1):
        try:
            answer = msgspec.json.decode(line, type=ResultLine)
        except msgspec.MsgspecError as error:
            raise BuncoError(
                f'Line {number} of the results is not {{"id": ..., "result": ...}}: {error}'
            ) from error
        answers[answer.id] = answer.result
    return answers


def _show(broken: Broken, answers: dict[int, dict[str, Any]]) -> None:
    """Shows a broken ruling, the smallest log that shows it, and what its result must be."""
    case, sections = broken.smallest.case, broken.smallest.sections
    logs = "log" if broken.count == 1 else "logs"
    share = f"; wrong in {broken.share:.0%} of the logs that it touches" if broken.name else ""
    print(f"\n{broken.count} {logs}: {broken.name or 'unknown'}: {broken.sentence}{share}.")
    print(f"The smallest is log {case.id}:")
    for number, fact in enumerate(case.log, 1):
        print(f"  {number:3} {json.dumps(fact, separators=(',', ':'), ensure_ascii=False)}")
    if not sections:
        print("  There is no result for it.")
        return
    right = conformance.result_of(case.log)
    for section in sections:
        print(f"  {section} must be {_short(right, section)}")
        print(f"  {section} is      {_short(answers[case.id], section)}")


def _short(result: dict[str, Any], section: str) -> str:
    text = conformance.canonical(result, section)
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]} ..."


FORMATS = {
    "log": codec.schema,
    "wire": asyncapi.schema,
    "commands": asyncapi.command_schema,
    "asyncapi": asyncapi.asyncapi,
}


def add_schema(parser: argparse.ArgumentParser) -> None:
    """The format to print."""
    parser.add_argument(
        "what",
        choices=FORMATS,
        help="a line of the evening log, MQTT payloads by topic, host commands, or all of it as AsyncAPI 3.0",
    )


def run_schema(options: argparse.Namespace) -> int:
    """Prints one JSON Schema, or the AsyncAPI document."""
    print_json(FORMATS[options.what]())
    return 0
