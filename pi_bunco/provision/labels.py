"""The paper of a hall: labels for the boxes, the host's page, and "Your first night".

Each is a page of HTML that needs nothing else; on the labels and the first night nothing is secret.
"""

from collections.abc import Iterator
from html import escape

import segno
from msgspec import Struct

from pi_bunco.provision import guide
from pi_bunco.provision.accounts import Secrets
from pi_bunco.provision.plan import Plan
from pi_bunco.provision.seed import wifi_code
from pi_bunco.wire.topics import HEAD, table_node

_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<style>
@page {{ size: A4; margin: {margin}; }}
* {{ box-sizing: border-box; margin: 0; }}
body {{ color: #000; background: #fff; font: {font} system-ui, "DejaVu Sans", Arial, sans-serif; }}
{style}
</style>
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""
_LABELS = """\
main { display: grid; grid-template-columns: repeat(2, 94mm); width: 188mm; margin: 0 auto; }
article { display: grid; grid-template-columns: 1fr 31mm; grid-template-rows: auto auto 1fr;
  column-gap: 4mm; height: 68mm; padding: 6mm; border: 0.3mm dashed #999; break-inside: avoid; }
h1 { font-size: 48pt; line-height: 1; }
h1.word { font-size: 38pt; }
h2 { font-size: 12pt; grid-column: 1; overflow-wrap: anywhere; }
p { grid-column: 1 / 3; align-self: end; }
b { white-space: nowrap; }
svg { grid-column: 2; grid-row: 1 / 3; width: 31mm; height: 31mm; }"""
_LABEL = """\
<article>
<h1{word}>{large}</h1>
<h2>{name}<br>hall {hall}</h2>
{code}
<p>With the Pi switched off, put its card into the laptop and copy all that is in the folder <b>{folder}</b>
onto the drive <b>bootfs</b>. Put the card back and switch the Pi on: it does the rest by itself.</p>
</article>"""
_HOST = """\
main { width: 174mm; margin: 0 auto; }
h1 { font-size: 28pt; margin-bottom: 6mm; }
h1.alone { break-before: page; padding-top: 6mm; }
section { display: grid; grid-template-columns: 52mm 1fr; column-gap: 8mm; align-items: center;
  padding: 6mm 0; border-top: 0.3mm solid #999; break-inside: avoid; }
h2 { font-size: 14pt; }
p { margin-top: 2mm; }
strong { font-size: 20pt; overflow-wrap: anywhere; }
svg { width: 52mm; height: 52mm; grid-row: 1 / 3; }
footer { padding-top: 6mm; border-top: 0.3mm solid #999; }"""
_GUESTS = "This sheet may hang on the wall: whoever reads it can look on, and nothing more."
_NIGHT = """\
main { width: 174mm; margin: 0 auto; }
h1 { font-size: 24pt; margin-bottom: 3mm; }
h2 { font-size: 13pt; margin: 5mm 0 1mm; }
ol { padding-left: 9mm; }
li { margin: 1.5mm 0; break-inside: avoid; }"""


class Label(Struct, frozen=True):
    """The words of one label; `code` is the text in its QR code."""

    large: str
    name: str
    folder: str
    code: str


def sheets(plan: Plan, secrets: Secrets) -> dict[str, str]:
    """All that is printed, by the names of the files."""
    labels = {"labels.html": sheet(plan)}
    if plan.laptop:  # which shows address, PIN and what to do by itself
        return labels
    return {"host.html": host(plan, secrets), "first-night.html": first_night(plan)} | labels


def labels(plan: Plan) -> Iterator[Label]:
    """A label for each Pi of the hall."""
    also = " and table 1" if plan.head_number else ""
    if not plan.laptop:
        yield Label("HEAD", f"Head{also}", HEAD, f"Bunco hall {plan.hall}: head{also}, at {plan.at}")
    for number in plan.alone:
        says = f"Bunco hall {plan.hall}: table {number}. Its head is at {plan.at}"
        yield Label(str(number), f"Table {number}", table_node(number), says)


def sheet(plan: Plan) -> str:
    """The labels, eight to a sheet of A4."""
    drawn = "\n".join(_drawn(label, plan.hall) for label in labels(plan))
    return _page(f"Labels of the hall {plan.hall}", "10mm", "10.5pt/1.35", _LABELS, drawn)


def host(plan: Plan, secrets: Secrets) -> str:
    """Two sheets: how guests get into the Wi-Fi and to the scoreboard, for the wall; and the host's PIN."""
    parts = []
    if wifi := plan.wifi_name:
        text = "".join(
            f"<p>{word} <strong>{escape(value)}</strong></p>"
            for word, value in (("Wi-Fi", wifi), ("Password", secrets.wifi))
            if value
        )
        text += "" if secrets.wifi else "<p>It asks for no password.</p>"
        parts.append(_section(wifi_code(plan, secrets.wifi), "1. Join the Wi-Fi", text))
    number = len(parts) + 1
    where = f"<p><strong>{escape(plan.page)}</strong></p>"
    parts.append(_section(plan.page, f"{number}. Open the scoreboard", where))
    address = f"{plan.page}/host"
    pin = (
        f"<p><strong>{escape(address)}</strong></p><p>PIN <strong>{escape(secrets.pin)}</strong></p>"
        "<p>Keep this sheet to yourself: who has the PIN runs the evening.</p>"
    )
    title = f"Bunco, hall {escape(plan.hall)}"
    guests = f"<h1>{title}</h1>\n{''.join(parts)}\n<footer><p>{_GUESTS}</p></footer>"
    alone = f'<h1 class="alone">{title}: for the host alone</h1>\n{_section(address, "Run the evening", pin)}'
    return _page(f"The host's page of the hall {plan.hall}", "18mm", "12pt/1.35", _HOST, f"{guests}\n{alone}")


def first_night(plan: Plan) -> str:
    """One page that a person follows with a finger."""
    lines = ["<h1>Your first night</h1>"]
    number = 1
    for part in guide.first_night(plan):
        steps = "\n".join(f"<li>{escape(step)}</li>" for step in part.steps)
        lines.append(f'<h2>{escape(part.heading)}</h2>\n<ol start="{number}">\n{steps}\n</ol>')
        number += len(part.steps)
    return _page("Your first night", "15mm", "11pt/1.35", _NIGHT, "\n".join(lines))


def _page(title: str, margin: str, font: str, style: str, body: str) -> str:
    return _PAGE.format(title=escape(title), margin=margin, font=font, style=style, body=body)


def _section(code: str, heading: str, text: str) -> str:
    return f"<section>{_code(code)}<h2>{escape(heading)}</h2><div>{text}</div></section>"


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
