"""The conformance kit: this engine and the independent one pass it, and a mistake is named by its ruling."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from game.independent.report import replayed
from game.independent.rulings import RULINGS
from pi_bunco.cli.formats import KIT
from pi_bunco.game import conformance, evening, prizes, seating
from pi_bunco.game.conformance import Kit, broken_rulings, canonical, judged, result_of
from pi_bunco.game.facts import Roll
from pi_bunco.game.pot import Pot, shared_out
from pi_bunco.game.score_cards import Card
from pi_bunco.game.table import Table
from pi_bunco.game.table_score import TableScore
from pi_bunco.reason import Reason
from pi_bunco.rules import RuleSet
from thorough import times

MIB = 1024 * 1024


@pytest.fixture(scope="module")
def whole() -> Kit:
    return conformance.read_kit(KIT)


@pytest.fixture(scope="module")
def kit(whole: Kit) -> Kit:
    return Kit(whole.rulings, whole.cases[: times(600)])


def answers(kit: Kit) -> dict[int, dict[str, Any]]:
    return {case.id: result_of(case.log) for case in kit.cases}


def test_this_engine_passes(kit: Kit) -> None:
    assert judged(kit, answers(kit)) == []


def test_the_independent_engine_passes(kit: Kit) -> None:
    found = {case.id: replayed(json.dumps(fact) for fact in case.log) for case in kit.cases[:200]}
    assert judged(Kit(kit.rulings, kit.cases[:200]), found) == []


def test_the_kit_is_small_and_touches_every_ruling(whole: Kit) -> None:
    assert KIT.stat().st_size < 2 * MIB
    assert {name for name, _ in whole.rulings} == {ruling.name for ruling in RULINGS}
    assert {ruling for case in whole.cases for ruling in case.rulings or ()} == set(range(len(whole.rulings)))


ROLL, JUDGED = Table.roll, Table._judged


def late(table: Table, fact: Roll, n: int) -> Reason | None:
    """A roll of the second after the bell counts too."""
    after = table.bell_t is not None and table.bell_t < fact.t <= table.bell_t + 1000
    return ROLL(table, replace(fact, t=table.bell_t) if after else fact, n)


def nothing_stays(rules: RuleSet, pot: str | None, payers: int, counts: Sequence[int]) -> Pot:
    return shared_out(replace(rules, keep=None), pot, payers, counts)


MISTAKES: dict[str, tuple[object, str, Any]] = {
    "time.late": (Table, "roll", late),
    "time.fresh": (Table, "_judged", lambda self, outcome, t, n, _: JUDGED(self, outcome, t, n, True)),
    "begins": (Table, "begin", lambda self, seat, t: None),
    "keep": (prizes, "shared_out", nothing_stays),
    "lottery": (prizes, "DICE_LOTTERY", "none"),
    "holders": (evening.Evening, "brought", property(lambda self: {}, lambda self, value: None)),
    "bonus": (evening, "Card", lambda points=0: Card()),
    "ghosts.apart": (seating, "apart", lambda names, ghosts: names),
    "prize.waits": (prizes, "_waits_for", lambda *args: None),
    "no_chance": (TableScore, "without_chance", ()),
    "winner.auto": (TableScore, "_auto_winner", lambda self: self._leader()),
}


@pytest.mark.parametrize("ruling", MISTAKES)
def test_a_mistake_is_named_by_its_ruling(whole: Kit, monkeypatch: pytest.MonkeyPatch, ruling: str) -> None:
    at = [name for name, _ in whole.rulings].index(ruling)
    touched = [case for case in whole.cases if at in (case.rulings or ())][:40]
    kit = Kit(whole.rulings, (*touched, *[case for case in whole.cases if case.rulings is not None][:100]))
    monkeypatch.setattr(*MISTAKES[ruling], raising=False)
    first, *_ = broken_rulings(kit, judged(kit, answers(kit)))
    assert first.name == ruling
    assert 0 < first.share <= 1


def test_null_and_absent_are_the_same_and_the_order_of_keys_does_not_matter() -> None:
    assert canonical({"results": {"b": None, "a": [{"c": 1, "b": 2}]}}, "results") == '{"a":[{"b":2,"c":1}]}'
    assert canonical({}, "stage") == canonical({"stage": None}, "stage") == "null"
    assert canonical({"ignored": [{"line": 3, "why": "..."}, 2]}, "ignored") == "[2,3]"
