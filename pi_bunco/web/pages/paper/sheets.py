"""The result sheet and the score cards on paper: an HTML page without a server, the same as PDF, and CSV.

The PDF is made by WeasyPrint (extra `pdf`), which is loaded only when it is asked for.
"""

import csv
import io
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

import jinja2
from markupsafe import Markup
from msgspec import Struct

from pi_bunco.errors import BuncoError
from pi_bunco.game.sheet import PlayerCard, ResultSheet, RoundRow
from pi_bunco.web.pages.shared.charts import lines
from pi_bunco.web.pages.shared.model import Chart
from pi_bunco.web.site.assets import read_static, symbols
from pi_bunco.web.site.drawing import templates_of
from pi_bunco.words.catalogue import Texts, texts
from pi_bunco.words.results import ENGLISH_RESULTS, ResultWords

MOST_IN_CHART = 24
"""With more players the lines of the chart cannot be told apart."""
CARDS_ON_PAGE = 4


ROUNDS_ON_CARD = 24
"""Four sets; a longer evening goes on with another card."""


class CardPart(Struct, frozen=True):
    """As much of a score card as fits on a quarter of a page; the last part has the sums."""

    name: str
    part: int
    parts: int
    rows: Sequence[RoundRow]
    sums: PlayerCard | None


def result_page(sheet: ResultSheet, lang: str = "en") -> str:
    """The result sheet as one HTML document."""
    wording = texts(lang)
    title = wording.gettext("Results") + (f", {sheet.title}" if sheet.title else "")
    return _render("results", title, lang, sheet=sheet, chart=_chart(sheet, wording), die=_die)


def cards_page(cards: Sequence[PlayerCard], marks: Sequence[str], date: str, lang: str = "en") -> str:
    """The score cards, four on a page, as one HTML document; `marks` is what a card records."""
    partners = any(row.partner for card in cards for row in card.rounds)
    shown = {"pages": card_pages(cards), "marks": marks, "date": date, "partners": partners}
    return _render("cards", texts(lang).gettext("Score cards"), lang, **shown)


def card_pages(cards: Iterable[PlayerCard]) -> Sequence[Sequence[CardPart]]:
    """The cards in parts, page by page."""
    parts = [part for card in cards for part in _parts(card)]
    return [parts[first : first + CARDS_ON_PAGE] for first in range(0, len(parts), CARDS_ON_PAGE)]


