import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.processes import WAIT, head
from pi_bunco.cli import host, main
from pi_bunco.rules.load import parse_settings
from pi_bunco.wire import topics
from pi_bunco.wire.broker import Broker

Said = pytest.CaptureFixture[str]
PEOPLE = "Ann, Bob,Cat,Dee,Eve,Flo,Gus"
PATIENT = ("--wait", f"{WAIT}")


def arguments(*words: str) -> dict[str, Any]:
    """What goes to the head."""
    parser = argparse.ArgumentParser()
    host.add_arguments(parser)
    return host._arguments(parser.parse_args(words))


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
    "undo 2 --seq 41": {"table": 2, "seq": 41},
    "turn 2 c": {"table": 2, "seat": "C", "rolls": 0},
    "turn 2 C --rolls 1": {"table": 2, "seat": "C", "rolls": 1},
    "confirm 2": {"table": 2},
    "hand 2 on": {"table": 2, "allowed": True},
    "hand 2 off": {"table": 2, "allowed": False},
    "substitute Ann Zoe": {"out": "Ann", "in": "Zoe"},
    "arrive Zoe": {"player": "Zoe"},
    "leave Zoe": {"player": "Zoe"},
    "silence 10": {"minutes": 10},
}


@pytest.mark.parametrize("words", WORDS)
def test_words_become_the_arguments_of_the_command(words: str) -> None:
    assert arguments(*words.split()) == WORDS[words]


def test_an_evening_is_opened_with_all_that_it_needs(tmp_path: Path) -> None:
    (tmp_path / "names").write_text("Ann\n\n Bob \nCat\nDee\n")
    (tmp_path / "house.toml").write_text('preset = "gong"\nturn.mini_ends = false\n')
    found = arguments(
        "open", "--rules", "bonko", "--players-file", f"{tmp_path}/names", "--sets", "1", "--seed", "7",
        "--set", "end.points=30", "--set", "after_bell=finish_turn",
    )  # fmt: skip
    overrides = parse_settings(["end.points=30", "after_bell=finish_turn"])
    players = ["Ann", "Bob", "Cat", "Dee"]
    assert found == {"rules": "bonko", "overrides": overrides, "players": players, "sets": 1, "seed": 7}
    house = arguments("open", "--rules", f"{tmp_path}/house.toml", "--players", "a,b")
    assert (house["rules"], house["overrides"]) == ("gong", {"turn.mini_ends": False})


@pytest.fixture
def hall(broker: Broker, tmp_path: Path) -> Iterator[Broker]:
    """A hall with a head and no table."""
    with head(broker, tmp_path / "head", "--no-bell-limits") as referee:
        referee.ready()
        yield broker


