"""Pictures that are numbers: pegs of the race, pencil strokes, charts, QR codes, as SVG without any style."""

import re
from collections.abc import Sequence

from markupsafe import Markup, escape

_FILLED = ' preserveAspectRatio="xMidYMid slice"'


def qr(text: str, label: str) -> Markup:
    """A QR code of `text`."""
    import segno  # takes a while, and not every page has a code

    drawn = segno.make(text, error="m", micro=False).svg_inline(
        border=0, omitsize=True, svgclass="qrcode", lineclass=None, title=label
    )
    return Markup(drawn.replace("<svg", '<svg role="img" shape-rendering="crispEdges"', 1))


def _svg(kind: str, width: int, height: int, drawn: str, label: str = "", more: str = "") -> Markup:
    """A drawing that `label` names; without one it is for the eye alone."""
    named = f'role="img" aria-label="{escape(label)}"' if label else 'aria-hidden="true"'
    return Markup(f'<svg class="{kind}" viewBox="0 0 {width} {height}" {named}{more}>{drawn}</svg>')


def wifi_name(text: str) -> str:
    """The name of the Wi-Fi in the text of its code, `WIFI:T:WPA;S:NAME;P:...;;`."""
    found = re.search(r"[:;]S:((?:[^;\\]|\\.)*)", text)
    return re.sub(r"\\(.)", r"\1", found[1]) if found else ""


def strokes(n: int) -> Markup:
    """Pencil strokes, five to a bundle; ten at most are drawn, the number is in the label."""
    drawn, x = "", 5
    for i in range(1, min(n, 10) + 1):
        if i % 5 == 0:
            drawn += f"M{x - 52} 27L{x - 6} 6"
            x += 10
        else:
            drawn += f"M{x + (i * 7 % 4) - 1} 4q{(i * 5 % 3) - 1} 12 {-2 + (i * 3 % 4)} 26"
            x += 13
    pencil = 'fill="none" stroke="currentColor" stroke-width="4.4" stroke-linecap="round"'
    return _svg("tally", x, 34, f'<path d="{drawn}" {pencil}/>', str(n))


