"""What is wrong with a command line, in one line: what it is, what was meant, and where to read more."""

import argparse
import re
import sys
from typing import NoReturn

_REQUIRED = re.compile(r"the following arguments are required: (.+)", re.DOTALL)
_CHOICE = re.compile(
    r"argument (?P<name>.+?): invalid choice: (?P<word>.*) \(choose from (?P<known>.*)\)", re.DOTALL
)
_WORDS = ("COMMAND", "WHAT")
"""What stands for a word that says what to do."""


class OneLineParser(argparse.ArgumentParser):
    """Says what is wrong in one line, not behind all options there are."""

    def error(self, message: str) -> NoReturn:
        """Ends with status 2."""
        sentence = _plain(_sentence(message))
        end = "" if sentence.endswith("?") else ";"
        print(f"{self.prog}: {sentence}{end} {self.prog} --help says more", file=sys.stderr)
        raise SystemExit(2)


def _sentence(message: str) -> str:
    """What `argparse` says in its own words, in ours."""
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


def _plain(text: str) -> str:
    """Without anything that a terminal would obey."""
    return "".join(one if one.isprintable() else repr(one)[1:-1] for one in text)
