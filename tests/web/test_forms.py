"""The content of a form becomes a command, or a sentence."""

import pytest

from pi_bunco.rules.reasons import SharesOff
from pi_bunco.web.pages.host.frame import HostQuery
from pi_bunco.web.pages.host.prepare.draft import Draft, changed, rule_set, text_of, why_no_prizes, worth_text
from pi_bunco.web.pages.host.prepare.page import shown_prepare
from pi_bunco.web.site.forms import back, command
from pi_bunco.wire.arguments import ArgumentError
from web.nights import Night


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
def test_a_form_with_wrong_arguments_is_refused_in_words(form: dict[str, str], word: str) -> None:
    with pytest.raises(ArgumentError, match=word):
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


def test_house_rules_of_others_are_taken_like_ones_own() -> None:
    draft = changed(Draft(), {"rules": "house:Wipeout"})
    assert (draft.house, draft.rules, rule_set(draft).scoring.wipe) == ("Wipeout", "classic", 1)
    assert changed(draft, {"rules": "gong"}).house == ""


def test_prizes_of_ones_own_are_shares_amounts_or_things() -> None:
    form = {
        "prize.buncos": "",
        "prize.wins": "100%",
        "prize.losses": "5,5",
        "prize.minis": "a bottle of wine",
        "prize.score": "",
    }
    prizes = {one.category: worth_text(one) for one in rule_set(changed(Draft(), form)).prizes}
    assert (prizes["wins"], prizes["losses"], prizes["minis"]) == ("100%", "5.50", "a bottle of wine")
    assert "score" not in prizes
    assert changed(Draft(), {"prize.wins": "200%"}) == Draft()
    assert why_no_prizes(Draft(), {"prize.wins": "200%"}) == (SharesOff(200),)
    assert why_no_prizes(Draft(), {"prize.buncos": "60%", "prize.wins": "30%"}) == (SharesOff(90),)


def test_a_value_that_the_rules_allow_is_taken_by_the_form() -> None:
    for form in ({"set.after_bell": "first_lap"}, {"set.scoring.wipe": "1"}, {"set.traveling": "bunco"}):
        key, value = next(iter(form.items()))
        assert text_of(rule_set(changed(Draft(rules="gong"), form)).dimension(key[4:])) == value


def test_an_evening_that_is_too_long_is_offered_fewer_sets_and_points_that_ring() -> None:
    draft = Draft(rules="mybunco", start="18:00", until="22:00")
    shown = shown_prepare(Night(4, empty=True).evening_now(), draft, HostQuery(panel="rules"))
    assert shown.too_long
    assert [one.mend for one in shown.shorter] == ["end.points=21", "evening.sets=2"]
    assert all(one.minutes <= 240 for one in shown.shorter)
