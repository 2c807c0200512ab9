"""Plays logs with both engines and says where they differ."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from game.independent.drawn_logs import drawn
from game.independent.report import replayed
from game.independent.table import Bell
from pi_bunco.errors import LogError
from pi_bunco.game.replay import replay, report


def plain(bell: Bell) -> tuple[int, str, str | None]:
    """The time at which it could be heard, what rang it, and its roller."""
    return bell.t, bell.by, bell.player


def first(lines: list[str]) -> dict[str, Any]:
    """The state of the product's engine after a log, in the words of the other."""
    played = replay((f"{line}\n".encode() for line in lines), "drawn")
    answer: dict[str, Any] = json.loads(json.dumps(report(played)))
    answer["why"] = {entry["line"]: entry["why"] for entry in answer["ignored"]}
    answer["ignored"] = [entry["line"] for entry in answer["ignored"]]
    return answer


def differences(one: Any, other: Any, path: str = "") -> Iterator[str]:
    """The places where `other` differs from `one`; more than `one` has does not matter."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key, value in one.items():
            yield from differences(value, other.get(key), f"{path}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for at, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from differences(left, right, f"{path}[{at}]")
    elif one != other:
        yield f"{path}: independent {one!r}, engine {other!r}"


def compared(lines: list[str]) -> list[str]:
    """All differences of one log."""
    try:
        engine = first(lines)
    except LogError as error:
        return [f"the engine refuses the log: {error}"]
    except IndexError as error:
        return [f"the engine crashes: {error}"]
    return list(differences(replayed(lines), engine))


def shrunk(lines: list[str]) -> list[str]:
    """A log without what the first difference does not need."""
    for _ in range(4):
        for at in range(len(lines) - 1, 0, -1):
            shorter = lines[:at] + lines[at + 1 :]
            found = compared(shorter)
            if found and not found[0].startswith("the engine refuses"):
                lines = shorter
    return lines


def first_why(lines: list[str]) -> str:
    """The product's reasons for the lines that it ignores."""
    try:
        return str(first(lines)["why"])
    except (LogError, IndexError):
        return ""


def run(seeds: Iterable[int], show: int, *kinds: str) -> int:
    """The number of logs that differ; prints the first few, shrunk."""
    differing = 0
    for seed in seeds:
        lines = drawn(seed, *kinds)
        found = compared(lines)
        if found:
            differing += 1
            if differing <= show:
                print(f"seed {seed}: {len(found)} differences")
                lines = shrunk(lines)
                print("\n".join(lines), *compared(lines)[:6], first_why(lines), sep="\n", end="\n\n")
    return differing
