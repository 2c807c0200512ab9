"""A sheet of labels to print and to stick onto the boxes: nothing on it is secret."""

from collections.abc import Iterator
from html import escape

import segno
from msgspec import Struct

from pi_bunco.provision.plan import Plan
from pi_bunco.wire.topics import HEAD, table_node

_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Labels of the hall {hall}</title>
<style>
@page {{ size: A4; margin: 10mm; }}
* {{ box-sizing: border-box; margin: 0; }}
body {{ color: #000; background: #fff; font: 10.5pt/1.35 system-ui, "DejaVu Sans", Arial, sans-serif; }}
main {{ display: grid; grid-template-columns: repeat(2, 94mm); width: 188mm; margin: 0 auto; }}
article {{ display: grid; grid-template-columns: 1fr 31mm; grid-template-rows: auto auto 1fr;
  column-gap: 4mm; height: 68mm; padding: 6mm; border: 0.3mm dashed #999; break-inside: avoid; }}
h1 {{ font-size: 48pt; line-height: 1; }}
h1.word {{ font-size: 38pt; }}
h2 {{ font-size: 12pt; grid-column: 1; overflow-wrap: anywhere; }}
p {{ grid-column: 1 / 3; align-self: end; }}
b {{ white-space: nowrap; }}
svg {{ grid-column: 2; grid-row: 1 / 3; width: 31mm; height: 31mm; }}
</style>
</head>
<body>
<main>
{labels}
</main>
</body>
</html>
"""
_LABEL = """\
<article>
<h1{word}>{large}</h1>
<h2>{name}<br>hall {hall}</h2>
{code}
<p>With the Pi switched off, put its card into the laptop and copy <b>{folder}/pi-bunco.toml</b> onto the
drive <b>bootfs</b>. Put the card back and switch the Pi on: it takes the file by itself.</p>
</article>"""


class Label(Struct, frozen=True):
    """What one label says; `code` is the text in its QR code."""

    large: str
    name: str
    folder: str
    code: str


def labels(plan: Plan) -> Iterator[Label]:
    """A label for each Pi of the hall."""
    also = " and table 1" if plan.head_table else ""
    yield Label("HEAD", f"Head{also}", HEAD, f"Bunco hall {plan.hall}: head{also}, at {plan.head}")
    for number in plan.alone:
        says = f"Bunco hall {plan.hall}: table {number}. Its head is at {plan.head}"
        yield Label(str(number), f"Table {number}", table_node(number), says)


def sheet(plan: Plan) -> str:
    """The labels as a page of HTML that needs nothing else, eight to a sheet of A4."""
    drawn = "\n".join(_drawn(label, plan.hall) for label in labels(plan))
    return _PAGE.format(hall=escape(plan.hall), labels=drawn)


def _drawn(label: Label, hall: str) -> str:
    return _LABEL.format(
        word="" if label.large.isdecimal() else ' class="word"',
        large=escape(label.large),
        name=escape(label.name),
        hall=escape(hall),
        code=_code(label.code),
        folder=escape(label.folder),
    )


def _code(text: str) -> str:
    code = segno.make_qr(text, error="m")
    return code.svg_inline(omitsize=True, border=4)
