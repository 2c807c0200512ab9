"""No number that a table tells of ends an evening or a head: it is a sentence, and chooses no number.

Each trace can be replayed: `open`, `round_start` and `evening_open` are host commands, the rest is what one
table publishes with its own account, within the schema.
"""

from typing import Any

import pytest

from pi_bunco.game import facts
from pi_bunco.game.facts import Rolled
from pi_bunco.game.fields import LATEST_MS
from pi_bunco.head.evening_log import PASSED_OVER, following
from pi_bunco.head.reasons import Refused, RoundAhead
from pi_bunco.log.entry import MAX_INT, ReplicaClaim
from pi_bunco.wire.messages import Beat, Envelope, Status
from services.hall import ONE, Hall
from services.in_a_round import in_a_round, points, recovered

__all__ = ["in_a_round"]


def says(hall: Hall, table: int, leaf: str, message: Any) -> None:
    hall.says(table, leaf, message)
    hall.wait(100)


def tells_of_round(hall: Hall, table: int, epoch: int) -> None:
    """A fact of a round, of a stream of its own."""
    evening, fact = hall.evening.id, Rolled(ONE, source="dice")
    says(hall, table, "fact", Envelope(1, evening, "mad", 1, 1, epoch, 1, 1.0, 1, "b", fact))


def birth(hall: Hall, epoch: int | None = None, no: int = 1) -> Status:
    claim = ReplicaClaim(hall.evening.id, no, 0, MAX_INT, "0" * 32)
    return Status("online", "mad", "1", "b", epoch, 1, (("mad", MAX_INT),), claim)


@pytest.mark.parametrize("how", ["fact", "birth"])
def test_a_round_that_nobody_can_have_played_does_not_stop_the_next_one(hall: Hall, how: str) -> None:
    """Trace: round open; table 3 tells of round 2^53-1; `round_end`, OKs; `round_start`; table 2 throws.

    The round opened as 2^53, which every table dropped: three acknowledged throws were nowhere.
    """
    if how == "fact":
        tells_of_round(hall, 3, MAX_INT)
    else:
        says(hall, 3, "status", birth(hall, MAX_INT))
    hall.do("round_end")
    hall.until(lambda: hall.evening.round is None)
    hall.wait(2000)
    hall.do("round_start", bypass=[3])
    hall.wait(1000)
    assert 1 + PASSED_OVER <= hall.evening.epoch < 2 * PASSED_OVER
    hall.tables[2].throw((2, 3, 4))
    hall.wait(1000)
    assert points(hall)[1] == [1, 0]


@pytest.mark.parametrize(("told", "stands"), [(MAX_INT, True), (3, False)])
def test_a_round_that_the_log_does_not_have_is_a_sentence_of_who_tells_so(
    hall: Hall, told: int, stands: bool
) -> None:
    """Nobody can tell a table that is wrong from a log that lost its end before the next round has begun."""
    tells_of_round(hall, 3, told)
    ahead = RoundAhead(3, told, 1)
    assert ahead in hall.head.referee._look_for_faults()
    assert ahead.english().startswith(f"Table 3 tells of round {told}")
    hall.do("round_end")
    hall.until(lambda: hall.evening.round is None)
    hall.do("round_start", bypass=[3])
    tells_of_round(hall, 3, told)
    still = [one for one in hall.head.referee._look_for_faults() if isinstance(one, RoundAhead)]
    assert still == ([RoundAhead(3, told, hall.evening.epoch)] if stands else [])


def test_an_evening_that_nobody_can_verify_does_not_end_the_head(hall: Hall) -> None:
    """Trace: round open; table 3's birth claims `replica.no` 2^53-1; `evening_open`; the head restarts.

    The head exited at the opening, and the restart set its whole journal aside.
    """
    says(hall, 3, "status", birth(hall, no=MAX_INT))
    hall.open(12, "bonko")
    evening = hall.evening
    hall.kill(hall.head)
    assert recovered(hall)[0].evening == evening.id
    opening = hall.head.referee.log.entries[0].decoded()
    assert isinstance(opening, facts.EveningOpen)
    assert opening.no == 1 + PASSED_OVER


def test_a_beat_of_the_greatest_numbers_is_shown(hall: Hall) -> None:
    says(hall, 3, "beat", Beat(MAX_INT, MAX_INT, float(MAX_INT), replica=MAX_INT, pressed={"ok": MAX_INT}))
    hall.wait(1000)
    assert hall.ask("round_end").done


def test_the_number_behind_any_that_is_claimed_is_acceptable() -> None:
    assert following(4, 0) == following(4, 4) == 5
    assert following(4, 5) == following(4, MAX_INT) == 4 + PASSED_OVER


def test_a_round_that_was_lost_behind_another_that_was_is_missing_and_not_opened_again(hall: Hall) -> None:
    """Trace: all cards lose the log, a round is opened behind that ten minutes later, and all cards lose that
    one, too; the head said that no head had opened it.
    """
    lost = following(1, 2, 600_000)
    tells_of_round(hall, 3, lost)
    assert RoundAhead(3, lost, 1) in hall.head.referee._look_for_faults()
    assert following(1, lost, 601_000) > lost


@pytest.mark.parametrize("boot", ["boot1", "boot2"])
def test_an_evening_clock_of_25_days_makes_no_fact_that_cannot_be_read(hall: Hall, boot: str) -> None:
    """Trace: an evening is open for 25 days, then the host ends the round; head or machine restarts."""
    log = hall.head.referee.log
    log.began_at(log.began - LATEST_MS - 86_400_000)
    hall.do("round_end")
    hall.wait(100)
    entries = len(log.entries)
    assert log.last_t == LATEST_MS
    hall.kill(hall.head)
    hall.boot = boot
    assert len(recovered(hall)) >= entries
    assert hall.ask("evening_close", unfinished=True).done


def test_a_fact_that_could_not_be_read_again_does_not_enter_the_log(hall: Hall) -> None:
    log = hall.head.referee.log
    before = len(log.entries)
    with pytest.raises(Refused):
        log.record(facts.Pause(1, by="x" * 65))
    with pytest.raises(Refused):
        log.open_evening(facts.EveningOpen(0, "bonko", ("A", "B", "C", "D"), by="x" * 65), "b", 0.0)
    assert len(log.entries) == before
