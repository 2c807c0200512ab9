"""Every refusal is in the page's language: the sentences are read from the sources, none can be forgotten."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_bunco.game import reasons as game_reasons
from pi_bunco.head import reasons
from pi_bunco.reason import REASONS
from pi_bunco.web.pages.shared.head_words import ALL, in_language
from pi_bunco.words.catalogue import LANGUAGES
from web.backends import FakeBackend
from web.test_host_pages import logged_in

PACKAGE = Path(__file__).parents[2] / "pi_bunco"
REFUSING = (
    "web/site/phones.py", "web/site/commands.py",
)  # fmt: skip
NO_REFUSAL = {"_free_ghost"}
"""A function that makes another text."""
PHRASES = (reasons.AndAlso, reasons.RoundName, reasons.RoundsPlayed, reasons.ThatTable, reasons.ThePage)
IN_ENGLISH = (reasons.CommandUnreadable, reasons.HostsOnly, reasons.JournalUnwritten, reasons.PassedOver)
PUT_TOGETHER = {"there is no table X, tables are 1 to X"}
"""Of a fact of a table that cannot be."""
COMMAND_LINE = re.compile(r"\w_\w|: true|\bbypass\b|\bbranch \w|\bneeds \w+:")
"""Words that only who types commands has met."""
OTHERS = [lang for lang in LANGUAGES if lang != "en"]


def text(node: ast.AST) -> str | None:
    """A text as the source has it; what is filled in is a letter."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        parts = (part.value if isinstance(part, ast.Constant) else "X" for part in node.values)
        return "".join(str(part) for part in parts)
    return None


def texts_in(node: ast.AST) -> Iterator[str]:
    """The texts below `node`, of a formatted one only the whole."""
    found = text(node)
    if found is not None:
        yield found
        return
    for child in ast.iter_child_nodes(node):
        yield from texts_in(child)


def refusals() -> Iterator[str]:
    for kind in REASONS.values():
        declared = kind.__module__ in (game_reasons.__name__, reasons.__name__)
        if declared and isinstance(kind.text, str) and kind not in (*PHRASES, *IN_ENGLISH):
            yield kind.text % dict.fromkeys(kind.__struct_fields__, "X")
    for name in REFUSING:
        for function in ast.walk(ast.parse((PACKAGE / name).read_text("utf-8"))):
            if not isinstance(function, ast.FunctionDef) or function.name in NO_REFUSAL:
                continue
            returns = ast.unparse(function.returns) if function.returns else ""
            for node in ast.walk(function):
                refused = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Refused"
                why = isinstance(node, ast.Return) and returns in ("str | None", "list[str]", "str")
                if refused or why:
                    yield from (one for one in texts_in(node) if " " in one.strip())


@pytest.mark.parametrize("lang", OTHERS)
def test_every_refusal_has_its_template(lang: str) -> None:
    found = set(refusals())
    assert len(found) > 70
    assert {one for one in found if in_language(lang, one) == one} == PUT_TOGETHER


@pytest.mark.parametrize("lang", OTHERS)
def test_every_template_finds_itself(lang: str) -> None:
    for template in (one for group in ALL for one in group(str)):
        fields = {name: f"Q{k}" for k, name in enumerate(re.findall(r"%\((\w+)\)s", template))}
        shown = in_language(lang, template % fields if fields else template)
        assert shown != template
        assert [value for value in fields.values() if value not in shown] == [], template


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("A round is running.", "Eine Runde läuft."),
        ("Table 2: not heard for 42 s.", "Tisch 2: seit 42 s nichts empfangen."),
        ("Ann and Bob still roll for most wins.", "Ann und Bob würfeln noch um: meiste Siege."),
        ("There is no table 7; tables are 1 to 3.", "Gibt es nicht: Tisch 7; die Tische sind 1 bis 3."),
        ("Every seat is taken; draw the seats anew with the guest, or name a substitute.", "Jeder Platz ist"
         " besetzt; lose die Plätze mit dem Gast neu aus, oder lass ihn für jemanden einspringen."),
        ("Table 2 has rolled again since; its latest roll is now no. 17: 1-2-5.", "Tisch 2 hat inzwischen"
         " wieder gewürfelt; der letzte Wurf ist jetzt Nr. 17: 1-2-5."),
        ("has a stuck button: MINI.", "meldet eine Taste, die klemmt: MINI."),
        ("Ann rolls one die", "Ann würfelt mit einem Würfel"),
        ("The head reads the end of the evening from table 2; wait a moment, or go on with what"
         " is here.", "Die Zentrale liest das Ende des Abends von Tisch 2; warte einen Augenblick, oder"
         " mach mit dem weiter, was da ist."),
        ("Start without what is missing, or press the bell button twice within 10 s.", "Beginne ohne das, was"
         " fehlt, oder drück den Glockenknopf binnen 10 s zweimal."),
        ("OK is missing at tables 1 and 2.", "OK fehlt noch: Tische 1 und 2."),
        ("Set 1, round 3 is not over yet.", "Durchgang 1, Runde 3 ist noch nicht vorbei."),
        ("An evening is open, with 3 of 12 rounds played.", "Ein Abend ist offen, 3 von 12 Runden gespielt."),
        ("Nobody wrote this one.", "Nobody wrote this one."),
    ],
)  # fmt: skip
def test_fields_are_phrases_too(english: str, german: str) -> None:
    assert in_language("de", english) == german
    if not COMMAND_LINE.search(english):
        assert in_language("en", english) == english


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_refusal_has_words_of_the_command_line(lang: str) -> None:
    asked = "The head reads the end of the evening; wait a moment, or go on with what is here."
    missing = [
        "arrive needs player: a text, at most 64 characters.",
        "pause: minutes should be a number, not x.",
    ]
    found = {in_language(lang, one) for one in {*refusals(), asked, *missing} - PUT_TOGETHER}
    assert [one for one in found if COMMAND_LINE.search(one)] == []


def test_a_german_page_shows_the_heads_answer_in_german(backend: FakeBackend) -> None:
    browser, token = logged_in(backend)
    backend.answer = (False, ("Table 2: switched off.", "The bell has not rung."))
    browser.cookies.set("bunco_lang", "de")
    browser.post("/host/command", data={"csrf": token, "command": "bell_void", "back": "/host"})
    page = browser.get("/host").text
    assert "Tisch 2: ausgeschaltet." in page
    assert "Die Glocke hat nicht geläutet." in page
