"""Templates break their lines freely: beside a tag or an expression a line break is no space."""

import re
from collections.abc import Iterator

from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream

_TAG_ENDS = re.compile(r"(<(?=[a-zA-Z/!])|>)")
_BREAK = r"\s*\n\s*"
_OUTER_BREAKS = re.compile(f"^{_BREAK}|{_BREAK}$")


class LineBreaks(Extension):
    """Takes line breaks out of what a template writes, but those inside a text; `{% trans %}` has its own."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        """The tokens of the template with shorter data."""
        in_tag = in_text = begins = False
        for token in stream:
            if begins and token.value in ("trans", "endtrans"):
                in_text = token.value == "trans"
            begins = token.type == "block_begin"
            if token.type == "data" and not in_text:
                data, in_tag = _joined(token.value, in_tag)
                token = Token(token.lineno, "data", data)
            yield token


def _joined(data: str, in_tag: bool) -> tuple[str, bool]:
    """The data without its line breaks, and the state at its end."""
    parts = []
    for part in _TAG_ENDS.split(data):
        if part in "<>" and part:
            in_tag = part == "<"
            parts.append(part)
        elif in_tag:
            parts.append(re.sub(_BREAK, " ", part))
        else:
            parts.append(_OUTER_BREAKS.sub("", part))
    return "".join(parts), in_tag
