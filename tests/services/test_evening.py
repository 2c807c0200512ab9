from pathlib import Path

import pytest

from pi_bunco.game.replay import evening_report, replay, report
from pi_bunco.log import journal
from pi_bunco.play.people import Habits
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
