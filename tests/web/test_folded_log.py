"""The log as the page folds it."""

from game.evenings import fact
from pi_bunco.game.facts import Fact
from pi_bunco.game.reasons import NobodySeated
from pi_bunco.web.site.folded_log import FoldedLog, LogPlace

OPEN = fact("evening", id="e1", rules="gong", players=["Ann", "Bob", "Cat", "Dee"])
SEATS = fact("seating", tables=[["Ann", "Bob", "Cat", "Dee"]])
START = fact("round_open", 1000)


def folded(*log: Fact) -> FoldedLog:
    made = FoldedLog()
    made.begin("e1")
    for one in log:
        made.fold(one)
    return made


def test_ignored_fact_is_told_by_its_place() -> None:
    assert folded(OPEN, START, SEATS).ignored == {2: NobodySeated()}


def test_another_log_is_folded_from_its_first_entry() -> None:
    known = folded(OPEN, SEATS, START, fact("branch", 2000, table=2))
    assert str(known.place) == "e1.1.4"
    known.begin("e2")
    assert str(known.place) == "e2.0.0"
    assert known.evening.rules is None


def test_a_place_reads_back_and_nothing_else_does() -> None:
    place = LogPlace("5f21c09e", 2, 812)
    assert LogPlace.parse(str(place)) == place
    for text in ("", "5f", "5f.1", "5f.1.x", ".0.1", "5f.-1.3", "5f.0.1.2"):
        assert LogPlace.parse(text) is None


def test_the_dice_of_a_round_are_forgotten_with_the_next_one_and_their_faces_counted() -> None:
    rolls = [fact("roll", 2000 + n, table=1, dice=dice) for n, dice in enumerate(([1, 2, 4], [1, 1, 6]))]
    recent = folded(OPEN, SEATS, START, *rolls).recent
    assert (recent.dice, recent.last_rolls) == ({4: (1, 2, 4), 5: (1, 1, 6)}, {1: 5})
    recent.add(6, START)
    assert (recent.dice, recent.last_rolls) == ({}, {})
    assert recent.fell == {1: [3, 1, 0, 1, 0, 1]}
