"""A season: cards added up per person, records, money to the coin, and every die over time."""

from pathlib import Path
from typing import Any

import pytest

from game.evenings import Play
from pi_bunco.cli import main
from pi_bunco.cli.evenings import dice_lines
from pi_bunco.game import codec, facts
from pi_bunco.game.season import Played, PlayerTotal, Season, season, spellings


def played(label: str, names: str, rolls: str = "", pot: str | None = None, **overrides: Any) -> Played:
    """An evening of one round: the first table rolls `rolls`, US wins."""
    play = Play.of([names.split(",")], "gong", **overrides).open()
    play.evening.pot = pot
    play.roll(1, rolls)
    play.decide("US")
    play.say("evening_close")
    return Played(label, play.evening, play.log)


FIRST = played("May", "Ann,Bob,Cat,Dee", "B", pot="60.00")
SECOND = played("June", "BOB,Robert, ann ,Eve", "B", pot="30.000", prize_tie="split")


def player(found: Season, name: str) -> PlayerTotal:
    return next(one for one in found.players if one.name == name)


def test_names_that_differ_in_case_and_spaces_are_one_person() -> None:
    found = season([FIRST, SECOND])
    assert sorted(one.name for one in found.players) == ["Ann", "Bob", "Cat", "Dee", "Eve", "Robert"]
    assert (player(found, "Ann").evenings, player(found, "Ann").wins) == (2, 2)
    assert (player(found, "Bob").wins, player(found, "Bob").losses, player(found, "Bob").buncos) == (1, 1, 1)


def test_the_host_merges_names() -> None:
    found = season([FIRST, SECOND], {"robert": "bob"})
    assert player(found, "Bob").evenings == 2  # twice at one table in June, but one evening
    assert (player(found, "Bob").wins, player(found, "Bob").losses) == (1, 2)
    assert season([FIRST], {"Bob": "Cat", "Cat": "Bob"}).players  # a circle does no harm


def test_the_second_of_two_merged_names_stays() -> None:
    may, june = played("May", "Rob,Bob,Cat,Dee"), played("June", "Robert,Bob,Cat,Dee")
    assert [player(season([may, june], {"rob": "robert"}), "Robert").evenings] == [2]
    assert [player(season([may], {"Rob": " Old  Rob "}), "Old Rob").evenings] == [1]


def test_money_is_added_to_the_smallest_coin_of_any_evening() -> None:
    found = season([FIRST, SECOND], dues="5")
    assert player(found, "Ann").won == "38.250"  # Buncos 24.00, score 12.00, in June half of 4.500
    assert player(found, "Ann").dues == "10.000"
    assert player(found, "Bob").won == "20.250"  # Buncos 12.000, score 6.000, half of the wins' 4.500
    assert (player(found, "Ann").champion, player(found, "Bob").champion) == (1, 1)


def test_two_evenings_of_one_day_are_two() -> None:
    found = season([FIRST, Played("May", SECOND.evening, SECOND.log)])
    assert player(found, "Ann").won == "38.250"


def test_records_name_a_person_once_however_the_name_is_spelt() -> None:
    found = season([FIRST, Played("June", SECOND.evening, SECOND.log)])
    assert {record.mark: record.names for record in found.records}["wins"] == ("Ann", "Cat", "Bob")


def test_records_name_everybody_who_reached_them() -> None:
    found = season([FIRST, SECOND])
    buncos = next(record for record in found.records if record.mark == "buncos")
    assert (buncos.value, buncos.names, buncos.evenings) == (1, ("Ann", "Bob"), ("May", "June"))


def test_an_evening_that_is_not_over_has_no_prizes() -> None:
    play = Play("gong").round()
    found = season([Played("now", play.evening, play.log)])
    assert found.unfinished == ("now",)
    assert all(one.prizes == 0 for one in found.players)


def test_every_die_is_followed_and_a_loaded_one_named() -> None:
    log: list[facts.Fact] = []
    for k in range(600):
        log.append(facts.Roll(k, 2, (k % 6 + 1, 6 if k % 2 else k % 6 + 1, k // 6 % 6 + 1)))
    found = season([Played("May", Play("gong").evening, log)])
    assert [(one.table, one.die, sum(one.faces)) for one in found.dice] == [
        (2, 1, 600),
        (2, 2, 600),
        (2, 3, 600),
    ]
    assert dice_lines(found)[0].startswith(
        "Look at die 2 of table 2: its faces 1 to 6 fell 100, 0, 100, 0, 100, 300"
    )
    fair = season(
        [Played("May", Play("gong").evening, [*log[:1], *[facts.Roll(0, 1, (k, k, k)) for k in range(1, 7)]])]
    )
    assert dice_lines(fair) == ["Dice: no sign of bias in 21 rolls of 6 dice."]


def test_the_command_prints_a_season(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = []
    for one in (FIRST, SECOND):
        files.append(tmp_path / f"{one.label}.jsonl")
        files[-1].write_bytes(b"\n".join(codec.encode(fact) for fact in one.log))
    paths = [str(file) for file in files]
    assert main(["season", *paths, "--merge", "Robert=Bob", "--dues", "5.00"]) == 0
    shown = capsys.readouterr().out
    assert "A season of 2 evenings" in shown
    assert "Most Buncos in an evening: 1, Ann, Bob (" in " ".join(shown.split())
    assert main(["season", *paths, "--csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("Ann,2,2,0,1,")
    assert main(["season", *paths, "--json"]) == 0
    assert '"records"' in capsys.readouterr().out
    assert main(["season", *paths, "--merge", "Rob=Bob", "--csv"]) == 0
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "Nobody is called Rob: that merge changes nothing."
    assert told[2] == "Bob and BOB count as one person; if they are not: --apart 'Bob'"
    assert main(["season", *paths, "--merge", "Robert"]) == 2
    assert "--merge Robert should be two names" in capsys.readouterr().err


def test_an_evening_that_is_named_twice_counts_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [codec.encode(fact) for fact in FIRST.log]
    lines[0] = lines[0].replace(b'"id":""', b'"id":"5f21c09e"')
    for name, kept in (("part", lines[:-1]), ("whole", lines), ("copy", lines)):
        (tmp_path / name).write_bytes(b"\n".join(kept))
    paths = [str(tmp_path / name) for name in ("part", "whole", "copy")]
    assert main(["season", *paths, "--csv"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[1].startswith("Ann,1,1,0,1,")
    assert err == "Evening 5f21c09e is there twice: it counts once.\n" * 2


def test_two_names_of_one_evening_stay_two_persons_and_apart_keeps_them_so_in_several() -> None:
    both = played("May", "Ann,Bob,Cat,ann")
    assert [one.name for one in season([both]).players if one.name.lower() == "ann"] == ["Ann", "ann"]
    evenings = [played("May", "Ann,Bob,Cat,Dee"), played("June", "ann,Bob,Cat,Dee")]
    assert spellings(evenings) == [("Ann", "ann")]
    assert len(season(evenings).players) == 4
    assert len(season(evenings, apart=["Ann"]).players) == 5
