"""The conformance kit: golden logs for any implementation, and the ruling that a wrong one breaks.

`pi_bunco/rules/README.md` defines the lines that an implementation reads and writes, and the file of the kit.
"""

import json
import lzma
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field

from pi_bunco.errors import LogError
from pi_bunco.game.replay import replay, report

SECTIONS = (
    "state", "rounds", "next_seating", "standings", "traveler", "ranking",
    "stage", "tournament", "results", "ignored",
)  # fmt: skip
"""The parts of a result that are compared, each by itself."""
SUM_DIGITS = 4
LEAST_SHARE = 0.2
"""Of the logs that a ruling touches, how many must be wrong before it is named."""


class Case(Struct, frozen=True):
    """A golden log: digits of what each section must be, and the rulings that it touches; None: not tried."""

    id: int
    rulings: tuple[int, ...] | None
    sums: str
    log: list[dict[str, Any]]


class _Header(Struct, frozen=True):
    format: int
    sections: tuple[str, ...]
    rulings: tuple[tuple[str, str], ...]


class Kit(Struct, frozen=True):
    """All golden logs; `rulings` are names and sentences."""

    rulings: tuple[tuple[str, str], ...]
    cases: tuple[Case, ...]


class ResultLine(Struct, frozen=True):
    """A line that an implementation writes."""

    id: int
    result: dict[str, Any] = field(default_factory=dict)


class Wrong(Struct, frozen=True):
    """A log whose result is another one than it must be, in these sections; none where there is no result."""

    case: Case
    sections: tuple[str, ...]


class Broken(Struct, frozen=True):
    """A ruling that explains wrong results; without one they touch none of the kit.

    `share` is the part of the logs it touches that are wrong, `smallest` the shortest of them.
    """

    name: str | None
    sentence: str
    count: int
    share: float
    smallest: Wrong


def read_kit(file: Path) -> Kit:
    """The kit in a file of JSON lines, compressed with xz; raises `LogError`."""
    try:
        with lzma.open(file, "rb") as lines:
            header = msgspec.json.decode(next(lines), type=_Header)
            decoder = msgspec.json.Decoder(Case)
            return Kit(header.rulings, tuple(decoder.decode(line) for line in lines))
    except OSError as error:
        raise LogError(f"{file}: {error.strerror or error}") from error
    except (lzma.LZMAError, EOFError, StopIteration, msgspec.MsgspecError) as error:
        raise LogError(f"{file} is no conformance kit: {error}") from error


def _plain(value: Any) -> Any:
    """The value without nulls in objects."""
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items() if one is not None}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value


def canonical(result: Mapping[str, Any], section: str) -> str:
    """A section as JSON that is the same for everybody: no nulls in objects, keys in order, no spaces."""
    value = result.get(section)
    if section == "ignored":
        value = sorted(one["line"] if isinstance(one, Mapping) else one for one in value or [])
    return json.dumps(_plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def sums(result: Mapping[str, Any]) -> str:
    """The first hex digits of the SHA-256 of each section."""
    return "".join(
        sha256(canonical(result, section).encode()).hexdigest()[:SUM_DIGITS] for section in SECTIONS
    )


def result_of(log: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The engine's own result of a log."""
    plain: dict[str, Any] = json.loads(
        json.dumps(report(replay((json.dumps(fact).encode() for fact in log), "log")))
    )
    return plain


def judged(kit: Kit, answers: Mapping[int, Mapping[str, Any]]) -> list[Wrong]:
    """The logs whose results are missing or wrong."""
    wrong = []
    for case in kit.cases:
        answer = answers.get(case.id)
        if answer is None:
            wrong.append(Wrong(case, ()))
        elif (found := sums(answer)) != case.sums:
            wrong.append(Wrong(case, tuple(_differing(found, case.sums))))
    return wrong


def _differing(found: str, wanted: str) -> Iterable[str]:
    for at, section in enumerate(SECTIONS):
        digits = slice(at * SUM_DIGITS, (at + 1) * SUM_DIGITS)
        if found[digits] != wanted[digits]:
            yield section


def broken_rulings(kit: Kit, wrong: Sequence[Wrong]) -> list[Broken]:
    """The rulings that explain what is wrong, the likeliest first, each with what those before leave.

    A ruling touches a log if breaking it changes the result, so that who breaks it is wrong in those logs.
    """
    left = {one.case.id: one for one in wrong}
    found = []
    touched: list[set[int]] = [set() for _ in kit.rulings]
    for case in kit.cases:
        for ruling in case.rulings or ():
            touched[ruling].add(case.id)
    tried = {case.id for case in kit.cases if case.rulings is not None}
    if left.keys() & tried:
        left = {number: one for number, one in left.items() if number in tried}
    while left:
        shares = [len(left.keys() & logs) / len(left.keys() | logs) for logs in touched]
        best = max(range(len(touched)), key=shares.__getitem__, default=None)
        hit = touched[best] & left.keys() if best is not None else set()
        if best is None or len(hit) < LEAST_SHARE * len(touched[best]) or not hit:
            found.append(_broken(None, "no ruling of the kit explains these", left, set(left), 0))
            break
        name, sentence = kit.rulings[best]
        found.append(_broken(name, sentence, left, hit, len(hit) / len(touched[best])))
        left = {number: one for number, one in left.items() if number not in hit}
    return found


def _broken(
    name: str | None, sentence: str, left: Mapping[int, Wrong], hit: set[int], share: float
) -> Broken:
    smallest = min((left[number] for number in hit), key=lambda one: (len(one.case.log), one.case.id))
    return Broken(name, sentence, len(hit), share, smallest)