def _parts(card: PlayerCard) -> Iterator[CardPart]:
    count = max(-(-len(card.rounds) // ROUNDS_ON_CARD), 1)
    for number in range(count):
        rows = card.rounds[number * ROUNDS_ON_CARD : (number + 1) * ROUNDS_ON_CARD]
        yield CardPart(card.name, number + 1, count, rows, card if number == count - 1 else None)


def pdf(page: str) -> bytes:
    """An HTML document of this module as PDF; `BuncoError` says what to install."""
    try:
        from weasyprint import HTML  # type: ignore[import-untyped]
    except (ImportError, OSError) as error:  # the latter where Pango is missing
        raise BuncoError("PDF needs WeasyPrint: apt install weasyprint, or pip install weasyprint") from error
    return bytes(HTML(string=page).write_pdf())


def result_table(sheet: ResultSheet) -> str:
    """Standings and prizes as CSV."""
    rows: list[list[object]] = [["place", "player", "wins", "losses", "buncos", "minis", "points", "left"]]
    for row in sheet.rows:
        left = "left" if row.gone else ""
        rows.append([row.place, row.name, row.wins, row.losses, row.buncos, row.minis, row.points, left])
    rows += [[], ["prize", "winner", "each", "of"]]
    for award in sheet.results.prizes:
        names = award.winners or (ENGLISH_RESULTS.who(award),)
        parts = award.shares or [award.each or award.award or ""] * len(names)
        rows += [
            [ENGLISH_RESULTS.heading(award), name, part, award.amount or ""]
            for name, part in zip(names, parts, strict=True)
        ]
    if remarks := ENGLISH_RESULTS.remarks(sheet.results):
        rows.append([])
        rows += [[remark] for remark in remarks]
    return as_csv(rows)


def cards_table(cards: Iterable[PlayerCard]) -> str:
    """Every round of every score card as CSV, one line each."""
    rows: list[list[object]] = [["player", "set", "face", "partner", "points", "result", "buncos", "minis"]]
    for card in cards:
        for row in card.rounds:
            result = "" if row.won is None else "W" if row.won else "L"
            rows.append(
                [card.name, row.set, row.face, row.partner, row.points, result, row.buncos, row.minis]
            )
    return as_csv(rows)


def wins_chart(sheet: ResultSheet) -> Chart | None:
    """Wins round by round; the first two and the last of the standings come first, to be drawn strong."""
    names = [row.name for row in sheet.rows]
    if len(names) > MOST_IN_CHART or sheet.rounds < 2:
        return None
    names = [*names[:2], *names[-1:], *names[2:-1]] if len(names) > 3 else names
    return Chart(tuple(names), tuple((0, *sheet.wins[name]) for name in names), "wins")


def _chart(sheet: ResultSheet, wording: Texts) -> Markup | None:
    chart = wins_chart(sheet)
    if chart is None:
        return None
    drawn = lines(chart.lines, chart.names, 3, wording.gettext("Wins after each round"))
    style = Markup("<style>{}</style>").format(Markup(_CHART))  # a PDF takes no other for a picture
    start = drawn.index(">") + 1
    return drawn[:start] + style + drawn[start:]


_CHART = """
.grid { stroke: #bbb; stroke-width: 0.7; }
.line { fill: none; stroke: #000; stroke-linejoin: round; }
.thin { stroke: #999; stroke-width: 1; }
.s1 { stroke-width: 3.2; }
.s2 { stroke-width: 2.4; stroke-dasharray: 7 4; }
.s3 { stroke-width: 1.8; stroke-dasharray: 1.5 4; }
text { font-family: "Atkinson Next", sans-serif; font-weight: 600; font-size: 13px; fill: #000; }
.tick { font-size: 11px; text-anchor: middle; }
.side { text-anchor: end; }
"""


def as_csv(rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV that no spreadsheet takes for formulas."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerows([_harmless(value) for value in row] for row in rows)
    return text.getvalue()


def _harmless(value: object) -> object:
    """Puts an apostrophe before a text that a spreadsheet would take for a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" and value else value


def _render(kind: str, title: str, lang: str, **values: object) -> str:
    return (
        _environment(lang)
        .get_template("paper/sheet.html")
        .render(kind=kind, title=title, lang=lang, **values)
    )


@cache
def _environment(lang: str) -> jinja2.Environment:
    environment = templates_of("pi_bunco.web.pages", texts(lang))
    environment.globals |= {
        "style": _style, "pictures": _pictures, "die": lambda _: "", "pencil": False,
        "icon": lambda name: _symbol(name, "i"), "rw": ResultWords(texts(lang)),
    }  # fmt: skip
    return environment


@cache
def _style() -> Markup:
    """The style with its fonts inside, so that the page is whole without a server."""
    text = "".join(read_static(name).decode() for name in ("tokens.css", "sheet.css"))
    return Markup(re.sub(r"url\((fonts/[\w.-]+)\)", lambda found: f"url({_embedded(found[1])})", text))


@cache
def _pictures() -> Markup:
    """Dice as backgrounds: a PDF takes far longer for an element each."""
    drawn = {f"d{face}": symbols()[f"d{face}"] for face in range(1, 7)}
    svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">{}</svg>'
    urls = {name: b64encode(svg.format(one).encode()).decode() for name, one in drawn.items()}
    rules = (
        f".card .{name}{{background-image:url(data:image/svg+xml;base64,{url})}}"
        for name, url in urls.items()
    )
    return Markup("\n".join(rules))


def _embedded(name: str) -> str:
    return f"data:font/woff2;base64,{b64encode(read_static(name)).decode()}"


def _symbol(name: str, kind: str) -> Markup:
    return Markup('<svg class="{}" viewBox="0 0 100 100">{}</svg>').format(kind, Markup(symbols()[name]))


@cache
def _die(face: int) -> Markup:
    return _symbol(f"d{face}", "die")
