"""Templates are code: short lines, and line breaks that mean nothing."""

from pathlib import Path

import jinja2
import pytest
from jinja2 import nodes

from pi_bunco.web import pages
from pi_bunco.web.site.drawing import LineBreaks

LONGEST = 140
FOLDER = Path(pages.__file__).parent
OF_THE_MODEL = {"selectattr", "rejectattr", "reject", "groupby", "sort", "unique", "sum"}
"""Filters that decide what is shown, which the model does."""


def test_no_line_of_a_template_is_long() -> None:
    long = [
        f"{path.relative_to(FOLDER)}:{number}"
        for path in sorted(FOLDER.rglob("*.html"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if len(line) > LONGEST
    ]
    assert long == []


def test_a_template_chooses_and_counts_nothing_itself() -> None:
    environment = pages.TEMPLATES._environment("en", None)
    chosen = [
        f"{path.relative_to(FOLDER)}:{one.lineno} {one.name}"
        for path in sorted(FOLDER.rglob("*.html"))
        for one in environment.parse(path.read_text()).find_all(nodes.Filter)
        if one.name in OF_THE_MODEL
    ]
    assert chosen == []


def drawn(source: str) -> str:
    environment = jinja2.Environment(extensions=["jinja2.ext.i18n", LineBreaks])
    environment.policies["ext.i18n.trimmed"] = True
    environment.install_null_translations(newstyle=True)  # type: ignore[attr-defined]
    return environment.from_string(source).render(a="x", b=2)


@pytest.mark.parametrize(
    ("source", "html"),
    [
        ("<p>\n  <b>a</b>\n  <i>b</i>\n</p>\n", "<p><b>a</b><i>b</i></p>"),
        ("<p>\n  {{ a }}\n  {{ b }}\n</p>", "<p>x2</p>"),
        ("<p>{{ a }} <b>b</b> c</p>", "<p>x <b>b</b> c</p>"),
        ("<p>one\n  two <b>b</b></p>", "<p>one\n  two <b>b</b></p>"),
        ('<a\n   href="/{{ a }}">\n  {% if b > 1 %}\n    yes\n  {% endif %}\n</a>', '<a href="/x">yes</a>'),
        ("<i{% if b > 1 %} class=\"on\"{% endif %}>\n</i>", '<i class="on"></i>'),
        ("{% trans %}\n  one\n  two\n{% endtrans %}", "one two"),
        ("{% trans n=b %}\n  {{ n }} of\n  two\n{% endtrans %}", "2 of two"),
    ],
)  # fmt: skip
def test_a_line_break_beside_a_tag_or_an_expression_is_no_space(source: str, html: str) -> None:
    assert drawn(source) == html


def test_a_mistake_is_told_with_its_line() -> None:
    with pytest.raises(jinja2.TemplateSyntaxError) as mistake:
        drawn("<p>\n  {{ a }}\n  {% nothing %}\n</p>")
    assert mistake.value.lineno == 3


def test_a_template_is_compiled_once_for_all_languages() -> None:
    english, german = (pages.TEMPLATES._environment(lang, None) for lang in ("en", "de"))
    one, other = (spoken.get_template("board/held.html") for spoken in (english, german))
    assert one.environment is english
    assert other.environment is german
    assert one.root_render_func.__code__ is other.root_render_func.__code__
