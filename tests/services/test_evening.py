from pathlib import Path

import pytest

from pi_bunco.game.prizes import results
from pi_bunco.game.replay import evening_report, replay, report
from pi_bunco.game.rounds import drawn_first
from pi_bunco.log import journal
from pi_bunco.play.players import Habits
from pi_bunco.rules import PRESETS
from services.hall import Hall

PEOPLE = Habits(forgets=0.05, dawdles=0.3)


EVENINGS = [
    pytest.param(rules, players, marks=[] if (rules, players) == ("classic", 9) else pytest.mark.long)
    for rules in PRESETS
    for players in (12, 9)
]


@pytest.mark.parametrize(("rules", "players"), EVENINGS)
def test_a_whole_evening_is_what_its_journal_says(tmp_path: Path, rules: str, players: int) -> None:
    hall = Hall(tmp_path, habits=PEOPLE)
    hall.open(players, rules, **{"evening.sets": 1})
    for _ in range(6):
        hall.play_round()
    evening = hall.evening
    assert evening.state == ("break" if evening.tournament else "finished")
    hall.close()
    log = list(journal.export(tmp_path / "journal.db"))
    played = report(replay(log, "export"))
    assert {key: played[key] for key in evening_report(evening)} == evening_report(evening)
    ends = [id for id in hall.rings if ":end" in id]
    assert len(ends) == len(set(ends)) == 6
    assert len(hall.rings) == 12


# House rules under the real head.


def test_who_is_drawn_begins_at_every_table(tmp_path: Path) -> None:
    hall = Hall(tmp_path)
    hall.open(8, "bonko", begins="drawn")
    log = hall.head.referee.log
    hall.do("round_start")
    hall.wait(1000)
    assert log.evening.round is not None
    drawn = [fact.seat for fact in drawn_first(log.evening, 0)]
    assert ["ABCD"[table.order[0]] for table in log.evening.round.tables] == drawn
    for number, seat in enumerate(drawn, 1):
        shown = hall.tables[number].controller.prediction.table
        assert shown is not None
        assert "ABCD"[shown.order[0]] == seat
    hall.close()


def test_the_doormat_comes_back_and_the_stakes_make_the_pot(tmp_path: Path) -> None:
    hall = Hall(tmp_path)
    prizes = [{"for": "doormat"}, {"for": "wins", "percent": 100}]
    hall.open(8, "bonko", holds=["doormat"], stake="5", prizes=prizes)
    log = hall.head.referee.log
    log.evening.brought["doormat"] = "P3"
    hall.do("paid", player="P1")
    hall.do("paid", player="P2")
    hall.do("paid", player="P2", paid=False)
    hall.do("evening_close", unfinished=True)
    ended = results(log.evening)
    assert ended is not None
    assert (ended.pot, ended.holders) == ("5", {"doormat": "P3"})
    hall.open(8, "bonko", holds=["doormat"])
    assert hall.evening.holder("doormat") == "P3"
    hall.close()
