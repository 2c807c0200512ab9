"""A tournament under the real head and tables: groups, ties at tables that name them, the grand prize."""

from pathlib import Path
from typing import Any

import pytest

from game.evenings import Play
from pi_bunco.cli.ask import Standing, StandingWords
from pi_bunco.game.replay import replay
from pi_bunco.game.scoreboard import scoreboard
from pi_bunco.game.tournament import Tournament
from pi_bunco.log import journal
from pi_bunco.play.players import Habits
from pi_bunco.wire.messages import BoardMessage, HeadStatus
from pi_bunco.words.catalogue import texts
from services.hall import Hall


def tournament(hall: Hall) -> Tournament:
    found = hall.evening.tournament
    assert found is not None
    return found


@pytest.mark.long
def test_a_tournament_is_played_to_its_grand_prize(tmp_path: Path) -> None:
    hall = Hall(tmp_path, habits=Habits())
    hall.open(12, "tournament", **{"evening.sets": 1})
    evening = hall.evening
    prompts: set[str] = set()
    while tournament(hall).stage != "done":
        if evening.why_not_open() is None:
            hall.play_round()
        elif tournament(hall).next:
            hall.do("stage")
        else:
            shown = hall.tables[1].lights
            prompts.add(shown.message.splitlines()[0] if shown and shown.rolloff else "")
            hall.wait(200)
    assert "Roll for three of a kind" in prompts
    assert (evening.state, len(evening.rounds)) == ("finished", 12)
    assert not hall.ask("stage").done
    hall.do("evening_close")
    hall.close()
    played = replay(list(journal.export(tmp_path / "journal.db")), "export")
    assert played.evening.grand_prize == tournament(hall).winner


def test_the_answers_say_what_a_tournament_waits_for(tmp_path: Path) -> None:
    hall = Hall(tmp_path, tables=3)
    hall.open(12, "tournament", **{"evening.sets": 1})
    for _ in range(6):
        hall.do("round_start")
        for table in (1, 2, 3):
            after = hall.ask("decide", table=table, winner="US").after
    assert any(one.startswith("Table 1: ") and one.endswith(" roll for most Buncos.") for one in after)
    roll_all(hall)
    assert "All is settled; begin the semi-final (stage)." in hall.ask("leave", player=_spare(hall)).after[1:]
    assert hall.ask("stage").done
    spectator = _spare(hall)
    assert hall.ask("leave", player=spectator).after == (f"{spectator} has left.",)
    hall.close()


def test_the_status_names_the_stage() -> None:
    head = HeadStatus("online", "5f21c09e")
    play = Play("tournament", evening__sets=1, evening__faces=[1])
    play.open().decide("US", "THEM")
    standing = Standing(head, None, BoardMessage(None, scoreboard(play.evening, {})))
    assert next(StandingWords(texts("en")).lines(standing)) == (
        "house rules on Tournament, qualification: a break; 1 of 1 rounds played."
    )


def test_a_host_takes_a_throw_between_rounds_back(tmp_path: Path) -> None:
    hall = Hall(tmp_path, tables=3)
    hall.open(12, "tournament", **{"evening.sets": 1})
    for _ in range(6):
        hall.do("round_start")
        for table in (1, 2, 3):
            hall.do("decide", table=table, winner="US")
    tied = tournament(hall).contests[0]
    hall.do("rolloff", **{"for": tied.purpose, "group": 1, "dice": {tied.players[0]: [4]}})
    answer = hall.ask("undo", table=1)
    assert answer.done
    assert answer.after[0] == "The throw is taken back."
    assert tournament(hall).contests[0].thrown == {}
    hall.close()


