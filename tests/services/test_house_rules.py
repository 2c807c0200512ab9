"""House rules under the real head: who is drawn to begin, what is carried over, stakes that are paid."""

from pathlib import Path

from pi_bunco.game.prizes import results
from pi_bunco.game.rounds import drawn_first
from services.hall import Hall


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