def test_a_host_is_answered_in_sentences(hall: Broker, capsys: Said) -> None:
    """Every command once, at tables of which none is there."""

    def tell(words: str) -> str:
        capsys.readouterr()
        status = main(["host", *words.split(), "--broker", hall.address, *PATIENT])
        out, error = capsys.readouterr()
        assert (status, bool(out), bool(error)) == ((1, False, True) if error else (0, True, False)), error
        return (out or error).strip()

    assert tell("status").startswith("No evening is open.\nThe head is ")
    assert tell("draw") == "Refused: No evening is open."
    assert tell("bell-test") == "The bell is tested: listen."
    names = PEOPLE.replace(" ", "")
    assert tell(f"open --rules bonko --players {names}") == "The evening is open; draw the seats next."
    assert tell("draw") == "The seats are drawn."
    assert tell("seats Ann,Bob,Cat,Dee Eve,Flo,Gus") == (
        "Refused: Seats set: expected array of length 4, got 3 at tables[1]."
    )
    assert tell("seats Ann,Bob,Cat,Dee Eve,Flo,Gus,Ghost").startswith("Refused: Everybody needs one seat")
    assert tell("arrive Hal") == "Hal takes the seat of a ghost."
    assert tell("leave Hal") == "Hal has left; a ghost takes the seat."
    assert tell("substitute Gus Zoe") == "Zoe plays for Gus."
    assert tell("pause 5") == "The break has begun."
    assert tell("status").startswith("bonko: a break; 0 of 12 rounds played.\nTable 1: A ")
    assert tell("resume") == "The break is over."
    assert tell("resume") == "Refused: There is no break."
    assert tell("start") == (
        "Refused: Table 1: not heard yet; is it switched on? Table 2: not heard yet; is it switched on?"
    )
    assert tell("bypass 1") == "Nobody waits for table 1."
    assert tell("restore 1") == "Table 1 is waited for again."
    assert tell("start --bypass 1 2") == "The round has started."
    assert tell("hand 1 on") == "Table 1: entry by hand is allowed."
    assert tell("hand 1 off") == "Table 1: entry by hand is not allowed while the dice work."
    assert tell("turn 2 C") == "Table 2: C's turn."
    assert tell("turn 9 C") == "Refused: There is no table 9, tables are 1 to 2."
    assert tell("undo 2").startswith("Refused: ")
    assert tell("end") == "The round is ended; the bell rings."
    assert tell("end") == "Refused: The bell has rung already."
    assert tell("void") == "The bell is void; the round goes on."
    assert tell("decide 2 THEM") == "Table 2: THEM wins."
    assert tell("reopen 2") == "Table 2's result is open again."
    assert tell("end") == "The round is ended; the bell rings."
    assert tell("confirm 1") == "Table 1 is confirmed."
    assert tell("cancel") == "The round is cancelled: it never happened."
    assert tell("silence 1") == "The horn is silent for 1 minutes."
    assert tell("silence 0") == "The horn sounds again."
    assert tell("close") == "The evening is closed."
    assert tell("status").startswith("bonko: the evening is over; 0 of 12 rounds played.\n")


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
        "classic, set 1, round 1: the round is open; 0 of 12 rounds played.",
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
    assert says("cannot be reached: Connection refused.")


WRONG = {
    ("status",): "--broker is missing",
    ("open", "--broker", "h"): "say who plays",
    ("open", "--broker", "h", "--players", "a", "--players-file", "b"): "say who plays",
    ("open", "--broker", "h", "--players-file", "/none"): "--players-file /none cannot be read",
    ("open", "--broker", "h", "--players", "a", "--set", "x"): "should be KEY=VALUE",
    ("open", "--broker", "h", "--players", "a", "--rules", "/none.toml"): "/none.toml: No such file",
    ("draw", "--broker", "h", "--user", "Ann B"): "--user Ann B is not allowed",
    ("draw", "--broker", "h", "--hall", "../x"): "--hall ../x is not allowed",
}


@pytest.mark.parametrize("words", WRONG, ids=" ".join)
def test_bad_options_are_told_in_a_sentence(words: tuple[str, ...], capsys: Said) -> None:
    assert main(["host", *words]) == 2
    out, said = capsys.readouterr()
    assert out == ""
    assert said.startswith("pi-bunco host: ")
    assert WRONG[words] in said


@pytest.mark.parametrize("words", ["start --bypass two", "decide 2 ME", "turn 2 E", "hand 2 maybe", "fly"])
def test_words_that_are_none_of_ours_are_refused(words: str, capsys: Said) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["host", *words.split(), "--broker", "h"])
    assert caught.value.code == 2
    assert "error: " in capsys.readouterr().err


def test_every_command_of_the_protocol_can_be_said() -> None:
    said = {verb.command for verb in host.VERBS.values()}
    assert said == {
        "evening_open", "seats_draw", "seats_set", "round_start", "round_end", "pause", "resume", "bypass",
        "restore", "decide", "undo", "turn", "bell_void", "round_cancel", "reopen", "hand", "confirm",
        "substitute", "arrive", "leave", "silence", "bell_test", "evening_close",
    }  # fmt: skip
    assert topics.up("home", topics.HOST_CLI, "command")


def test_a_host_who_may_not_read_the_password_is_told_to_use_sudo(
    capsys: Said, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    words = ["host", "status", "--broker", "127.0.0.1:1", "--secrets", str(tmp_path)]
    assert main(words) == 2
    assert "is for root alone: use sudo" in capsys.readouterr().err
