"""Somebody who has one table's account and says only what the schema allows changes nothing elsewhere."""

from pathlib import Path

from pi_bunco.game import facts
from pi_bunco.game.rolloffs import awaited
from pi_bunco.wire.messages import Envelope
from services.hall import BUNCO, Hall


def test_a_table_throws_for_no_tie_that_is_rolled_off_at_another_one(tmp_path: Path) -> None:
    """Trace: two players are level for a prize, which is rolled off at the head table; table 2 throws a 6 for
    the one and a 1 for the other, naming the tie.
    """
    hall = Hall(tmp_path, 2)
    prizes = {"prizes": [{"for": "buncos", "percent": 100}], "prize_tie": "one_die"}
    hall.open(8, "gong", **{"end.bunco": False, "end.points": None, "evening.sets": 1, **prizes}, **ONE_ROUND)
    hall.do("round_start")
    for number in (1, 2):
        hall.roll(number, *BUNCO)
    hall.do("round_end")
    for number in (1, 2):
        hall.do("decide", table=number, winner="US")
    hall.wait(1000)
    before = awaited(hall.evening, 1)
    assert before
    throw = facts.Rolled((6, 1, 1), source="dice", tie=before.tie)
    hall.says(2, "fact", Envelope(1, hall.evening.id, "lie", 1, 1, 1, None, None, 1, "b", throw))
    hall.wait(300)
    assert awaited(hall.evening, 1) == before
    assert hall.warnings == ["Table 2: a fact is set aside: its tie is rolled off at another table."]
    hall.tables[1].throw((6, 1, 1))
    hall.wait(300)
    assert awaited(hall.evening, 1) != before


ONE_ROUND = {"evening.faces": [1], "evening.break_after": None, "evening.break_minutes": None}