def pegs(us: int, them: int | None, goal: int, label: str, bell: str) -> Markup:
    """Two rows of holes up to the bell, pegged as on a cribbage board: US round, THEM pointed; else one."""
    step = 630 / max(goal, 1)
    radius = min(11.0, step * 0.42)
    drawn = ""
    rows = [("us", 30, us)] if them is None else [("us", 14, us), ("them", 46, them)]
    for side, y, points in rows:
        for hole in range(1, goal + 1):
            x = 14 + (hole - 1) * step + 6 * ((hole - 1) // 5) * (goal <= 25)
            drawn += _peg(side, x, y, radius, hole <= points)
    drawn += f'<svg x="664" y="-4" width="68" height="68" viewBox="0 0 100 100" class="bell">{bell}</svg>'
    return _svg("pegboard", 736, 60, drawn, label)


def _peg(side: str, x: float, y: float, radius: float, pegged: bool) -> str:
    kind, r = (f"peg {side}", radius) if pegged else ("hole", radius / 2)
    if side == "us":
        return f'<circle class="{kind}" cx="{x:.0f}" cy="{y}" r="{r:.1f}"/>'
    r *= 1.2
    return f'<path class="{kind}" d="M{x:.0f} {y - r:.1f}l{r:.1f} {r:.1f}-{r:.1f} {r:.1f}-{r:.1f}-{r:.1f}z"/>'


def confetti() -> Markup:
    """Chips and dice that fall around a champion, at the edges, where no name stands."""
    drawn, seed = "", 5
    for cell in range(72):
        column, row = divmod(cell, 9)
        seed = (seed * 1103515245 + 12345) % 2**31
        x, y = column * 128 + 15 + seed // 65536 % 95, row * 120 + 15 + seed // 4096 % 85
        if 150 < y < 930 and x < 880 - (80 if y > 700 else 0):
            continue
        kind, size, turn = ("us", "them", "brass")[cell % 3], 10 + seed // 512 % 10, seed // 128 % 80
        if kind == "us":
            drawn += f'<circle class="us" cx="{x}" cy="{y}" r="{size}"/>'
        else:
            angle, side = (45 if kind == "them" else turn), round(size * 1.7)
            drawn += (
                f'<rect class="{kind}" x="{x}" y="{y}" width="{side}" height="{side}" rx="3" '
                f'transform="rotate({angle} {x} {y})"/>'
            )
    return _svg("confetti", 1060, 1080, drawn, more=_FILLED)


def minutes(left: int, whole: int, label: str) -> Markup:
    """A row of pegs, one for each minute of a break; those that are left are brass."""
    step = 1780 / max(whole, 1)
    drawn = "".join(
        f'<circle class="{"left" if i < left else "gone"}" cx="{step * (i + 0.5):.0f}" cy="40" '
        f'r="{min(24, step * 0.3) if i < left else min(9, step * 0.15):.0f}"/>'
        for i in range(whole)
    )
    return _svg("pegs", 1780, 80, drawn, label)


def lines(series: Sequence[Sequence[int]], names: Sequence[str], strong: int, label: str) -> Markup:
    """Values round by round, a line for each; the first `strong` are drawn strong and named at their end."""
    rounds = max((len(one) for one in series), default=1) - 1
    top = max((max(one, default=0) for one in series), default=0) or 1
    width, height = 700, 210

    def at(n: int, value: float) -> tuple[float, float]:
        return 28 + n * (width - 178) / max(rounds, 1), height - 26 - value * (height - 44) / top

    step = max(1, -(-top // 5))
    drawn = "".join(_grid(*at(0, v), at(rounds, v)[0], v) for v in range(0, top + 1, step))
    drawn += "".join(
        f'<text class="tick" x="{at(n, 0)[0]:.0f}" y="{height - 6}">{n}</text>' for n in range(1, rounds + 1)
    )
    for i in reversed(range(len(series))):
        path = "L".join(f"{x:.0f} {y:.1f}" for x, y in (at(n, v) for n, v in enumerate(series[i])))
        drawn += f'<path class="line {f"s{i + 1}" if i < strong else "thin"}" d="M{path}"/>'
    ends = sorted((at(rounds, series[i][-1])[1], i) for i in range(min(strong, len(series))) if series[i])
    right, y = at(rounds, 0)[0], -20.0
    for wanted, i in ends:
        y = max(wanted + 4, y + 16)
        drawn += (
            f'<text class="end" x="{right + 30:.0f}" y="{y:.0f}"{_fit(names[i])}>{escape(names[i])}</text>'
        )
        drawn += f'<path class="line s{i + 1}" d="M{right + 8:.0f} {y - 4:.0f}h16"/>'
    return _svg("chart", width, height, drawn, label)


def _fit(name: str) -> str:
    """Ends a long name where the chart ends."""
    return ' textLength="116" lengthAdjust="spacingAndGlyphs"' if len(name) > 14 else ""


def _grid(x: float, y: float, right: float, value: int) -> str:
    return (
        f'<path class="grid" d="M{x:.0f} {y:.0f}H{right:.0f}"/>'
        f'<text class="tick side" x="{x - 8:.0f}" y="{y + 4:.0f}">{value}</text>'
    )


def bars(values: Sequence[int], names: Sequence[str], label: str, dice: bool = False) -> Markup:
    """One bar for each value with its number above; under it a name, or the face of a die."""
    top = max(values, default=0) or 1
    wide = 420 / max(len(values), 1)
    drawn = ""
    for i, (value, name) in enumerate(zip(values, names, strict=True)):
        tall, x = 120 * value / top, i * wide
        middle = x + wide / 2
        drawn += (
            f'<rect class="column" x="{x + wide * 0.14:.1f}" y="{148 - tall:.1f}" width="{wide * 0.72:.1f}" '
            f'height="{tall:.1f}" rx="4"/>'
            f'<text class="value" x="{middle:.1f}" y="{140 - tall:.1f}">{value}</text>'
        )
        if dice:
            drawn += f'<use href="#d{i + 1}" x="{middle - 15:.1f}" y="154" width="30" height="30"/>'
        else:
            drawn += f'<text class="tick" x="{middle:.1f}" y="172">{escape(name)}</text>'
    return _svg("chart", 420, 188, drawn, label)


def evening(
    sets: int,
    rounds: int,
    after: int,
    rest: int,
    whole: int,
    room: int,
    start: str,
    end: str,
    until: str,
    word: str,
    duration: str,
) -> Markup:
    """The evening from left to right: a block for each round, the break, and what is left of the time."""
    scale = 636 / max(whole, room, 1)
    after = after if rest and 0 < after < sets else 0
    each = (whole - (rest if after else 0)) / max(sets * rounds, 1) * scale
    drawn, x, break_at = "", 2.0, 0.0
    for i in range(sets):
        for _ in range(rounds):
            drawn += _block("round", x + each * 0.06, each * 0.88)
            x += each
        if i + 1 == after:
            drawn += _block("rest", x, rest * scale)
            break_at = x + rest * scale / 2
            x += rest * scale
    if room > whole:
        drawn += f'<rect class="room" x="{x + 2:.1f}" y="7" width="{636 - x:.1f}" height="32" rx="4"/>'
    texts = [(2.0, "start", start), (x, "middle" if room > whole else "end", end)]
    texts += [(break_at, "middle", word)] if after and break_at > 90 else []
    texts += [(638.0, "end", until)] if room > whole * 1.2 else []
    for place, anchor, text in texts:
        drawn += f'<text x="{place:.0f}" y="80" class="a-{anchor}">{escape(text)}</text>'
    return _svg("chart eveningbar", 640, 90, drawn, duration)


def _block(kind: str, x: float, width: float) -> str:
    return f'<rect class="{kind}" x="{x:.1f}" y="6" width="{width:.1f}" height="34" rx="4"/>'
