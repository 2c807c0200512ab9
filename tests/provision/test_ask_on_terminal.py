"""Questions of `pi-bunco provision` to a host at a terminal: about what was not given, and nothing else."""

import sys
from pathlib import Path
from typing import Any

import pytest

from pi_bunco.cli import main
from pi_bunco.cli import provision as command
from pi_bunco.cli.provision import ask
from provision.halls import card

ZONE = {"timezone": "Europe/Berlin"}


def asked(
    given: dict[str, Any], answers: list[str], secrets: list[str], password: str | None = None
) -> tuple[dict[str, Any], str | None]:
    """The settings after these answers, each of which was asked for."""
    left, hidden = iter(answers), iter(secrets)
    found = ask(lambda _: next(left), lambda _: next(hidden), given, password)
    assert [*left, *hidden] == []
    return found


def test_missing_option_is_asked_for_until_valid() -> None:
    tables = ["many", "12", "2-1,13", "2", "2", "3", "4", "7-9"]
    answers = ["A hall", "", *tables, "Nowhere/Else", "Europe/Vienna", "Church", "d", "uk", "zz", "de"]
    found = asked({}, answers, ["short", "x" * 64, "pässwörter", "swordfish"])
    assert found[0] == {
        "hall": "home",
        "tables": 12,
        "ordinary": (2,),
        "keypad": (3,),
        "usb": (4,),
        "phone": (7, 8, 9),
        "timezone": "Europe/Vienna",
        "wifi": "Church",
        "country": "DE",
    }
    assert found[1] == "swordfish"


@pytest.mark.parametrize("answer", ["own", "Own", " “own” ", '"OWN"'])
def test_the_heads_own_wifi_however_it_is_typed(answer: str) -> None:
    found = asked(ZONE, ["barn", "1", "", "", "", "", answer, "DE"], [])
    assert found[0]["own_wifi"]
    assert "wifi" not in found[0]


def test_given_options_are_not_asked_for() -> None:
    given = ZONE | {"hall": "barn", "phone": (2,), "wifi": "Church", "country": "DE"}
    found = asked(given, ["2", "1"], [], "swordfish")
    assert found == (given | {"tables": 2, "ordinary": (1,)}, "swordfish")
    found = asked(ZONE | {"own_wifi": True}, ["", "1", "1", "GB"], [])
    assert (found[0]["country"], found[1]) == ("GB", None)
    found = asked(ZONE | {"wifi": "", "own_wifi": False}, ["", "1", "1"], [])
    assert not found[0]["wifi"]


def test_a_wifi_without_a_password_can_be_joined() -> None:
    found = asked(ZONE, ["", "1", "1", "Café", "FR"], [""])
    assert (found[0]["wifi"], found[1]) == ("Café", "")


def test_what_the_rest_plays_with_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    asked(ZONE, ["", "3", "2", "", "", "", ""], [])
    assert capsys.readouterr().out == "Buttons, and the dice box at seven wires: 1, 3.\n"


def at_a_terminal(monkeypatch: pytest.MonkeyPatch, answers: list[str], secrets: list[str]) -> None:
    """A host types these, and then leaves."""

    def typed(_question: str) -> str:
        if not answers:
            raise EOFError
        return answers.pop(0)

    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr("builtins.input", typed)
    monkeypatch.setattr(command, "hidden", lambda _question: secrets.pop(0))


def test_a_host_who_leaves_has_made_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    at_a_terminal(monkeypatch, ["barn"], [])
    assert main(["provision", "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err == (
        "pi-bunco provision: the answers ended too early, and nothing was made\n"
    )
    assert not (tmp_path / "out").exists()


def test_nobody_answers_all_questions_for_a_folder_that_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    at_a_terminal(monkeypatch, [], [])
    (tmp_path / "holiday.jpg").touch()
    assert main(["provision", "--out", str(tmp_path)]) == 2
    assert "holds other things" in capsys.readouterr().err
    assert main(["provision", "--out", str(tmp_path / "out"), "--packages", str(tmp_path)]) == 2
    assert "has no pi-bunco_VERSION_all.deb" in capsys.readouterr().err


def test_the_password_of_another_wifi_is_asked_for_later_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = ["provision", "--out", str(tmp_path)]
    assert main([*out, "--tables", "2"]) == 0
    at_a_terminal(monkeypatch, [], ["swordfish"])
    assert main([*out, "--wifi", "Church", "--country", "DE"]) == 0, capsys.readouterr().err
    assert "P:swordfish;" in card(tmp_path, "head").files["secrets/web/wifi"]
