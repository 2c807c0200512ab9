import argparse
import json
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from cli.processes import WAIT, head
from game.evenings import Play
from logs import entry
from pi_bunco.cli import ask, host, main
from pi_bunco.cli.ask import in_language, place
from pi_bunco.cli.host import ResultLines
from pi_bunco.cli.host_arguments import given, seconds_until
from pi_bunco.game import facts
from pi_bunco.game.board import TableBoard
from pi_bunco.game.evening import Evening
from pi_bunco.game.prizes import results
from pi_bunco.game.reasons import NobodySeated
from pi_bunco.game.scoreboard import scoreboard
from pi_bunco.head.reasons import PressOk, TableGoesOn
from pi_bunco.log.entry import Origin
from pi_bunco.log.journal import Journal
from pi_bunco.log.records import StrayFact
from pi_bunco.reason import Coded
from pi_bunco.rules.load import parse_settings
from pi_bunco.runtime.writer import Reports
from pi_bunco.table.reasons import CallsForHost
from pi_bunco.wire import topics
from pi_bunco.wire.arguments import arguments as checked
from pi_bunco.wire.broker import Broker
from pi_bunco.wire.commands import COMMANDS, OpenEvening
from pi_bunco.wire.messages import BoardMessage, HeadStatus
from pi_bunco.words.catalogue import LANGUAGES, texts

Said = pytest.CaptureFixture[str]
PEOPLE = "Ann, Bob,Cat,Dee,Eve,Flo,Gus"
PATIENT = ("--wait", f"{WAIT}")


