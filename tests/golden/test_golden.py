"""Whole evenings whose results were worked out from RULES.md, not taken from the engine (README.md here)."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pi_bunco.game.replay import replay, report

HERE = Path(__file__).parent
LOGS = sorted(HERE.glob("*.jsonl"))
# Nobody may be added to the standings: a ghost in them is an error.
EXACT = ("standings",)


def expected(log: Path) -> dict[str, Any]:
    table: dict[str, Any] = json.loads(log.with_suffix(".json").read_text("utf-8"))
    return table


def evening(log: Path, lines: int | None = None) -> dict[str, Any]:
    """The JSON that the replay of the first `lines` lines prints, as a reader sees it."""
    seen = report(replay(log.read_bytes().splitlines()[:lines], log.name))
    table: dict[str, Any] = json.loads(json.dumps(seen))
    table["ignored_lines"] = [fact["line"] for fact in table["ignored"]]
    return table


def differences(want: Any, got: Any, path: str) -> Iterator[str]:
    """One sentence for each value of `want` that `got` does not have; more keys are allowed in `got`."""
    if isinstance(want, dict) and isinstance(got, dict):
        for key, value in want.items():
            yield from differences(value, got.get(key, "nothing"), f"{path}.{key}")
        if path.endswith(EXACT):
            yield from (f"{path}.{key}: not expected" for key in got.keys() - want.keys())
    elif isinstance(want, list) and isinstance(got, list) and len(want) == len(got) and _deep(want):
        for number, (one, other) in enumerate(zip(want, got, strict=True), 1):
            yield from differences(one, other, f"{path}[{number}]")
    elif want != got:
        yield f"{path}: expected {want}, got {got}"


def _deep(values: list[Any]) -> bool:
    return any(isinstance(value, dict | list) for value in values)


def shown(log: Path, lines: Iterable[int]) -> list[str]:
    facts = log.read_text("utf-8").splitlines()
    return [f"line {line}: {facts[line - 1]}" for line in lines]


def test_that_there_are_evenings() -> None:
    assert {log.stem for log in LOGS} >= {"mybunco", "tournament", "classic", "gong", "bonko"}


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem)
def test_golden_rounds(log: Path) -> None:
    want, got = expected(log), evening(log)
    assert len(got["rounds"]) == len(want["rounds"])
    problems = [
        problem
        for one, other in zip(want["rounds"], got["rounds"], strict=True)
        for problem in differences(one, other, f"round {one['round']}")
    ]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem)
@pytest.mark.parametrize("key", ["rules", "state", "next_seating", "standings", "traveler"])
def test_golden_outcome(log: Path, key: str) -> None:
    problems = list(differences(expected(log)[key], evening(log)[key], key))
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem)
def test_golden_ignored(log: Path) -> None:
    want, got = expected(log)["ignored_lines"], evening(log)["ignored_lines"]
    missing, surplus = sorted(set(want) - set(got)), sorted(set(got) - set(want))
    assert not missing, "should be ignored:\n" + "\n".join(shown(log, missing))
    assert not surplus, "should not be ignored:\n" + "\n".join(shown(log, surplus))
    assert got == want


CHECKPOINTS = [(log, point) for log in LOGS for point in expected(log).get("checkpoints", [])]


@pytest.mark.parametrize(
    ("log", "point"), CHECKPOINTS, ids=[f"{log.stem}-{point['lines']}" for log, point in CHECKPOINTS]
)
def test_golden_on_the_way(log: Path, point: dict[str, Any]) -> None:
    got = evening(log, point["lines"])
    got["rounds"] = len(got["rounds"])
    wanted = {key: value for key, value in point.items() if key not in ("lines", "standings")}
    problems = list(differences(wanted, got, f"after line {point['lines']}"))
    for player, card in point.get("standings", {}).items():
        problems += differences(card, got["standings"].get(player), player)
    assert not problems, "\n".join(problems)
