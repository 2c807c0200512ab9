"""The host's page tells phones from services: a phone table answers although no phone is there."""

import pytest

from pi_bunco.web.pages import TEMPLATES
from pi_bunco.web.pages.host.health.page import shown_health
from pi_bunco.web.pages.host.model import HostQuery
from pi_bunco.web.pages.host.tonight.page import shown_tonight
from pi_bunco.web.site.page import Context
from pi_bunco.web.site.presence import Presences
from pi_bunco.wire.messages import Beat
from web.nights import Night

NEVER, GONE, HERE = Beat(0, phone_ms=None), Beat(0, phone_ms=40_200), Beat(0, phone_ms=900)
SENTENCES = {
    "never": (NEVER, "No phone plays table 3 yet"),
    "gone": (GONE, "Nothing from the phone of table 3 for 40 s"),
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
    page = TEMPLATES.render(shown_tonight(now, HostQuery(), None), Context(csrf="c"))
    assert ("Everything plays" in page) == (beat is HERE)
    assert (sentence in page) == (beat is not HERE)


def test_a_phone_that_goes_changes_what_pages_show() -> None:
    here, gone = signs(HERE).summary(1000), signs(GONE).summary(1000)
    assert here != gone
    assert here == signs(Beat(0, phone_ms=1800)).summary(1000)
