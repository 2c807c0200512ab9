"""Text of an SVG as outlines, so that a picture looks the same whatever fonts a machine has."""

from functools import cache
from typing import Any
from xml.etree import ElementTree as ET

from ziafont.font import Font

SVG = "http://www.w3.org/2000/svg"
NARROW = 0.86
"""DejaVu Sans, which comes with ziafont, is this much wider than Arial, for which the layouts make room."""
GLYPH_SIZE = 12
"""The size in points at which ziafont gives outlines."""
RISE = {"central": 0.36, "hanging": 0.73, "ideographic": -0.2}
"""From a text's reference line down to its baseline, in sizes of the font."""
ANCHOR = {"start": 0.0, "middle": 0.5, "end": 1.0}

ET.register_namespace("", SVG)
ET.register_namespace("xlink", "http://www.w3.org/1999/xlink")


def outlined(svg: str) -> str:
    """The same picture without `text` elements: each is a group of outlines, with its words as label."""
    root = ET.fromstring(svg)
    used: dict[str, ET.Element] = {}
    for parent in list(root.iter()):
        for place, child in enumerate(list(parent)):
            if child.tag == f"{{{SVG}}}text":
                parent[place] = _group(child, used)
    defs = ET.Element(f"{{{SVG}}}defs")
    defs.extend(used[name] for name in sorted(used))
    root.insert(0, defs)
    ET.indent(root, " ")
    return ET.tostring(root, encoding="unicode") + "\n"


def _group(text: ET.Element, used: dict[str, ET.Element]) -> ET.Element:
    spans = list(text)
    size = float(text.get("font-size", 14))
    rise = RISE.get(text.get("dominant-baseline", ""), 0.0) * size
    words = ["".join(span.itertext()) for span in spans] or [text.text or ""]
    group = ET.Element(
        f"{{{SVG}}}g", {"role": "img", "aria-label": " ".join(words).replace("\xa0", " ").strip()}
    )
    for name in ("fill", "transform"):
        if name in text.attrib:
            group.set(name, text.attrib[name])
    y = float(text.get("y", 0)) + rise
    for number, line in enumerate(words):
        x = float(spans[number].get("x", 0)) if spans else float(text.get("x", 0))
        y += float(spans[number].get("dy", 0)) if spans else 0.0
        group.append(_line(line, x, y, size, ANCHOR[text.get("text-anchor", "start")], used))
    return group


def _line(
    words: str, x: float, y: float, size: float, anchor: float, used: dict[str, ET.Element]
) -> ET.Element:
    scale = size / GLYPH_SIZE
    width = sum(_advance(letter) for letter in words) * scale * NARROW
    place = f"translate({x - anchor * width:.2f} {y:.2f}) scale({scale * NARROW:.6f} {scale:.6f})"
    line = ET.Element(f"{{{SVG}}}g", {"transform": place})
    at = 0.0
    for letter in words:
        if not letter.isspace():
            name = f"u{ord(letter):x}"
            used[name] = _glyph(letter, name)
            ET.SubElement(line, f"{{{SVG}}}use", {"href": f"#{name}", "x": f"{at:.2f}"})
        at += _advance(letter)
    return line


def _glyph(letter: str, name: str) -> ET.Element:
    path = _font().glyph(letter).svgpath()
    return ET.Element(f"{{{SVG}}}path", {"id": name, "d": path.get("d").strip()})


@cache
def _advance(letter: str) -> float:
    return float(_font().glyph(letter).advance() / _font().info.layout.unitsperem * GLYPH_SIZE)


@cache
def _font() -> Any:
    return Font()
