"""What forms say becomes a command, or a sentence."""

import pytest

from pi_bunco.web.pages.host.prepare.draft import Draft, changed
from pi_bunco.web.site.forms import FormError, back, command


def test_texts_become_what_the_command_wants() -> None:
    form = {"command": "turn", "args": '{"table":2}', "arg.seat": "C", "arg.rolls": "3"}
    assert command(form) == ("turn", {"table": 2, "seat": "C", "rolls": 3})
    assert command({"command": "hand", "arg.table": "1", "arg.allowed": "true"})[1]["allowed"] is True
    assert command({"command": "pause", "arg.minutes": ""}) == ("pause", {})


def test_a_tally_is_put_together_of_its_fields() -> None:
    form = {"command": "tally", "args": '{"table":3}'}
    for seat, points in enumerate((9, 4, 2, 21)):
        form[f"arg.cards.{seat}.points"] = str(points)
        form[f"arg.cards.{seat}.buncos"] = "1" if points == 21 else ""
    _, args = command(form)
    assert [card["points"] for card in args["cards"]] == [9, 4, 2, 21]
    assert args["cards"][3]["buncos"] == 1


@pytest.mark.parametrize(
    ("form", "word"),
    [
        ({"command": "undo", "args": "[1]"}, "no JSON object"),
        ({"command": "undo", "args": "{"}, "no JSON object"),
        ({"command": "undo", "arg.table": "two"}, "table"),
        ({"command": "undu", "arg.table": "2"}, "undo"),
        ({"command": "tally", "args": '{"cards":5}', "arg.cards.0.points": "1"}, "has a value already"),
        ({}, "no command"),
    ],
)
def test_what_cannot_be_is_refused_in_words(form: dict[str, str], word: str) -> None:
    with pytest.raises(FormError, match=word):
        command(form)


@pytest.mark.parametrize(
    "path", ["//evil.example", "/\\evil.example", "https://evil.example", "", "host", "/a\nb"]
)
def test_the_way_back_leads_nowhere_else(path: str) -> None:
    assert back(path, "/host") == "/host"
    assert back("/host/health?table=2", "/host") == "/host/health?table=2"


def test_names_are_pasted_without_the_signs_that_phones_put_around_them() -> None:
    pasted = "\u2068Ann\u2069\r\n\u202bמרים\u202c 19:00\nZoë 👩\u200d👧"
    draft = changed(Draft(), {"names": pasted})
    assert (draft.names, draft.late) == (("Ann", "מרים", "Zoë 👩\u200d👧"), (("מרים", "19:00"),))
