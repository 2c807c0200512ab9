"""Reasons as values: their English, their translation, and their way over the network."""

from collections.abc import Iterator
from gettext import NullTranslations
from typing import Annotated, Any

import msgspec
import pytest

from pi_bunco.errors import FactError
from pi_bunco.reason import (
    N_,
    NN_,
    REASONS,
    Coded,
    InEnglish,
    Listed,
    Names,
    NextCommand,
    Numbers,
    Reason,
    Shown,
    Tables,
    Term,
)


class TestNobodyIsLeft(Reason, frozen=True):
    __test__ = False
    text = N_("nobody is left")


class TestMinutesLeft(Reason, frozen=True):
    __test__ = False
    text = NN_("%(minutes)s minute is left", "%(minutes)s minutes are left")
    count = "minutes"
    minutes: int


class TestWonBy(Reason, frozen=True):
    __test__ = False
    text = N_("won by %(face)s")
    face: Annotated[Term, Shown("term", {"final": "three of a kind"})]


class TestTheyRoll(Reason, frozen=True):
    __test__ = False
    text = NN_("%(names)s rolls for %(prize)s", "%(names)s roll for %(prize)s")
    count = "names"
    names: Names
    prize: Term


class TestMissingTables(Reason, frozen=True):
    __test__ = False
    text = N_("missing: %(tables)s: %(why)s")
    page = N_("no %(tables)s: %(why)s")
    leads_to = (NextCommand("bypass", {"table": "{table}", "why": "paper"}),)
    tables: Tables
    why: Reason
    table: int = 7


class TestGroups(Reason, frozen=True):
    __test__ = False
    text = N_("groups %(groups)s of %(known)s")
    groups: Numbers
    known: Listed = ("a", "b")


GERMAN = {
    "nobody is left": "niemand ist übrig",
    "%(names)s and %(name)s": "%(names)s und %(name)s",
    "table %(n)s": "Tisch %(n)s",
    "no %(tables)s: %(why)s": "kein %(tables)s: %(why)s",
    "most Buncos": "die meisten Buncos",
    "%(names)s roll for %(prize)s": "%(names)s würfeln um %(prize)s",
}


class German(NullTranslations):
    def gettext(self, message: str) -> str:
        return GERMAN.get(message, message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)


@pytest.fixture(autouse=True, scope="module")
def registered() -> Iterator[None]:
    """The reasons of this file leave the registry with it."""
    yield
    for code in [code for code, kind in REASONS.items() if kind.__module__ == __name__]:
        del REASONS[code]


@pytest.mark.parametrize(
    ("reason", "english"),
    [
        (TestNobodyIsLeft(), "nobody is left"),
        (TestMinutesLeft(1), "1 minute is left"),
        (TestMinutesLeft(10), "10 minutes are left"),
        (TestTheyRoll(("Ann",), "most Buncos"), "Ann rolls for most Buncos"),
        (TestTheyRoll(("Ann", "Bob", "Cat"), "most Buncos"), "Ann, Bob and Cat roll for most Buncos"),
        (TestTheyRoll((), ""), " roll for "),
        (TestMissingTables((2,), TestNobodyIsLeft()), "missing: table 2: nobody is left"),
        (TestMissingTables((1, 3), TestMinutesLeft(1)), "missing: tables 1 and 3: 1 minute is left"),
        (
            TestMissingTables(tuple(range(1, 16)), InEnglish("so 100 %s")),
            "missing: tables 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 3 more: so 100 %s",
        ),
        (TestGroups((1, 2, 3)), "groups 1, 2 and 3 of a, b"),
    ],
)
def test_english_is_the_template_with_its_fields(reason: Reason, english: str) -> None:
    assert reason.english() == english
    known = msgspec.json.decode(msgspec.json.encode(Coded.of(reason)), type=Coded).reason()
    assert known == reason


def test_a_translation_reaches_terms_lists_and_nested_reasons() -> None:
    rolling = TestTheyRoll(("Ann", "Bob"), "most Buncos")
    assert rolling.in_words(German()) == "Ann und Bob würfeln um die meisten Buncos"
    missing = TestMissingTables((2,), TestNobodyIsLeft())
    assert missing.in_words(German(), page=True) == "kein Tisch 2: niemand ist übrig"
    assert missing.in_words(German()) == "missing: Tisch 2: niemand ist übrig"


def test_codes_are_the_names_of_the_classes_and_stand_once() -> None:
    assert TestMinutesLeft.code == "test_minutes_left"
    assert REASONS["test_minutes_left"] is TestMinutesLeft
    with pytest.raises(TypeError, match="declared twice"):
        type("TestMinutesLeft", (Reason,), {"text": "again"})


def test_a_reason_with_the_fields_of_others_is_declared_in_one_line() -> None:
    lamp = TestMissingTables.declare(
        "TestLampsOff",
        ("a lamp: %(why)s", "%(tables)s: %(why)s"),
        NextCommand("bypass", {"table": "{table}"}),
        count="tables",
    )
    reason = lamp((1, 2), TestNobodyIsLeft(), 5)
    assert (lamp.code, lamp.__module__, lamp.page) == ("test_lamps_off", __name__, "")
    assert REASONS["test_lamps_off"] is lamp is not TestMissingTables
    assert reason.english() == "tables 1 and 2: nobody is left"
    assert reason != TestMissingTables((1, 2), TestNobodyIsLeft(), 5)
    assert Coded.of(reason).reason() == reason
    assert reason.leads_to[0].args_of(reason) == {"table": 5}
    assert "of_table" not in REASONS


def test_a_next_command_takes_the_fields_of_its_reason() -> None:
    reason = TestMissingTables((2,), TestNobodyIsLeft(), 5)
    (following,) = reason.leads_to
    assert following.args_of(reason) == {"table": 5, "why": "paper"}


@pytest.mark.parametrize(
    ("code", "fields"),
    [
        ("of_a_newer_head", {}),
        ("test_minutes_left", {}),
        ("test_minutes_left", {"minutes": "ten"}),
        ("test_missing_tables", {"tables": [1], "why": {"code": "of_a_newer_head", "fields": {}}}),
        ("test_missing_tables", {"tables": [1], "why": "because"}),
    ],
)
def test_unknown_reason_decodes_to_none(code: str, fields: dict[str, Any]) -> None:
    assert Coded(code, fields).reason() is None


def test_more_fields_than_are_known_are_ignored() -> None:
    assert Coded("test_minutes_left", {"minutes": 2, "seconds": 5}).reason() == TestMinutesLeft(2)


def test_an_error_about_a_fact_carries_reasons() -> None:
    error = FactError(TestMinutesLeft(2), InEnglish("no table 9"))
    assert str(error) == "2 minutes are left; no table 9"
    assert error.reasons == (TestMinutesLeft(2), InEnglish("no table 9"))


def test_a_field_with_words_of_its_own_is_shown_by_them() -> None:
    assert TestWonBy("final").english() == "won by three of a kind"
