"""Command lines: mistakes in one line, values that several commands read, and output for programs."""

import argparse
import contextlib
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from rich.console import Console

_REQUIRED = re.compile(r"the following arguments are required: (.+)", re.DOTALL)
_CHOICE = re.compile(
    r"argument (?P<name>.+?): invalid choice: (?P<word>.*) \(choose from (?P<known>.*)\)", re.DOTALL
)
_WORDS = ("COMMAND", "WHAT")
"""The names of arguments that are words for a command."""
INTERRUPTED = 130
"""The exit status after Ctrl-C (128 + SIGINT, as shells have it)."""
ENDS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""The signals that ask a program to end; Windows has no SIGHUP."""
say = partial(print, flush=True)
"""Prints a line at once."""


class OneLineParser(argparse.ArgumentParser):
    """Says what is wrong in one line, not behind all options there are."""

    def error(self, message: str) -> NoReturn:
        """Ends with status 2."""
        # Without anything that a terminal would obey.
        sentence = "".join(one if one.isprintable() else repr(one)[1:-1] for one in _sentence(message))
        end = "" if sentence.endswith("?") else ";"
        print(f"{self.prog}: {sentence}{end} {self.prog} --help says more", file=sys.stderr)
        raise SystemExit(2)


def _sentence(message: str) -> str:
    """A message of `argparse` in plain words."""
    from pi_bunco.validator import nearest  # not before something is wrong: --help is quick

    if found := _REQUIRED.fullmatch(message):
        names = [name.partition("/")[2] or name for name in found[1].split(", ")]
        return f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} missing"
    if found := _CHOICE.fullmatch(message):
        known = [word.strip("'\"") for word in found["known"].split(", ")]
        word = found["word"].strip("'\"")
        place = "" if found["name"] in _WORDS else f"{found['name']}: "
        return f"{place}{word} is not known; {nearest(word, known)}"
    if message.startswith("unrecognized arguments: "):
        return f"{message.partition(': ')[2]} is not understood here"
    return message.removeprefix("argument ").replace("expected one argument", "a value is missing")


@contextlib.contextmanager
def on_signals(handle: Callable[..., object], *numbers: int) -> Iterator[None]:
    """Has `handle` called on these signals, until the block ends."""
    before = {number: signal.signal(number, handle) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def whole(least: int = 0, most: int | None = None, bounds: str = "") -> Callable[[str], int]:
    """Reads a whole number of an option; `bounds` is what an error says behind "a whole number"."""

    def read(text: str) -> int:
        if text.isdecimal() and text.isascii() and least <= int(text) and (most is None or int(text) <= most):
            return int(text)
        raise argparse.ArgumentTypeError(f"{text} should be a whole number{bounds}")

    return read


def argument(parser: argparse._ActionsContainer, usage: str, text: str, **more: Any) -> None:
    """An argument as usage shows it: `--players N`, `-o, --output FILE`, `--json`, which says yes, `log LOG`.

    `text` is its help; `more` is for `argparse`.
    """
    *names, last = usage.replace(", ", " ").split()
    if last.startswith("-"):
        parser.add_argument(*names, last, help=text, **{"action": "store_true"} | more)
    else:
        parser.add_argument(*names, help=text, metavar=last, **more)


def add_root(parser: argparse.ArgumentParser) -> None:
    """The folder that is the system a command works on."""
    text = "of another system than this, as for an image"
    argument(parser, "--root DIR", text, type=Path, default=Path("/"))


def need_root(command: str, root: Path = Path("/")) -> None:
    """`ProvisionError` for anybody but root who works on this system."""
    from pi_bunco.errors import ProvisionError

    if sys.platform != "win32" and os.geteuid() != 0 and root == Path("/"):
        raise ProvisionError(f"only root may do that: sudo pi-bunco {command}")


def print_json(plain: Any) -> None:
    """Prints one JSON value on a line, in UTF-8 whatever the locale is."""
    import msgspec  # --help is quick

    sys.stdout.flush()
    sys.stdout.buffer.write(msgspec.json.encode(plain) + b"\n")
    sys.stdout.buffer.flush()


def plain_console() -> "Console":
    """Prints tables and sentences as they are: no name is markup."""
    from rich.console import Console

    return Console(markup=False, highlight=False, emoji=False)


def check_amount(option: str, text: str | None, example: str) -> None:
    """`ConfigError` for a text that is no amount of money."""
    from pi_bunco.config import ConfigError
    from pi_bunco.rules.ruleset import AMOUNT

    if text is not None and not re.match(AMOUNT, text):
        raise ConfigError([f"{option} {text} should be an amount such as {example}"])


def read_text(named: str, file: Path) -> str:
    """The text of a file, which is `named` on the command line; `ConfigError` if there is none."""
    from pi_bunco.config import ConfigError

    try:
        return file.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it holds no text"
        raise ConfigError([f"{named} {file} cannot be read: {why}"]) from error


def write_output(file: Path, data: bytes) -> None:
    """Writes the file of the option -o, which holds no secret; `ConfigError` if that cannot be."""
    from pi_bunco.config import ConfigError
    from pi_bunco.runtime import files

    try:
        files.write(file, data, 0o644)
    except OSError as error:
        raise ConfigError([f"-o {file} cannot be written: {error.strerror}"]) from error
