"""No sentence reaches a page, a sheet or an answer of a German hall untranslated.

Every text of the German catalogue is marked as it is looked up; what stands on a page without a mark is a
name, a number, or a text that was never looked up.
"""

import gettext
import html
import re
from collections.abc import Iterator
from copy import copy
from typing import Any

import pytest

from pi_bunco.game.sheet import result_sheet, score_cards
from pi_bunco.reason import REASONS, InEnglish, Reason
from pi_bunco.rules import PRESETS, preset
from pi_bunco.web.pages import TEMPLATES
from pi_bunco.web.pages.host.frame import HostQuery
from pi_bunco.web.pages.host.prepare.draft import published
from pi_bunco.web.pages.host.tonight.page import shown_tonight
from pi_bunco.web.pages.paper import sheets
from pi_bunco.web.site.drawing import Templates
from pi_bunco.web.site.notices import Notice
from pi_bunco.web.site.page import Context
from pi_bunco.web.site.reasons import HeadAway
from pi_bunco.words.catalogue import texts
from pi_bunco.words.terms import Terms
from web import gallery
from web.backends import OPEN, SEATS, FakeBackend
from web.nights import Night, opened
from web.test_host_pages import logged_in

UNSEEN = re.compile(r"(?s)<(script|style|svg|textarea)\b.*?</\1>")
READ = re.compile(r'(?:title|aria-label|alt|placeholder)="([^"]*)"')
WORD = re.compile(r"(?<![\w>(])[a-z]{2,}(?!\w|[(<])")
"""A word of a sentence: names have capitals, but for those of hosts."""
OF_HOSTS = {
    *(house.name for house in published()),
    "The cake was Ida's",
    "Fuzzy dice",
    "Bunco on Thursday",
    "3) Carla (brings dip)",
    "with Ann",
    "Corner Books, with Vera",
    "Nathaniel van der Holm",
    "Wilhelmina von Hohenberg",
    "The card is read-only.",
    "The MINI key is pressed down for 2 minutes.",
    "absorb tell",
    "drift able",
}
"""Names that a host or a guest has typed in the gallery, words that are drawn, and the words of devices."""
ALERT = "<script>alert(1)</script>"
"""Somebody's name."""
GERMAN = {"accept": "text/html", "accept-language": "de"}


@pytest.fixture
def german(monkeypatch: pytest.MonkeyPatch) -> Iterator[Templates]:
    """The templates of the pages; all that the catalogue says is marked meanwhile."""
    plain, plural = gettext.GNUTranslations.gettext, gettext.GNUTranslations.ngettext

    def mark(self: Any, text: str) -> str:
        return f"⟦{plain(self, text)}⟧" if {text, (text, 0)} & self._catalog.keys() else text

    def mark_plural(self: Any, one: str, many: str, n: int) -> str:
        told = plural(self, one, many, n)
        return f"⟦{told}⟧" if (one, 0) in self._catalog else told

    monkeypatch.setattr(gettext.GNUTranslations, "gettext", mark)
    monkeypatch.setattr(gettext.GNUTranslations, "ngettext", mark_plural)
    templates = copy(TEMPLATES)
    templates._environments = {}
    sheets._environment.cache_clear()
    yield templates
    sheets._environment.cache_clear()


def unmarked(text: str) -> Iterator[str]:
    """The parts of a text outside all marks."""
    depth, part = 0, ""
    for sign in text:
        depth += (sign == "⟦") - (sign == "⟧")
        if depth or sign in "⟦⟧\n":
            yield part.strip(" :,")
            part = ""
        else:
            part += sign
    yield part.strip(" :,")


def untranslated(page: str) -> set[str]:
    """The texts of a page that hold a word and were not looked up."""
    seen = UNSEEN.sub(" ", page)
    shown = [re.sub(r"<[^>]*>", "\n", seen), *READ.findall(seen)]
    parts = {part for text in shown for part in unmarked(html.unescape(text).replace(ALERT, ""))}
    return {part for part in parts if " " in part and WORD.search(part) and part not in OF_HOSTS}


def test_every_page_of_a_german_hall_is_german(german: Templates) -> None:
    found = {
        name: wrong
        for name, made in gallery.pages().items()
        if (wrong := untranslated(german.render(made(), Context(lang="de", csrf="c"))))
    }
    assert found == {}


def test_result_sheet_and_score_cards_of_a_german_hall_are_german(german: Templates) -> None:
    for rules in PRESETS:
        night = Night(12, rules, pot="60.00", ghosts=True).draw().rounds(6)
        night.say("evening_close")
        sheet, cards = result_sheet(night.evening, night.log), score_cards(night.evening)
        assert sheet
        assert night.evening.rules
        assert untranslated(sheets.result_page(sheet, "de")) == set()
        assert untranslated(sheets.cards_page(cards, night.evening.rules.card, "", "de")) == set()
    assert german


def test_a_refusal_without_a_translation_is_found_on_a_page(german: Templates) -> None:
    class LampIsRed(Reason, frozen=True):
        text = "the lamp at table %(table)s is red"
        table: int

    del REASONS[LampIsRed.code]
    for why in (LampIsRed(2), InEnglish("The lamp at table 2 is red."), HeadAway()):
        notice = Notice(False, "undo", (why,))
        shown = shown_tonight(opened().evening_now(), HostQuery(notice=notice))
        page = german.render(shown, Context(lang="de", csrf="c"))
        assert bool(untranslated(page)) == (not isinstance(why, HeadAway))


@pytest.mark.parametrize("name", PRESETS)
def test_what_a_published_rule_set_gives_has_a_german_name(name: str) -> None:
    gifts = {one.award for one in preset(name).prizes if one.award}
    assert not [gift for gift in gifts if Terms(texts("de")).gift(gift) == gift]


def test_answers_to_what_no_page_sends_are_german(backend: FakeBackend) -> None:
    backend.take(OPEN, SEATS)
    browser, token = logged_in(backend)
    form, ours = {"csrf": token}, {"csrf": token, "command": "undu"}
    json = {"content-type": "application/json"}
    evil = {"origin": "http://evil.example"}
    answers = {
        "Formular ist nicht lesbar": browser.post("/look", content=b"{", headers=GERMAN | json),
        "Formular ist alt": browser.post("/host/command", data={"command": "undo"}, headers=GERMAN),
        "keine Seite": browser.get("/nowhere", headers=GERMAN),
        "keine Seite /static": browser.get("/static/1/nothing.css", headers=GERMAN),
        "keine Seite /own": browser.get("/own/pictures/1.png", headers=GERMAN),
        "lade die Seite neu": browser.post("/table/1", data=form, headers=GERMAN),
        "Eine fremde Seite": browser.post("/look", headers=GERMAN | evil),
        "Das ist die Seite eines Bunco-Saals": browser.get("/", headers=GERMAN | {"host": "evil.example"}),
        "braucht den Code": browser.post("/table/1/tap", data={"tap": "bunco"}, headers=GERMAN),
    }
    browser.post("/host/command", data=ours, headers=GERMAN)
    answers["keinen Befehl undu; meinst du undo?"] = browser.get("/host", headers=GERMAN)
    wrong = [word for word, answer in answers.items() if word.partition(" /")[0] not in answer.text]
    assert wrong == []
