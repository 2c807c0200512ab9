"""Names as they stand on place cards, and their order in lists."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import ceil

from pi_bunco.rules.ruleset import CONTROL, Teams
from pi_bunco.web.pages.shared.model import SideLook
from pi_bunco.web.site.evening_now import EveningNow, shared_by_round

MAX_LINE_LETTERS = 30
"""Letters of the longest line for which the pages have a size."""
UNBROKEN_LETTERS = 13
"""A word with more letters than this may be broken onto two lines."""
_WIDTHS = dict.fromkeys("mwMW@%", 1.45) | dict.fromkeys("iljItfr'’-., ", 0.58)


def call_names(names: Iterable[str]) -> Mapping[str, str]:
    """Per name the short one: the first word, with as many letters of the rest as makes it unique.

    Names that only capitals tell apart are one when they are called out.
    """
    return _call_names(tuple(dict.fromkeys(names)))


@lru_cache(maxsize=8)
def _call_names(names: tuple[str, ...]) -> Mapping[str, str]:
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for name in sorted(names, key=str.casefold):
        alike[_first(name).casefold()].append(name)
    calls = {
        name: _longer(_first(name), name, same[max(place - 1, 0) : place + 2])
        for same in alike.values()
        for place, name in enumerate(same)
    }
    return {name: calls[name] for name in names}


def _first(name: str) -> str:
    words = name.split()
    return name if len(words) < 2 or re.fullmatch(r"Ghost \d+", name) else words[0]


def _longer(first: str, name: str, neighbours: list[str]) -> str:
    """The name with as many letters after `first` as tell it from its neighbours."""
    rest = name[len(first) :].strip()
    others = [other.casefold() for other in neighbours if other != name]
    if not others:
        return first
    for letters in range(1, len(rest)):
        start = f"{first} {rest[:letters]}"
        if start[-1] != " " and not any(other.startswith(start.casefold()) for other in others):
            return f"{start}." if rest[letters - 1 : letters + 1].isalnum() else start
    return name


def width(text: str) -> float:
    """Its width in ordinary letters: wide and narrow ones, capitals, and other scripts count apart."""
    return sum(_width(letter) for letter in text)


def _width(letter: str) -> float:
    if "\u0370" <= letter < "\u0590":
        return 1.4 if letter.isupper() else 1.2
    if "\u0590" <= letter < "\u0900":
        return 1.1
    if letter >= "\u2e80":
        return 1.75
    return _WIDTHS.get(letter, 1.2 if letter.isupper() else 1.0)


def size(name: str) -> str:
    """The class that fits `name` into its box: the letters of its longest line, `long` for two lines."""
    words = [
        _letters(word) if len(word) <= UNBROKEN_LETTERS else -(-_letters(word) // 2)
        for word in name.replace("-", "- ").split()
    ]
    line = -(-_letters(name) // 2) if len(name) > UNBROKEN_LETTERS else _letters(name)
    letters = min(max([*words, line, 5]), MAX_LINE_LETTERS)
    return f"n{letters} long" if len(name) > 21 else f"n{letters}"


def _letters(text: str) -> int:
    """Ordinary letters that take its room, at least as many as it has."""
    return max(len(text), ceil(width(text)))


@lru_cache(maxsize=4)
def alphabetical(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names as people look them up."""
    return tuple(sorted(names, key=order))


def order(name: str) -> tuple[str, str]:
    """Sorts names as people look them up: without accents and case."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    return plain.casefold().strip(), name


def short(name: str, calls: Mapping[str, str]) -> str:
    """The call name of `name`."""
    return calls.get(name, name)


@shared_by_round
def all_calls(now: EveningNow) -> Mapping[str, str]:
    """The call name of everybody in the evening, also of who has left."""
    people = now.evening.people
    return call_names([*people.holders, *people.present, *people.ghosts])


def looks(team: Teams, seat: int) -> SideLook:
    """The look of a seat, by who plays together."""
    return "" if team != "pairs" else ("us", "them")[seat % 2]


def plain_name(text: str) -> str:
    """A name as somebody typed it, without what no name may hold.

    Phones put marks of the direction of writing around a name that is copied.
    """
    return " ".join(CONTROL.sub("", text.replace("\t", " ")).split())
