"""The host's page tells phones from services: a phone table answers although no phone is there."""

import pytest

from pi_bunco.web.pages import TEMPLATES
from pi_bunco.web.pages.host.frame import HostQuery
from pi_bunco.web.pages.host.health.page import shown_health
from pi_bunco.web.pages.host.tonight.page import HostTonight, shown_tonight
from pi_bunco.web.site.hall_presence import Presences
from pi_bunco.web.site.page import Context
from pi_bunco.wire.messages import Beat
from web.nights import Night

NEVER, GONE, HERE = Beat(0, phone_ms=None), Beat(0, phone_ms=40_200), Beat(0, phone_ms=900)
SENTENCES = {
    "never": (NEVER, "No phone has joined table 3 yet"),
    "gone": (GONE, "Table 3’s phone was last seen 40\u00a0s ago"),
    "here": (HERE, "A phone plays table 3"),
}


def signs(beat: Beat) -> Presences:
    signs = Presences(0)
    for table in (1, 2, 3):
        signs.beat(table, beat if table == 3 else Beat(0), 1000)
    return signs


@pytest.mark.parametrize("case", SENTENCES)
def test_health_says_whether_the_phone_is_there(case: str) -> None:
    beat, sentence = SENTENCES[case]
    tables = signs(beat).tables(1000)
    assert (tables[3].phone, tables[2].phone) == (True, False)
    now = Night(12).draw().evening_now(tables=tables)
    page = TEMPLATES.render(shown_health(now, HostQuery()), Context(csrf="c"))
    found = [other for _, other in SENTENCES.values() if other in page]
    assert found == [sentence]


@pytest.mark.parametrize("case", SENTENCES)
def test_not_everything_plays_where_a_phone_is_gone(case: str) -> None:
    beat, sentence = SENTENCES[case]
    now = Night(12).draw().begin().evening_now(tables=signs(beat).tables(1000))
    page = TEMPLATES.render(shown_tonight(now, HostQuery()), Context(csrf="c"))
    assert ("Everything plays" in page) == (beat is HERE)
    assert (sentence in page) == (beat is not HERE)


def test_a_phone_that_goes_changes_what_pages_show() -> None:
    here, gone = signs(HERE).summary(1000), signs(GONE).summary(1000)
    assert here != gone
    assert here == signs(Beat(0, phone_ms=1800)).summary(1000)


def started(*beats: Beat) -> HostTonight:
    signs = Presences(0)
    for table, beat in enumerate(beats, 1):
        signs.beat(table, beat, 1000)
    now = Night(4 * len(beats)).draw().evening_now(tables=signs.tables(1000))
    return shown_tonight(now, HostQuery())


def test_a_round_starts_without_a_phone_only_as_one_that_is_missing() -> None:
    gone, here = started(HERE, GONE, NEVER), started(HERE, HERE)
    assert (gone.big.kind, here.big.kind) == ("start_anyway", "start")
    assert gone.big.action == here.big.action
    assert [note.kind for note in gone.reasons] == ["phone_gone", "phone_never"]


def test_each_missing_phone_has_the_keys_to_its_code_and_to_paper() -> None:
    keys = [
        (key.command, key.href or key.args) for note in started(HERE, GONE).reasons for key in note.actions
    ]
    assert keys == [("", "/host?table=2#code"), ("bypass", '{"table": 2}')]


def test_many_missing_phones_are_one_sentence_with_the_key_to_all_codes() -> None:
    (note,) = started(GONE, NEVER, NEVER, HERE).reasons
    assert (note.kind, note.name, note.actions[0].href) == ("phones_gone", "1, 2, 3", "/host/codes")


def test_a_phone_of_no_table_of_this_evening_keeps_nothing_from_starting() -> None:
    signs = Presences(0)
    for table, beat in ((1, HERE), (2, NEVER)):
        signs.beat(table, beat, 1000)
    tonight = shown_tonight(Night(4).draw().evening_now(tables=signs.tables(1000)), HostQuery())
    assert (tonight.big.kind, tonight.reasons) == ("start", ())
