"""The texts that provision writes, from `templates/`."""

import functools
from importlib import resources
from typing import Any


def text(name: str) -> str:
    """A file of `templates/` as it is."""
    return (resources.files("pi_bunco.provision") / "templates" / name).read_text("utf-8")


def rendered(name: str, **values: object) -> str:
    """A template with these values; in HTML they are escaped."""
    return str(_environment().get_template(name).render(values))


@functools.cache
def _environment() -> Any:
    import jinja2  # only where cards are made

    found = jinja2.Environment(
        loader=jinja2.FunctionLoader(text),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
        autoescape=lambda name: name is not None and name.endswith(".html"),
    )
    found.filters |= {"quoted": quoted, "qr": _qr}
    return found


def quoted(text: str) -> str:
    """The text in YAML's double quotes."""
    plain = (
        letter if letter.isprintable() and letter not in '"\\' else f"\\U{ord(letter):08X}" for letter in text
    )
    return f'"{"".join(plain)}"'


def _qr(text: str) -> Any:
    import segno
    from markupsafe import Markup

    return Markup(segno.make_qr(text, error="m").svg_inline(omitsize=True, border=4))
