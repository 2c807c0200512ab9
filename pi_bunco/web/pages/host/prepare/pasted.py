"""Names as people paste them, of a chat, a note or a table: each line read, and what was doubtful in it."""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Literal

from msgspec import Struct

from pi_bunco.web.pages.shared.names import plain_name

LINE_LETTERS = 200
"""Letters of a line in which marks, notes and a time are looked for; a longer one is taken as it is."""
_LATE = re.compile(r"^(.+?)[\s,]+(?:@\s*)?\(?([01]?\d|2[0-3])[:.]([0-5]\d)\)?$")
"""A name with the time at which somebody comes: `Gus 19:00`."""
_BULLET = re.compile(
    r"^(?:[-\u2013\u2014*\u2022\u00b7\u2023\u25e6\u25aa\u25cf\u25cb\u25a0\u25a1\u2610\u2611\u2713\u2714>+]\s*"
    r"|\[[ xX]?\]\s*|\(?\d{1,4}\s*[.):\]]\s*(?=\D)|\d{1,4}\ufe0f?\u20e3\s*|[a-zA-Z]\)\s*)+"
)
"""Marks before the names of a list: `1.`, `3)`, `-`, `[x]`."""
_NUMBERED = re.compile(r"^(\d{1,4})\s+(?=\D)")
_DONE = re.compile(r"[\s,;*\u2705\u2713\u2714\u2611\ufe0f]+$")
_NOTE = re.compile(r"[(\[](?!\w\.?[)\]])([^()\[\]]+)[)\]]")
"""A note in brackets; one letter in them tells two of a name apart, and stays."""
_BETWEEN = re.compile(r"\s*[,;|/]\s*|\s+[&+]\s+")
"""Marks between two people in one line."""


class Doubt(Struct, frozen=True):
    """The reading of a line: `names`, and the names that are meant if that was wrong.

    `marks`: numbers or bullets were left out, here and in other lines; `note`: words in brackets; `title`:
    it is no name; `split`: several people.
    """

    kind: Literal["marks", "note", "title", "split"]
    line: str
    names: tuple[str, ...] = ()
    otherwise: tuple[str, ...] = ()


class ReadList(Struct, frozen=True):
    """The names of a list, each with its time in `late` if somebody comes later, and what was doubtful."""

    names: tuple[str, ...] = ()
    late: tuple[tuple[str, str], ...] = ()
    doubts: tuple[Doubt, ...] = ()


class _Line(Struct):
    """A line without its marks; `listed` if it had some."""

    typed: str
    text: str
    listed: bool = False
    paragraph: bool = False
    """An empty line follows."""


def read(lines: Sequence[str], known: Collection[str] = ()) -> ReadList:
    """The names in these lines; a line that is `known` already was read before and stands as it is."""
    found = _unmarked(lines, known)
    titles = {place for place in range(len(found)) if _is_title(found, place, known)}
    names, late, doubts = list[str](), list[tuple[str, str]](), list[Doubt]()
    marked = next((line for line in found if line.listed), None)
    if marked is not None:
        doubts.append(Doubt("marks", marked.typed, (marked.text,)))
    for place, line in enumerate(found):
        if place in titles:
            doubts.append(Doubt("title", line.typed, otherwise=(line.text.rstrip(" :#"),)))
            continue
        for name, at, doubt in _people(line, line.typed in known):
            if name:
                names.append(name)
            if at:
                late.append((name, at))
            if doubt:
                doubts.append(doubt)
    return ReadList(tuple(names), tuple(late), tuple(doubts))


def corrected(lines: Sequence[str], doubt: Doubt) -> list[str]:
    """The lines where the other meaning of `doubt` is the right one; at its place, or in front."""
    left = list(lines)
    places = [left.index(name) for name in doubt.names if name in left]
    for name in doubt.names:
        if name in left:
            left.remove(name)
    at = min(places, default=0)
    return [*left[:at], *doubt.otherwise, *left[at:]]