def test_a_host_leads_a_tournament_by_its_answers(tmp_path: Path) -> None:
    hall = Hall(tmp_path, tables=6)
    overrides: dict[str, Any] = {"evening.sets": 1, "evening.faces": [1]}
    hall.open(24, "tournament", **overrides)
    hall.do("round_start", bypass=[5, 6])
    for table in range(1, 7):
        hall.do("decide", table=table, winner="US")
    tied = [contest.players for contest in tournament(hall).contests]
    names = [f"{', '.join(one[:-1])} and {one[-1]}" for one in tied]
    assert hall.ask("stage").why == (f"{names[0]} still roll for most wins.",)
    dice = [{name: [1 if number else 6] for number, name in enumerate(one)} for one in tied]
    for table, group in ((2, 1), (3, 2), (1, 2)):
        elsewhere = hall.ask(
            "rolloff", **{"for": "wins", "group": group, "dice": dice[group - 1], "table": table}
        )
        assert elsewhere.why == (f"Table {table} is not waited for to roll for that.",)
    several = hall.ask("rolloff", **{"for": "wins", "dice": dice[0]})
    assert several.why == ("The groups 1 and 2 roll for it: say which group.",)
    assert hall.ask("rolloff", **{"for": "wins", "group": 1, "dice": dice[0], "table": 1}).done
    assert hall.ask("rolloff", **{"for": "wins", "dice": dice[1]}).done  # one group is left
    roll_all(hall)
    assert hall.ask("evening_close").why[0] == "The qualification is not over."
    assert hall.ask("stage").after == ("The semi-final begins.", "There is a break; the next round ends it.")
    assert hall.ask("round_start").after == (
        "The break is over.",
        "Set 2, round 1 has started: the target is 1.",
    )
    hall.do("decide", table=1, winner="US")
    roll_all(hall)
    assert hall.ask("stage").after[0] == "The final table rolls for who begins."
    hall.close()


def roll_all(hall: Hall) -> None:
    while tournament(hall).contests:
        tied = tournament(hall).contests[0]
        dice = {name: [1 if number else 6] for number, name in enumerate(tied.players)}
        hall.do("rolloff", **{"for": tied.purpose, "group": tied.group, "dice": dice})


def _spare(hall: Hall) -> str:
    """Somebody without a place."""
    evening = hall.evening
    placed = {place.player for place in tournament(hall).places}
    return next(name for name in evening.people.present if name not in placed)


def test_groups_are_whole_unless_the_host_names_others(tmp_path: Path) -> None:
    hall = Hall(tmp_path, tables=1)
    names = [f"P{number}" for number in range(13)]
    hall.do("evening_open", rules="tournament", players=names)
    evening = hall.evening
    assert (evening.seats.groups, len(evening.people.ghosts)) == (((1, 2, 3), (4, 5, 6)), 11)
    hall.do("evening_open", rules="tournament", players=names, groups=[[1, 2, 3], [4]], replace=True)
    evening = hall.evening
    assert (evening.seats.groups, len(evening.people.ghosts)) == (((1, 2, 3), (4,)), 3)
    hall.do("seats_draw")
    assert hall.evening.tables == 4
    why = hall.ask("evening_open", rules="tournament", players=names, groups=[[1, 2], [4]], replace=True).why
    assert "13 players need 3 ghosts, not 0." in why
    hall.close()


def test_a_thirteenth_guest_comes_when_the_seats_are_drawn_anew(tmp_path: Path) -> None:
    hall = Hall(tmp_path, tables=3)
    hall.open(12, "bonko")
    assert hall.ask("seats_draw", guests=["Mia"]).why == (
        "Mia can come when the first round is over, or now on a ghost's chair.",
    )
    hall.do("round_start")
    for table in (1, 2, 3):
        hall.do("decide", table=table, winner="US")
    assert not hall.ask("arrive", player="Mia").done
    assert hall.ask("seats_draw", guests=["Mia"]).after[0] == "The seats are drawn at 4 tables."
    evening = hall.evening
    assert "Mia" in evening.people.present
    assert sorted(evening.people.ghosts) == ["Ghost 1", "Ghost 2", "Ghost 3"]
    assert not hall.ask("seats_draw", guests=["P1"]).done
    hall.close()
