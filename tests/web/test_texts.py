"""The catalogue has every text, and each language says all of them."""

import re
from functools import cache
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages import Catalog, extract, mofile, pofile

from pi_bunco.game.facts import FACT_KINDS
from pi_bunco.web.pages import TEMPLATES
from pi_bunco.web.pages.host.host_words import FACTS
from pi_bunco.web.pages.shared.model import BellRule
from pi_bunco.web.pages.shared.words import Wording
from pi_bunco.web.site.page import Context
from pi_bunco.words.catalogue import LANGUAGES, texts, wanted
from web.gallery import pages

PACKAGE = Path(__file__).parents[2] / "pi_bunco"
LOCALE = PACKAGE / "words" / "locale"
METHODS = [("**.py", "python"), ("web/**.html", "jinja2")]
KEYWORDS = extract.DEFAULT_KEYWORDS | {"NN_": (1, 2)}
OPTIONS = {"web/**.html": {"trimmed": "true", "newstyle_gettext": "true"}}
FIELD = re.compile(r"%\(\w+\)[sd]|%s")


def catalogue(lang: str) -> Catalog:
    with (LOCALE / lang / "pages.po").open("rb") as file:
        return pofile.read_po(file, locale=lang)


def first(id: str | tuple[str, ...] | list[str]) -> str:
    return id if isinstance(id, str) else id[0]


def last(text: str | tuple[str, ...] | list[str] | None) -> str:
    return text if isinstance(text, str) else (text or [""])[-1]


@pytest.mark.parametrize("lang", [lang for lang in LANGUAGES if lang != "en"])
def test_a_language_says_everything(lang: str) -> None:
    found = extract.extract_from_dir(str(PACKAGE), METHODS, OPTIONS, KEYWORDS)
    asked = {first(message) for _, _, message, *_ in found}
    known = {first(message.id): message for message in catalogue(lang) if message.id}
    assert asked - known.keys() == set()
    assert known.keys() - asked == set()
    for id, message in known.items():
        said, given = last(message.string), last(message.id)
        assert said, id
        assert sorted(FIELD.findall(said)) == sorted(FIELD.findall(given)), id


@pytest.mark.parametrize("lang", [lang for lang in LANGUAGES if lang != "en"])
def test_shipped_catalogues_match_the_sources(lang: str) -> None:
    made = BytesIO()
    mofile.write_mo(made, catalogue(lang))
    assert (LOCALE / lang / "pages.mo").read_bytes() == made.getvalue()


@cache
def rendered(lang: str) -> dict[str, str]:
    """Every page by its name."""
    return {name: TEMPLATES.render(maker(), Context(lang=lang, csrf="c")) for name, maker in pages().items()}


def test_pages_speak_german() -> None:
    html = rendered("de")["tv-between-3"]
    assert '<html lang="de"' in html
    assert "Alle wechseln" in html
    assert "Everybody moves" not in html


def test_a_language_that_is_not_there_is_english() -> None:
    assert texts("xx").gettext("Break") == "Break"
    assert wanted("fr-CH, de;q=0.8, en;q=0.5") == "de"
    assert wanted("fr", "xx") == "en"
    assert wanted("de", "en") == "en"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_is_counted_agrees_with_its_number(lang: str) -> None:
    words = Wording(texts(lang))
    for count in (
        words.points,
        words.to_the_bell,
        lambda n: words.won(0, n),
        lambda n: words.evening(n, 6, 77),
    ):
        none, one, two = (re.sub(r"\d+", "N", count(n)) for n in (0, 1, 2))
        assert none == two
        assert one != two or count == words.to_the_bell
    if lang == "en":
        assert words.won(1, 2) == "1 of 2 rounds won"
        assert [words.to_the_bell(n) for n in (1, 2)] == ["1 more rings the bell", "2 more ring the bell"]
        assert words.bell_rule(BellRule(1, False, False, False, 60)) == "Table 1 rings at 1 point or 1 minute"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_two_sentences_run_into_each_other(lang: str) -> None:
    joined = re.compile(r"[^<>]*[a-zäöüß)\d][.!?][A-ZÄÖÜ][a-zäöü]+ [^<>]*")
    assert {name: match[0] for name, html in rendered(lang).items() if (match := joined.search(html))} == {}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_page_of_one_has_no_plural(lang: str) -> None:
    """A count of one beside a plural word, on any page in any phase."""
    plural = {
        "en": "wins points rounds tables people players Buncos minis ghosts sets minutes throws things are",
        "de": "Siege Punkte Runden Tische Personen Buncos Minis Geister Sätze Minuten Würfe Sachen sind",
    }[lang]
    wrong = re.compile(rf"(?<![\d.,:+/-])(?<!Table )(?<!Tisch )\b1 ({'|'.join(plural.split())})\b")
    found = {}
    for name, html in rendered(lang).items():
        text = re.sub(r"<[^>]*>", "\n", html)
        if match := wrong.search(text):
            found[name] = match[0]
    assert found == {}


def test_the_log_has_a_line_for_a_fact_of_every_kind() -> None:
    assert FACT_KINDS.keys() - FACTS.keys() == set()