def _unmarked(lines: Sequence[str], known: Collection[str]) -> list[_Line]:
    found = list[_Line]()
    for raw in lines:
        typed = plain_name(raw)
        if not typed:
            if found:
                found[-1].paragraph = True
        elif typed in known or len(typed) > LINE_LETTERS:
            found.append(_Line(typed, typed.strip(",;")))
        else:
            bare = _DONE.sub("", _BULLET.sub("", typed))
            if bare:
                found.append(_Line(typed, bare, bare != _DONE.sub("", typed)))
    _take_numbers_off(found)
    return found


def _take_numbers_off(found: list[_Line]) -> None:
    """Takes numbers without a dot off where they count up from 1."""
    numbered = [(line, match) for line in found if (match := _NUMBERED.match(line.text))]
    counts = [int(match[1]) for _, match in numbered]
    if len(counts) > 1 and counts == [*range(1, len(counts) + 1)]:
        for line, match in numbered:
            line.text, line.listed = line.text[match.end() :], True


def _is_title(found: Sequence[_Line], place: int, known: Collection[str]) -> bool:
    """True for a heading: a colon at its end, or first above marks, above a paragraph, or with a date."""
    line = found[place]
    if line.typed in known or line.listed:
        return False
    if line.text.endswith(":") or line.typed.startswith("#") or "bunco" in line.text.casefold():
        return True
    below = found[1:]
    if place or len(below) < 2 or _LATE.match(line.text):
        return False
    alone = line.paragraph and not any(one.paragraph for one in below[:-1])
    above_marks = below[0].listed and not re.match(r"\W*2\b", below[0].typed)
    dated = re.search(r"\d", line.text) and not any(re.search(r"\d", one.text) for one in below)
    return alone or above_marks or bool(dated)


def _people(line: _Line, as_it_is: bool) -> Iterator[tuple[str, str, Doubt | None]]:
    """The people of a line: name, the time of somebody late, a doubt."""
    if len(line.typed) > LINE_LETTERS:
        yield line.text, "", None
        return
    notes = list[str]()
    text = line.text if as_it_is else _NOTE.sub(lambda note: _noted(note, notes), line.text).strip()
    pairs = [_with_time(part) for part in ([text] if as_it_is else _split(text))]
    doubt = None
    if notes:
        doubt = Doubt("note", line.typed, tuple(name for name, _ in pairs))
    elif len(pairs) > 1:
        doubt = Doubt("split", line.typed, tuple(name for name, _ in pairs), _as_one(text, pairs))
    for place, (name, at) in enumerate(pairs):
        yield name, at, None if place else doubt
    if not pairs and doubt:
        yield "", "", doubt


def _noted(note: re.Match[str], notes: list[str]) -> str:
    """Notes words in brackets; returns what stays of them: a time."""
    words = note[1].strip()
    time = _LATE.match(f"x {words}")
    if time is None or time[1] != "x":
        notes.append(words)
    return f" {time[2]}:{time[3]} " if time else " "


def _split(text: str) -> list[str]:
    """The people of one line; a time belongs to the one before it."""
    people = list[str]()
    for part in filter(None, _BETWEEN.split(text)):
        if people and (time := _LATE.match(f"x {part}")) and time[1] == "x":
            people[-1] += f" {part}"
        else:
            people.append(part)
    return people


def _as_one(text: str, pairs: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Joins two names with a comma that may be one person with the family name first; with `&`, one team."""
    if len(pairs) != 2 or any(at for _, at in pairs):
        return ()
    (first, _), (second, _) = pairs
    if "," in text:
        return (f"{second} {first}",)
    return () if ";" in text or "|" in text else (text,)


def _with_time(text: str) -> tuple[str, str]:
    found = _LATE.match(text)
    return (found[1].strip(" ,;"), f"{found[2]}:{found[3]}") if found else (text, "")
