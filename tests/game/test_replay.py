"""`pi-bunco replay LOG --json`: a log played again, and what is said of one that is broken."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from game.evenings import Play
from pi_bunco.cli import main
from pi_bunco.errors import FactError, LogError
from pi_bunco.game import codec
from pi_bunco.game.reasons import TableDone
from pi_bunco.game.replay import evening_report, replay

EVENING = '{"kind":"evening","t":0,"rules":"bonko","players":["a","b","c","d"]}'
SEATING = '{"kind":"seating","t":0,"tables":[["a","b","c","d"]]}'
OPEN = '{"kind":"round_open","t":1}'
BEGIN = [EVENING, SEATING, OPEN]


def lines(play: Play) -> list[bytes]:
    return [codec.encode(one) for one in play.log]


def answer(tmp_path: Path, capsys: pytest.CaptureFixture[str], *log: str | bytes) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of the command."""
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"\n".join(line.encode() if isinstance(line, str) else line for line in log) + b"\n")
    status = main(["replay", str(path), "--json"])
    out, err = capsys.readouterr()
    return status, out, err.replace(str(path), "LOG")


def test_a_log_written_and_read_again_is_the_same_evening() -> None:
    play = Play("gong", ["abcd", "1fgh"]).open()
    play.roll(1, "12mB")
    play.roll(2, "B")
    play.say("undo", table=1)
    play.decide("US", "THEM")
    play.say("arrive", player="z")
    again = replay(lines(play), "log")
    assert evening_report(again.evening) == play.report()
    assert again.ignored == [(8, TableDone(2))]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"kind":"rol","t":2}', "unknown kind 'rol': did you mean roll?"),
        ('{"kind":"quilt","t":2}', "unknown kind 'quilt': expected one of evening, seating"),
        ('{"t":2}', "kind"),
        ('{"kind":"roll","t":2,"table":1}', "either dice (three faces from 1 to 6) or a call"),
        ('{"kind":"roll","t":2,"table":1,"dice":[1,2,3],"call":"one"}', "either dice"),
        ('{"kind":"roll","t":2,"table":1,"dice":[1,2,7]}', "<= 6 at dice"),
        ('{"kind":"roll","t":2,"table":1,"dice":[0,2,3]}', ">= 1 at dice"),
        ('{"kind":"roll","t":2,"table":1,"dice":[1,2]}', "length 3 at dice"),
        ('{"kind":"roll","t":2,"table":1,"call":"three"}', "call"),
        ('{"kind":"roll","t":2,"table":2,"call":"one"}', "there is no table 2, tables are 1 to 1"),
        ('{"kind":"roll","t":2,"table":0,"call":"one"}', "table"),
        ('{"kind":"roll","table":1,"call":"one"}', "required field t"),
        ('{"kind":"roll","t":-2,"table":1,"call":"one"}', "t"),
        ('{"kind":"roll","t":2.5,"table":1,"call":"one"}', "expected int"),
        ('{"kind":"roll","t":"2","table":1,"call":"one"}', "expected int, got str at t"),
        ('{"kind":"faceoff","t":2,"table":1,"dice":[1,2,3,4,5]}', "length <= 4 at dice"),
        ('{"kind":"turn","t":2,"table":1,"seat":"E"}', "seat"),
        ('{"kind":"decide","t":2,"table":1,"winner":"us"}', "winner"),
        ('{"kind":"leave","t":2,"player":""}', "player"),
        ("{", "expected a JSON object"),
        ("[]", "object"),
        ("null", "object"),
        ("roll", "expected a JSON object"),
    ],
)
def test_a_broken_line_is_named_with_what_was_expected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, told: str
) -> None:
    status, out, err = answer(tmp_path, capsys, *BEGIN, line)
    assert (status, out) == (2, "")
    assert err.startswith("pi-bunco replay: LOG, line 4: ")
    assert told in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"players": ["a", "b", "c"]},
        {"players": ["a", "b", "c", "a"]},
        {"players": ["a", "b", "c", ""]},
        {"players": ["a", "b", "c", 4]},
        {"ghosts": ["g"]},
        {"overrides": {"end.pints": 21}},
        {"overrides": {"end": {"points": "many"}}},
        {"overrides": []},
        {"rules": "poker"},
        {"rules": ""},
    ],
)
def test_a_bad_evening_is_an_error_of_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fields: dict[str, Any]
) -> None:
    evening = {"kind": "evening", "t": 0, "rules": "bonko", "players": list("abcd")} | fields
    status, out, err = answer(tmp_path, capsys, json.dumps(evening))
    assert (status, out) == (2, "")
    assert err.startswith("pi-bunco replay: LOG, line 1: ")


def test_unknown_fields_of_a_fact_are_ignored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = answer(
        tmp_path, capsys, *BEGIN, '{"kind":"heard","t":2,"table":1,"mood":{"a":[1,null]}}'
    )
    assert status == 0
    assert json.loads(out)["ignored"] == []