def parsed(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    host.add_arguments(parser)
    return parser.parse_args(words)


def arguments(*words: str) -> dict[str, Any]:
    """The arguments that go to the head."""
    options = parsed(*words)
    return given(host.COMMANDS_BY_WORD[options.word], options)


@pytest.mark.parametrize(
    ("at", "seconds"), [("21:30", 5400), ("0:15", 15_300), ("20:00", 86_400), ("9:5", 47_100)]
)
def test_an_end_by_the_time_of_the_day_is_so_many_seconds_from_now(at: str, seconds: int) -> None:
    assert seconds_until(at, datetime(2026, 11, 26, 20, 0)) == seconds
    assert 0 < arguments("pace", "--end-by", at)["end_in_s"] <= 86_400
    assert arguments("pace", "--end-in-s", "60") == {"end_in_s": 60}


@pytest.mark.parametrize("at", ["25:00", "21.30", "9", "", "21:30:10"])
def test_an_end_that_is_no_time_of_the_day_is_refused(at: str, capsys: Said) -> None:
    with pytest.raises(SystemExit):
        parsed("pace", "--end-by", at)
    assert "a time of the day such as 21:30" in capsys.readouterr().err


WORDS = {
    "draw": {},
    "seats Ann,Bob,Cat,Dee Eve,Flo,Gus,Hal": {
        "tables": [["Ann", "Bob", "Cat", "Dee"], ["Eve", "Flo", "Gus", "Hal"]]
    },
    "start": {},
    "start --bypass 2": {"bypass": [2]},
    "start --bypass 2 3 --bypass 4": {"bypass": [2, 3, 4]},
    "end": {},
    "pause": {},
    "pause 15": {"minutes": 15},
    "bypass 2": {"table": 2},
    "restore 2": {"table": 2},
    "decide 2 us": {"table": 2, "winner": "US"},
    "reopen 2": {"table": 2},
    "undo 2": {"table": 2},
    "undo 2 --n 41": {"table": 2, "n": 41},
    "turn 2 c": {"table": 2, "seat": "C"},
    "turn 2 C --rolls 1": {"table": 2, "seat": "C", "rolls": 1},
    "confirm 2": {"table": 2},
    "hand 2 on": {"table": 2, "allowed": True},
    "hand 2 off": {"table": 2, "allowed": False},
    "substitute Ann Zoe": {"out": "Ann", "in": "Zoe"},
    "arrive Zoe": {"player": "Zoe"},
    "leave Zoe": {"player": "Zoe"},
    "silence 10": {"minutes": 10},
    "tally 3 9/0/1 4 2 21/1": {
        "table": 3,
        "cards": [
            {"points": 9, "buncos": 0, "minis": 1},
            {"points": 4},
            {"points": 2},
            {"points": 21, "buncos": 1},
        ],
    },
    "prize buncos Ann Bob": {"for": "buncos", "to": ["Ann", "Bob"]},
    "rolloff champion Ann=5 Bob=3-4-6 --group 1": {
        "for": "champion",
        "dice": {"Ann": [5], "Bob": [3, 4, 6]},
        "group": 1,
    },
    "stage": {},
    "close": {},
    "close --unfinished": {"unfinished": True},
    "light 3": {"table": 3},
    "branch 0": {"table": 0},
    "go-on": {},
    "reopen-evening": {},
}


@pytest.mark.parametrize("words", WORDS)
def test_words_become_the_arguments_of_the_command(words: str) -> None:
    assert arguments(*words.split()) == WORDS[words]


@pytest.mark.parametrize("words", WORDS)
def test_no_argument_of_a_command_is_taken_for_a_setting(words: str) -> None:
    assert place(parsed(*words.split(), "--broker", "pi:1883")).address.host == "pi"


def test_an_evening_is_opened_with_all_that_it_needs(tmp_path: Path) -> None:
    (tmp_path / "names").write_text("Ann\n\n Bob \nCat\nDee\n")
    (tmp_path / "house.toml").write_text('preset = "gong"\nturn.mini_ends = false\n')
    found = arguments(
        "open", "--rules", "bonko", "--players-file", f"{tmp_path}/names", "--sets", "1", "--seed", "7",
        "--set", "end.points=30", "--set", "after_bell=finish_turn", "--name", "Ours", "--pot", "60.00",
        "--groups", "1,2", "3", "--replace",
    )  # fmt: skip
    overrides = parse_settings(["end.points=30", "after_bell=finish_turn"])
    players = ["Ann", "Bob", "Cat", "Dee"]
    assert found == {
        "rules": "bonko", "overrides": overrides, "players": players, "sets": 1, "seed": 7,
        "name": "Ours", "pot": "60.00", "groups": [[1, 2], [3]], "replace": True,
    }  # fmt: skip
    assert isinstance(checked("evening_open", found), OpenEvening)
    house = arguments("open", "--rules", f"{tmp_path}/house.toml", "--players", "a,b")
    assert (house["rules"], house["overrides"]) == ("gong", {"turn.mini_ends": False})


@pytest.fixture
def hall(broker: Broker, tmp_path: Path) -> Iterator[Broker]:
    """A hall with a head and no table."""
    with head(broker, tmp_path / "head", "--no-bell-limits") as referee:
        referee.ready()
        yield broker


def test_a_host_is_answered_in_sentences(hall: Broker, capsys: Said) -> None:
    """The answer to each command is tested in tests/services/test_answers.py."""

    def tell(words: str) -> str:
        capsys.readouterr()
        status = main(["host", *words.split(), "--broker", hall.address, *PATIENT])
        out, error = capsys.readouterr()
        assert (status, bool(out), bool(error)) == ((1, False, True) if error else (0, True, False)), error
        return (out or error).strip()

    def shows(first: str) -> bool:
        """The scoreboard comes a moment after the answer."""
        return any(tell("status").startswith(first) for _ in range(20))

    shown = tell("status").splitlines()
    assert shown[0] == "No evening is open."
    assert shown[-1].startswith("The head is ")
    assert tell("draw") == "Refused: No evening is open."
    assert tell("bell-test") == "The bell rings."
    names = PEOPLE.replace(" ", "")
    assert tell(f"open --rules bonko --players {names}") == (
        "The evening is open: 7 players and 1 ghost at 2 tables, 12 rounds.\nDraw the seats next."
    )
    assert shows("Bonko: the seats are not drawn yet; 0 of 12 rounds played.")
    assert tell("draw") == "The seats are drawn at 2 tables."
    assert shows("Bonko: everybody has a seat; 0 of 12 rounds played.")
    assert tell("pause 5") == "The break of 5 minutes has begun."
    assert shows("Bonko: a break; 0 of 12 rounds played.\nTable 1: A ")
    assert tell("resume") == "The break is over."
    assert tell("resume") == "Refused: There is no break."
    assert tell("start").startswith("Refused: Table 1: not heard yet; is it switched on? Table 2: ")
    assert tell("start").endswith("\nTo do it all the same, add --bypass 1 2.")
    assert tell("start --bypass 1 2").startswith("Set 1, round 1 has started: the target is 1.\n")
    assert tell("turn 9 C") == "Refused: There is no table 9, tables are 1 to 2."
    assert tell("end") == "The round is ended.\nOK is missing at tables 1 and 2."
    assert tell("decide 1 us").startswith("Table 1: US 0, THEM 0; US wins (")
    assert tell("close") == (
        "Refused: A round is running. The evening can be closed all the same, and opened again until the next"
        " one is.\nTo do it all the same, add --unfinished."
    )
    assert tell("close --unfinished").startswith("The evening is closed, with 0 of 12 rounds played.\n")
    assert shows("Bonko: the evening is over; 0 of 12 rounds played.\n")
    assert tell("start").endswith("\nTo go on: pi-bunco host reopen-evening")
    assert tell("reopen-evening") == "The evening goes on.\nOK is missing at table 2."


@pytest.mark.parametrize(
    ("variable", "value", "refusal"),
    [
        ("LANG", "de_DE.UTF-8", "Abgelehnt: Kein Abend ist offen."),
        ("LANGUAGE", "fr:de", "Abgelehnt: Kein Abend ist offen."),
        ("LC_ALL", "fr_FR.UTF-8", "Refused: No evening is open."),
    ],
)
def test_a_host_is_answered_in_the_language_of_the_terminal(
    hall: Broker, capsys: Said, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, refusal: str
) -> None:
    monkeypatch.setenv(variable, value)
    assert main(["host", "draw", "--broker", hall.address, *PATIENT]) == 1
    assert capsys.readouterr().err.strip() == refusal


def test_status_and_results_of_a_german_terminal_have_no_english_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All of a line but names, points and dice is said in the language of the terminal."""
    play = Play("bonko", end__points=25).open()
    boards = [scoreboard(play.evening, {}), scoreboard(Evening(), {})]
    play.roll(1, "B...B.")
    boards.append(scoreboard(play.evening, {1: (3, facts.Roll(0, 1, (1, 1, 1)))}))
    play.decide("US", "US")
    waits = TableGoesOn(2, CallsForHost()), PressOk(1), NobodySeated()
    waiting = {
        "waiting": tuple(why.english() for why in waits),
        "waiting_at": (2, 1, 0),
        "reasons": tuple(map(Coded.of, waits)),
    }
    between = replace(scoreboard(play.evening, {}), left_out=("tables",), **waiting)
    head = HeadStatus("online", "s", host="pi", version="1")
    told: dict[str, set[str]] = {}
    for lang in LANGUAGES:
        monkeypatch.setenv("LANG", f"{lang}_{lang.upper()}.UTF-8")
        words = ask.StandingWords(texts(lang))
        lines = [
            line
            for board in (*boards, between)
            for line in words.lines(ask.Standing(head, None, BoardMessage("e", board)))
        ]
        play.say("evening_close")
        ended = results(play.evening, "60.00")
        assert ended
        told[lang] = {*lines, *ResultLines(texts(lang)).lines(ended)}
        assert len(told[lang]) > 20
    assert "Tisch 2 ruft die Leitung." in told["de"]
    assert told["en"] & told["de"] == set()


def test_unknown_reason_of_a_newer_head_is_shown_in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    assert in_language(["It is so.", "No evening is open."], [Coded("of_tomorrow")]) == [
        "It is so.",
        "No evening is open.",
    ]


def test_the_status_is_what_the_head_tells_everybody(hall: Broker, capsys: Said) -> None:
    common = ["host", "--broker", hall.address, *PATIENT]
    assert main([*common, "open", "--players", PEOPLE]) == 0
    assert main([*common, "seats", "Ann,Bob,Cat,Dee", "Eve,Flo,Gus,Ghost 1"]) == 0
    assert main([*common, "start", "--bypass", "1", "2"]) == 0
    capsys.readouterr()
    assert main([*common, "status", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["head"]["state"] == "online"
    assert told["round"]["evening"] == told["score"]["evening"] == told["head"]["evening"]
    assert main([*common, "status"]) == 0
    assert capsys.readouterr().out.splitlines()[:3] == [
        "Classic, set 1, round 1, target 1: the round is running; 0 of 12 rounds played.",
        "Table 1: Ann and Cat 0, Bob and Dee 0; Ann's turn.",
        "Table 2: Eve and Gus 0, Flo and Ghost 1 0; Eve's turn.",
    ]


def test_the_journal_says_who_asked(hall: Broker, tmp_path: Path, capsys: Said) -> None:
    common = ["host", "--broker", hall.address, *PATIENT]
    assert main([*common, "open", "--players", PEOPLE, "--user", "host-ann"]) == 0
    assert main([*common, "draw"]) == 0
    capsys.readouterr()
    assert main(["export", "--data", str(tmp_path / "head")]) == 0
    asked = [json.loads(line)["by"] for line in capsys.readouterr().out.splitlines()]
    assert asked == ["host-ann", topics.HOST_CLI]


def test_without_a_broker_or_a_head_it_says_so(broker: Broker, tmp_path: Path, capsys: Said) -> None:
    common = ["host", "--broker", broker.address]

    def refused() -> str:
        capsys.readouterr()
        assert main([*common, "start", "--wait", "0.5"]) == 2
        return capsys.readouterr().err

    def says(words: str) -> bool:
        """On a busy machine the host may not wait for long enough."""
        return any(words in refused() for _ in range(int(WAIT)))

    assert refused().startswith(f"pi-bunco host: No head answers at {broker.address}: ")
    with head(broker, tmp_path / "head") as referee:
        referee.ready()
        assert main([*common, "status", *PATIENT]) == 0
        assert referee.terminate() == (0, "")
    assert says("It is switched off; start it with pi-bunco head.")
    broker.kill()
    assert says("cannot be reached: Connection refused. Is the head's Pi switched on, ")


def test_every_command_of_the_protocol_can_be_said() -> None:
    assert {kind.name for kind in host.COMMANDS_BY_WORD.values()} == set(COMMANDS)
    assert not set(host.COMMANDS_BY_WORD) & set(host.SHOWING_WORDS)


def test_a_host_who_may_not_read_the_password_is_told_to_use_sudo(
    capsys: Said, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    words = ["host", "status", "--broker", "127.0.0.1:1", "--secrets", str(tmp_path)]
    assert main(words) == 2
    assert "is for root alone: use sudo" in capsys.readouterr().err


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A head's folder with two evenings; of the second a roll did not count, and two facts are set aside."""
    store = Journal(tmp_path / "journal.db", Reports(lambda _: None, pytest.fail))
    names = ("Ann", "Bob", "Cat", "Dee")
    store.keep("opened second", 1_800_000_000.0)
    store.append(entry("first", 1, facts.EveningOpen(0, "bonko", names, id="first")))
    store.append(entry("second", 1, facts.EveningOpen(0, "gong", names, id="second")))
    store.append(entry("second", 2, facts.Seating(5, (names,))))
    store.append(entry("second", 3, facts.Undo(7, 1)))
    store.set_aside(StrayFact("first", Origin(2, "s", 1), {"kind": "roll", "dice": [1, 4, 6]}))
    store.set_aside(StrayFact("first", Origin(2, "s", 2), {"kind": "roll", "call": "mini"}))
    store.set_aside(StrayFact("first", Origin(2, "s", 3), {"kind": "\x1b[2J", "dice": ["\u202e"]}))
    assert store.close(30) == []
    return tmp_path


def test_the_evenings_are_listed_with_their_dates(data: Path, capsys: Said) -> None:
    assert main(["host", "evenings", "--data", str(data)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "first  date unknown  bonko  1 facts  4 players: Ann, Bob, Cat, Dee",
        "second  15 January 2027, 08:00 UTC  gong  3 facts  4 players: Ann, Bob, Cat, Dee",
    ]


def test_an_evening_that_a_head_opens_has_its_date(hall: Broker, tmp_path: Path, capsys: Said) -> None:
    assert main(["host", "open", "--players", PEOPLE, "--broker", hall.address, *PATIENT]) == 0
    capsys.readouterr()
    assert main(["host", "evenings", "--data", str(tmp_path / "head")]) == 0
    assert re.search(r"  \d\d \w+ \d{4}, \d\d:\d\d UTC  classic  ", capsys.readouterr().out)


def test_ignored_facts_are_listed_for_review(
    data: Path, capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["host", "review", "--data", str(data)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "No. 3, table 1, undo does not count: no round is open.",
        "Table 2 sent roll 1-4-6 for evening first; it is kept apart and does not count.",
        "Table 2 sent roll mini for evening first; it is kept apart and does not count.",
        "Table 2 sent ?[2J ? for evening first; it is kept apart and does not count.",
    ]
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    assert main(["host", "review", "--data", str(data)]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == [
        "Nr. 3, Tisch 1, undo zählt nicht: keine Runde ist offen.",
        "Tisch 2 schickte roll 1-4-6 zum Abend first; das liegt beiseite und zählt nicht.",
    ]
    assert main(["host", "review", "--data", str(data / "none")]) == 2
    assert "there is no journal" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ((3, 5), "Ann and Cat 3, Bob and Dee 5"),
        ((3, 5, 0, 1), "Ann 3, Bob 5, Cat 0, Dee 1"),
        ((9,), "Ann, Bob, Cat and Dee 9"),
    ],
)
def test_the_status_has_the_points_of_every_side(points: tuple[int, ...], words: str) -> None:
    seats = ("Ann", "Bob", "Cat", "Dee")
    table = TableBoard(2, seats, points, "A", 0, "playing", None, None, None, (0, 0))
    assert ask.StandingWords(texts("en")).table(table) == f"Table 2: {words}; Ann's turn."
