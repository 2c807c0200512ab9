"""Every page in every phase as HTML."""

import re

import pytest

from pi_bunco.web.pages import TEMPLATES
from pi_bunco.web.pages.board.page import shown_scoreboard
from pi_bunco.web.site.drawing import Parts
from pi_bunco.web.site.page import Context
from web.gallery import pages
from web.nights import Night, opened

MAKERS = pages()
CONTEXT = Context(csrf="token", base="http://192.168.4.1")


@pytest.mark.parametrize("name", MAKERS)
def test_a_page_is_whole_light_and_keeps_the_policy(name: str) -> None:
    html = TEMPLATES.render(MAKERS[name](), CONTEXT)
    assert html.startswith("<!DOCTYPE html>")
    assert html.rstrip().endswith("</html>")
    assert len(html) < (150_000 if name.startswith("print") else 60_000)
    assert not re.search(r"\sstyle=|\son\w+=|<style|<script(?! defer src=)|javascript:", html)
    assert "alert(1)</script>" not in html
    ids = re.findall(r'\sid="([^"]+)"', html)
    assert len(ids) == len(set(ids))


def test_who_won_stands_by_name_and_dice_that_fell_level_say_so() -> None:
    bell, level = (TEMPLATES.render(MAKERS[name](), CONTEXT) for name in ("tv-rolloff", "play-faceoff-again"))
    assert "Us win" not in bell
    assert re.search(r"\w+ and \w+ win", bell)
    assert "Level again: one die each" in level


def test_a_throw_sends_one_table_alone() -> None:
    night = opened(12).throws(9)
    before = TEMPLATES.body(shown_scoreboard(night.evening_now()), CONTEXT)
    night.throw(2, [1, 2, 3])
    after = TEMPLATES.body(shown_scoreboard(night.evening_now()), CONTEXT)
    drawn, _ = Parts().then(before)
    drawn, sent = drawn.then(after)
    assert re.findall(r'<section class="tbl[^>]* id="(t\d)"', sent) == ["t2"]
    assert len(sent) < 2500
    assert drawn.then(after) == (drawn, "")


def test_another_scene_is_sent_whole() -> None:
    night = opened(12).throws(9)
    before = TEMPLATES.body(shown_scoreboard(night.evening_now()), CONTEXT)
    after = TEMPLATES.body(shown_scoreboard(night.ring().evening_now()), CONTEXT)
    assert Parts().then(before)[0].then(after)[1] == after


def test_nobody_can_write_into_the_page() -> None:
    night = Night(4)
    night.evening.people.present[0] = "<img src=x onerror=alert(1)>"
    html = TEMPLATES.render(shown_scoreboard(night.evening_now(title="</title><b>")), CONTEXT)
    assert "<img src=x" not in html
    assert "</title><b>" not in html
