"""Every reason has a sentence in every language, no expression matches one, and leads to real commands."""

import ast
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

import pi_bunco.head.outcomes
import pi_bunco.web.pages  # noqa: F401 (with those of the page, all reasons are declared)
from pi_bunco.game.reasons import BellNotRung, StillRoll
from pi_bunco.head.reasons import (
    DieLeans,
    OtherEnd,
    RolledSinceThen,
    RoundName,
    RoundNotOver,
    SwitchedOff,
    ThatTable,
)
from pi_bunco.reason import REASONS, Coded, InEnglish, Reason, shown_fields
from pi_bunco.rules.reasons import NoSuchRules, SharesOff
from pi_bunco.table.reasons import ButtonStuck, RollFor
from pi_bunco.validator import DidYouMean
from pi_bunco.wire.arguments import ArgumentWrong
from pi_bunco.wire.commands import COMMANDS
from pi_bunco.words.catalogue import LANGUAGES, texts
from pi_bunco.words.sentences import received, sentences

PACKAGE = Path(__file__).parents[2] / "pi_bunco"
OTHERS = [lang for lang in LANGUAGES if lang != "en"]
DECLARED = {code: kind for code, kind in REASONS.items() if kind.__module__.startswith("pi_bunco.")}
COMMAND_LINE = re.compile(r"\w_\w|: true|\bbypass\b|\bbranch \w|\bneeds \w+:")
"""Words that only who types commands has met."""
EXPRESSION = re.compile(r"\\[dw]|\(\?P?[:<]|\.[+*]|\[[^]]+\][+*{]")
"""The signs that make a text a regular expression."""
THE_TABLES = "pi_bunco.devices.throws.reasons"
"""Shown by the table itself, and told nobody."""
THE_LAPTOPS = {"no_pin"}
"""For whoever starts the service there."""


def templates(kind: type[Reason]) -> list[str]:
    both = [kind.text] if isinstance(kind.text, str) else list(kind.text)
    return [*both, *([kind.page] if kind.page else [])]


def untranslated(lang: str, kinds: dict[str, type[Reason]]) -> list[str]:
    """The codes of reasons that have a text without a sentence of that language."""
    catalogue = texts(lang)._catalog  # type: ignore[attr-defined]
    return [
        code
        for code, kind in kinds.items()
        for text in templates(kind)
        if kind is not InEnglish and text not in catalogue and (text, 0) not in catalogue
        and not (isinstance(kind.text, tuple) and text == kind.text[1])
    ]  # fmt: skip


@pytest.mark.parametrize("lang", OTHERS)
def test_every_reason_is_translated(lang: str) -> None:
    assert len(DECLARED) > 380
    assert untranslated(lang, DECLARED) == []


def test_a_reason_of_a_test_is_named_as_untranslated() -> None:
    class LampIsGreen(Reason, frozen=True):
        text = "the lamp at table %(table)s is green"
        table: int

    try:
        assert untranslated("de", DECLARED | {LampIsGreen.code: LampIsGreen}) == ["lamp_is_green"]
        assert sentences("de").of(LampIsGreen(2)) == "The lamp at table 2 is green."
    finally:
        del REASONS[LampIsGreen.code]


@pytest.mark.parametrize(
    ("process", "others"),
    [
        (
            "import pi_bunco.cli.host as host; host.in_language((), ())",
            ("pi_bunco.web", "pi_bunco.enrol", THE_TABLES),
        ),
        ("import pi_bunco.web.pages", ("pi_bunco.head.outcomes", THE_TABLES)),
    ],
    ids=["terminal", "page"],
)
def test_whoever_shows_reasons_knows_all_that_can_come(process: str, others: tuple[str, ...]) -> None:
    """Trace: a German terminal knew the codes of the game alone, and told what the head said in English."""
    asks = f"{process}; import json; from pi_bunco.reason import REASONS; print(json.dumps(list(REASONS)))"
    german = os.environ | {"LANG": "de_DE.UTF-8"}
    told = subprocess.run([sys.executable, "-c", asks], env=german, capture_output=True, check=True).stdout
    wanted = {code for code, kind in DECLARED.items() if not kind.__module__.startswith(others)}
    assert wanted - {*msgspec.json.decode(told)} == set()


OF_OTHERS = {
    "game/codec.py": 4,
    "game/facts.py": 1,
    "head/referee.py": 1,
    "head/service.py": 1,
    "play/simulation.py": 1,
    "provision/authority.py": 1,
    "rules/load.py": 1,
    "table/controller.py": 1,
    "table/equipment.py": 2,
    "words/sentences.py": 1,
}
"""Places that tell the words of a device, a disk, a decoder or a newer head as they are, and how many."""


def test_english_alone_is_what_others_say() -> None:
    """No reason of ours is a text: those go to `reasons.py`, where each has its translation."""
    found: Counter[str] = Counter()
    for file in sorted(PACKAGE.rglob("*.py")):
        names = (one for one in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(one, ast.Name))
        found[file.relative_to(PACKAGE).as_posix()] = sum(one.id == "InEnglish" for one in names)
    del found["reason.py"]
    assert +found == +Counter(OF_OTHERS)


