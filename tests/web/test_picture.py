"""The picture of an evening to share: true, and without a name of anybody who did not agree."""

from functools import cache
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Page

from pi_bunco.web.pages import TEMPLATES
from pi_bunco.web.pages.host.results.picture import shown_picture
from pi_bunco.web.site.evening_now import EveningNow
from pi_bunco.web.site.page import Context
from pi_bunco.web.site.reasons import NotThere
from web.backends import FakeBackend
from web.nights import Night


@cache
def _ended() -> EveningNow:
    return Night(12, seed=3).draw().rounds(12).evening_now()


@given(st.data())
def test_the_picture_names_nobody_who_did_not_agree(data: st.DataObject) -> None:
    now = _ended()
    people = sorted(now.evening.standings)
    agreed = set(data.draw(st.lists(st.sampled_from(people))))
    shown = shown_picture(now, agreed)
    assert {*shown.champions, *shown.best} <= agreed
    drawn = TEMPLATES.render(shown, Context()).partition('<svg class="share"')[2].partition("</svg>")[0]
    assert drawn
    assert not [name for name in people if name in drawn and name not in agreed]
    for name, yes, address in shown.names:
        others = set(parse_qs(urlsplit(address).query).get("yes", []))
        assert (name in others) is not yes


def test_the_closest_table_is_closest() -> None:
    now = _ended()
    found = shown_picture(now).closest
    assert found
    gaps = [abs(t.points[0] - t.points[1]) for one in now.evening.rounds for t in one.tables if any(t.points)]
    assert found.points[0] - found.points[1] == min(gaps)
    there = now.evening.rounds[found.round - 1].tables[found.table - 1]
    assert sorted(there.points, reverse=True) == list(found.points)


def test_an_evening_that_goes_on_has_no_picture() -> None:
    with pytest.raises(NotThere):
        shown_picture(Night(12).draw().rounds(1).evening_now())


@pytest.mark.system("chromium")
def test_a_host_saves_the_picture_as_a_png(host: Page, place: str, backend: FakeBackend) -> None:
    now = _ended()
    backend.take(*now.log)
    host.goto(f"{place}/host/results")
    host.click("a[href^='/host/picture']")
    host.click("a[href*='yes=']")
    assert shown_picture(now).names[0][0] in (host.locator("svg.share").text_content() or "")
    with host.expect_download() as saved:
        host.click("[data-picture]")
    png = saved.value.path().read_bytes()
    assert saved.value.suggested_filename.endswith(".png")
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert [int.from_bytes(png[at : at + 4]) for at in (16, 20)] == [1080, 1080]
