"""Each for themselves, and tables that are teams, at a hall: from the draw to the results."""

from pathlib import Path
from typing import Any

from pi_bunco.game.prizes import results
from pi_bunco.words.results import ENGLISH_RESULTS
from services.hall import BUNCO, MISS, ONE, Hall


def test_each_plays_alone_and_one_of_a_table_wins(tmp_path: Path) -> None:
    hall = Hall(tmp_path, 2, auto_confirm=1000)
    rules: dict[str, Any] = {"move.tables": "chain", "tie.method": "one_roll", "evening.sets": 1}
    hall.open(7, "bonko", team="none", **rules)
    hall.do("round_start")
    hall.wait(1000)
    for faces in (ONE, MISS, ONE, ONE, MISS):
        hall.tables[1].throw(faces)
        hall.wait(200)
    round_ = hall.evening.round
    assert round_ is not None
    first = round_.tables[0]
    assert sorted(first.points, reverse=True) == [2, 1, 0, 0]
    a, b, c, d = first.points
    assert f"A {a} B {b} C {c} D {d}" in hall.tables[1].lights.message
    assert hall.ask("decide", table=2, winner="US").done is False
    hall.do("round_end")
    hall.do("decide", table=2, winner="ABCD"[round_.tables[1].order[0]])
    hall.until(lambda: len(hall.evening.rounds) == 1)
    wins = sorted(card.wins for card in hall.evening.standings.values())
    assert wins == [0, 0, 0, 0, 0, 1, 1]
    hall.close()


def test_four_can_tie_and_three_dice_lie_on_a_table(tmp_path: Path) -> None:
    hall = Hall(tmp_path, 2)
    rules = {"team": "none", "move.tables": "chain", "tie.method": "one_die"}
    players = [f"P{n}" for n in range(8)]
    refused = hall.ask("evening_open", rules="bonko", players=players, overrides=rules)
    assert not refused.done
    assert "choose another tie.method" in refused.why[0]
    hall.close()


def test_a_named_table_wins_against_the_others_and_stays(tmp_path: Path) -> None:
    hall = Hall(tmp_path, 2, auto_confirm=1000)
    rules: dict[str, Any] = {"evening.sets": 1, "evening.faces": [1]}
    hall.open(8, "bonko", team="table", **rules)
    seats = [list(names) for names in hall.evening.seating or ()]
    assert not hall.ask("seats_set", tables=seats, teams=["Aces", "Aces"]).done
    hall.do("seats_set", tables=seats, teams=["Aces", "Owls"])
    hall.do("round_start")
    hall.wait(1000)
    hall.tables[2].throw(ONE)
    hall.wait(200)
    assert "together 1" in hall.tables[2].lights.message
    hall.tables[1].throw(BUNCO)
    hall.wait(200)
    waits = hall.ask("confirm", table=1).after
    assert waits == ("Table 1: together 21; has played, the result waits for the other tables.",)
    assert hall.ask("confirm", table=2).after[0] == "Table 2: together 1; another table wins."
    hall.until(lambda: len(hall.evening.rounds) == 1)
    ended = results(hall.evening)
    assert ended is not None
    assert [row.name for row in ended.teams] == ["Aces", "Owls"]
    assert ENGLISH_RESULTS.remarks(ended)[0] == "1. Aces: wins 4, Buncos 1, points 21"
    assert [list(table.seats) for table in hall.evening.rounds[0].tables] == seats
    hall.close()
