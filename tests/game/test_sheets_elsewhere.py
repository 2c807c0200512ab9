"""Result sheets, score cards, money and seasons of drawn evenings, worked out again by the second engine."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import Any

import pytest

from game.independent.drawn_logs import drawn
from game.independent.report import replayed
from pi_bunco.game import codec
from pi_bunco.game.apply import apply
from pi_bunco.game.evening import Evening
from pi_bunco.game.opening import same
from pi_bunco.game.season import Played, season
from pi_bunco.game.sheet import ResultSheet, result_sheet, score_cards
from thorough import times

KINDS = ("house", "teams", "teams house", "house stages", "patterns house")
EVENINGS = times(100)
IN_A_SEASON = 10
COUNTED = ("wins", "losses", "buncos", "minis", "points")


@cache
def both(seed: int) -> tuple[Played, dict[str, Any]]:
    """A drawn evening as this engine has it, and what the other one says of it."""
    lines = drawn(400_000 + seed, *KINDS[seed % len(KINDS)].split())
    log = [codec.convert(json.loads(line)) for line in lines]
    evening = Evening()
    for fact in log:
        apply(evening, fact)
    return Played(f"evening {seed}", evening, log), replayed(lines)


@pytest.mark.parametrize("seed", range(EVENINGS))
def test_the_sheet_and_the_cards_are_those_of_the_second_engine(seed: int) -> None:
    played, told = both(seed)
    sheet = result_sheet(played.evening, played.log)
    assert (sheet is None) == (told["results"] is None)
    if sheet is None:
        return
    places = {name: place for place, level in _placed(told["ranking"]) for name in level}
    assert {row.name: row.place for row in sheet.rows} == places
    for row in sheet.rows:
        found = {"wins": row.wins, "losses": row.losses, "buncos": row.buncos}
        assert len(sheet.faces[row.name]) == row.buncos
        found |= {"minis": row.minis, "points": row.points}
        assert found == {key: told["standings"][row.name][key] for key in COUNTED}
    for card in score_cards(played.evening):
        rounds = card.rounds
        assert card.wins == sum(one.won is True for one in rounds)
        assert card.losses == sum(one.won is False for one in rounds)
        assert card.buncos == sum(one.buncos for one in rounds) == told["standings"][card.name]["buncos"]
        assert card.minis == sum(one.minis for one in rounds)
    _balances(sheet)


def _placed(levels: Sequence[Sequence[str]]) -> list[tuple[int, Sequence[str]]]:
    return [(1 + sum(map(len, levels[:at])), level) for at, level in enumerate(levels)]


def _balances(sheet: ResultSheet) -> None:
    """Checks that the rest, the winners' sums, the open prizes' and those that the host gives are the pot."""
    ended = sheet.results
    if ended.pot is None or ended.rest is None:
        return
    total = Decimal(ended.keep or 0) + Decimal(ended.rest)
    for award in ended.prizes:
        if award.winners:
            total += sum(map(Decimal, award.shares or [award.each or "0"] * len(award.winners)))
        elif award.tied or award.waits_for:
            total += Decimal(award.amount or 0)
    assert total == Decimal(ended.pot)


@pytest.mark.parametrize("first", range(0, EVENINGS, IN_A_SEASON))
def test_a_season_is_what_the_second_engine_adds_up_to(first: int) -> None:
    evenings = [both(seed) for seed in range(first, first + IN_A_SEASON)]
    found = season([played for played, _ in evenings], dues="2.50")
    told = [told for _, told in evenings]
    summed: Counter[tuple[str, str]] = Counter()
    for one in told:
        for name, card in one["standings"].items():
            summed.update({(same(name), key): card[key] for key in COUNTED})
            summed[same(name), "evenings"] += 1
        _add_results(summed, one["results"] or {})
    for row in found.players:
        name = same(row.name)
        for key in (*COUNTED, "evenings", "champion", "prizes"):
            assert getattr(row, key) == summed[name, key], (row.name, key)
        assert Decimal(row.won) * 1000 == summed[name, "won"], row.name
        assert Decimal(row.dues) == summed[name, "evenings"] * Decimal("2.50")
    assert {same(row.name) for row in found.players} == {name for name, _ in summed}
    assert len(found.unfinished) == sum(one["results"] is None for one in told)


def _add_results(summed: Counter[tuple[str, str]], ended: Mapping[str, Any]) -> None:
    """Champions and prizes of an evening; what was won in thousandths."""
    summed.update((same(name), "champion") for name in ended.get("champions", ()))
    for prize in ended.get("prizes", ()):
        winners = prize["winners"]
        for name, share in zip(
            winners, prize.get("shares") or [prize.get("each", "0")] * len(winners), strict=True
        ):
            summed[same(name), "prizes"] += 1
            summed[same(name), "won"] += int(Decimal(share) * 1000)