def test_ignored_facts_have_their_line_and_a_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = answer(tmp_path, capsys, EVENING, "", OPEN, SEATING, '{"kind":"undo","t":2,"table":1}')
    assert (status, err) == (0, "")
    assert json.loads(out)["ignored"] == [
        {"line": 3, "why": "nobody has a seat yet"},
        {"line": 5, "why": "no round is open"},
    ]


def test_the_object_has_the_documented_keys(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    decide = '{"kind":"decide","t":2,"table":1,"winner":"US"}'
    _, out, _ = answer(tmp_path, capsys, *BEGIN, decide)
    told = json.loads(out)
    assert told.keys() >= {"rules", "state", "rounds", "next_seating", "standings", "traveler", "ignored"}
    assert told["rounds"][0].keys() >= {"set", "round", "bell", "tables"}
    table = told["rounds"][0]["tables"][0]
    assert table.keys() >= {"table", "seats", "points", "winner", "rolloffs", "ignored", "cards"}
    assert table["cards"][0] == {"player": "a", "points": 0, "buncos": 0, "minis": 0}
    assert told["standings"]["a"] == {"wins": 1, "losses": 0, "buncos": 0, "minis": 0, "points": 0}
    assert told["next_seating"] == [["a", "d", "b", "c"]]


def test_a_person_reads_rounds_cards_and_bells(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    play = Play("bonko", ["abcd"]).open()
    play.roll(1, "mmB", t=65_000)
    play.decide("US")
    play.round("US").open().close().decide("US")
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"\n".join(lines(play)))
    assert main(["replay", str(path)]) == 0
    out = capsys.readouterr().out
    for said in (
        "│ 1. │ a ",
        "a 31, bunco, 2 minis ",
        "The bell at 1:05: a rolled a Bunco.",
        "The bell did not ring.",
        "The bell at 1:10: by the host.",
    ):
        assert out.count(said) == 1


def test_an_empty_log_holds_no_evening(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = answer(tmp_path, capsys, "")
    assert status == 0
    assert (json.loads(out)["state"], json.loads(out)["next_seating"]) == ("setup", None)


def test_a_log_without_its_first_line_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = "pi-bunco replay: LOG, line 2: a log begins with the fact evening, and there is none\n"
    assert answer(tmp_path, capsys, "", *BEGIN[1:]) == (2, "", said)


def test_a_line_without_an_end_is_not_read_for_ever(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "/dev/zero"]) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", "pi-bunco replay: /dev/zero, line 1: more than 524288 bytes are no fact\n")


@pytest.mark.parametrize("where", ["missing.jsonl", "."])
def test_a_log_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str], where: str) -> None:
    assert main(["replay", str(tmp_path / where), "--json"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"pi-bunco replay: {tmp_path}")


def test_an_error_names_the_log_that_it_was_given() -> None:
    with pytest.raises(LogError, match=r"^yesterday, line 2: "):
        replay([EVENING.encode(), b"x"], "yesterday")


def deepest() -> int:
    """The deepest nesting of an override that the reader of JSON takes here."""
    depth = 1
    while _reads(depth):
        depth += 1
    return depth


def _reads(depth: int) -> bool:
    try:
        codec.decode(nested(depth))
    except FactError:
        return False
    return True


def nested(depth: int) -> str:
    return EVENING[:-1] + ',"overrides":' + '{"a":' * depth + "1" + "}" * depth + "}"


def test_overrides_nested_as_deeply_as_json_may_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    most = deepest()
    for depth in range(most - 30, most + 5):
        status, out, _ = answer(tmp_path, capsys, nested(depth))
        assert (status, out) == (2, "")


def test_a_ghost_with_a_number_of_5000_digits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evening = {"kind": "evening", "t": 0, "rules": "bonko", "players": list("abcdefg")}
    ghost = json.dumps(evening | {"ghosts": ["Ghost " + "9" * 5000]})
    status, out, _ = answer(tmp_path, capsys, ghost, '{"kind":"arrive","t":1,"player":"z"}')
    assert (status, out) == (2, "")


def test_the_object_is_utf_8_whatever_the_locale(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(EVENING.replace('"a"', '"Łucja"'), "utf-8")
    command = [sys.executable, "-m", "pi_bunco", "replay", str(log), "--json"]
    environment = os.environ | {"PYTHONIOENCODING": "latin-1"}
    done = subprocess.run(command, capture_output=True, env=environment, timeout=60, check=False)
    assert done.returncode == 0
    assert "Łucja" in json.loads(done.stdout.decode("utf-8"))["standings"]


def test_name_accepted_to_play_is_accepted_to_leave(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evening = EVENING.replace('"a"', f'"{"a" * 100}"')
    leave = json.dumps({"kind": "leave", "t": 1, "player": "a" * 100})
    statuses = [answer(tmp_path, capsys, *log)[0] for log in ([evening], [evening, leave])]
    assert statuses in ([0, 0], [2, 2])