@pytest.mark.parametrize("lang", OTHERS)
def test_every_term_is_translated(lang: str) -> None:
    fields = [how for kind in DECLARED.values() for how in shown_fields(kind).values()]
    words = {word for how in fields if how and how.kind == "term" for word in how.words.values()}
    assert len(words) > 15
    assert [word for word in sorted(words) if word not in texts(lang)._catalog] == []  # type: ignore[attr-defined]


def expressions() -> Iterator[tuple[str, str]]:
    """Every text of the package that is a regular expression with a word in it, and its file."""
    for file in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and EXPRESSION.search(node.value)
            ):
                try:
                    re.compile(node.value)
                except re.error:
                    continue
                yield str(file.relative_to(PACKAGE)), node.value


def words_of(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{4,}", text.lower()))


def test_no_expression_finds_a_sentence() -> None:
    """One does where it names a word of the sentence and matches it."""
    found = [(file, one, words_of(re.sub(r"\?P<\w+>", "", one))) for file, one in expressions()]
    assert len(found) > 20
    filled = [re.sub(r"%\(\w+\)s", "2", text) for kind in DECLARED.values() for text in templates(kind)]
    read = [
        (file, one, text)
        for file, one, words in found
        for text in filled
        if words & words_of(text) and re.search(one, text, re.IGNORECASE)
    ]
    assert read == []


@pytest.mark.parametrize("code", [code for code, kind in DECLARED.items() if kind.leads_to])
def test_every_way_is_a_command_and_its_arguments_convert(code: str) -> None:
    kind = DECLARED[code]
    of_reason = {one.name: one.type for one in msgspec.structs.fields(kind)}
    for way in kind.leads_to:
        taken = {one.encode_name: one.type for one in msgspec.structs.fields(COMMANDS[way.command])}
        for name, value in way.args.items():
            if isinstance(value, str) and value[:1] == "{":
                kind_of_value = of_reason[value[1:-1]]
                value = 2 if kind_of_value is int else "Ann" if kind_of_value is str else ("Ann",)
            msgspec.convert(value, taken[name])


@pytest.mark.parametrize(
    ("reason", "german"),
    [
        (BellNotRung(), "Die Glocke hat nicht geläutet."),
        (SwitchedOff(2), "Tisch 2: ausgeschaltet."),
        (StillRoll(("Ann", "Bob"), "wins"), "Ann und Bob würfeln noch um: meiste Siege."),
        (RoundNotOver(RoundName(1, 3)), "Durchgang 1, Runde 3 ist noch nicht vorbei."),
        (
            RolledSinceThen(2, 17, "1-2-5"),
            "Tisch 2 hat inzwischen wieder gewürfelt; der letzte Wurf ist jetzt Nr. 17: 1-2-5.",
        ),
        (RollFor("wipes"), "Würfelt um: die meisten Nullwürfe."),
        (ButtonStuck("MINI"), "Meldet eine Taste, die klemmt: MINI."),
        (DieLeans(2, 1, "cocked"), "Tisch 2: Würfel 1 liegt schief: wirf ihn noch einmal."),
        (SharesOff(90), "Die Anteile am Topf ergeben 90 Prozent und nicht 100: ändere einen."),
        (
            NoSuchRules("gnog", DidYouMean("gong")),
            "Es gibt keine Regeln „gnog“; meinst du gong?",
        ),
        (
            ArgumentWrong("pause", "minutes", "a number", "x", ""),
            "„x“ kann hier nicht stehen: ändere es und drück noch einmal.",
        ),
        (InEnglish("Nobody wrote this one."), "Nobody wrote this one."),
    ],
)  # fmt: skip
def test_sentences_are_german(reason: Reason, german: str) -> None:
    assert sentences("de").of(reason) == german


def test_a_page_says_what_to_press_where_a_command_line_says_what_to_type() -> None:
    other = OtherEnd(ThatTable(3), 40, 9, 3)
    assert "with branch 3" in other.english()
    assert "take it over" in sentences("en").of(other)
    texts = [
        text
        for code, kind in DECLARED.items()
        if code not in THE_LAPTOPS
        for text in [kind.page or kind.text]
    ]
    flat = [one for text in texts for one in ([text] if isinstance(text, str) else text)]
    assert [one for one in flat if COMMAND_LINE.search(re.sub(r"%\(\w+\)s", "X", one))] == []


def test_a_code_of_a_newer_head_is_told_by_its_english() -> None:
    english = "The bell has not rung.", "The lamp is green.", "And more."
    coded = Coded.of(BellNotRung()), Coded("lamp_is_green", {"table": 2})
    assert received(english, coded) == (BellNotRung(), *map(InEnglish, english[1:]))


@pytest.mark.parametrize("value", [(), ("",), (1,), (1, 2), "", "x", 0, -1, 2**53, 1e308, True, None])
def test_a_reason_that_anybody_may_send_can_be_shown(value: object) -> None:
    """Trace: one table told of a fault of no tables, `no_such_tables` with `[]`: no page could be drawn any
    more, no TV either.
    """
    for code, kind in DECLARED.items():
        reason = Coded(code, dict.fromkeys(kind.__struct_fields__, value)).reason()
        for lang in LANGUAGES:
            assert reason is None or isinstance(sentences(lang).of(reason), str)
