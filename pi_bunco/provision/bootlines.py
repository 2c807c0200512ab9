"""Our lines in the firmware's `config.txt`, between two comments by which they are found again."""

import re

BEGIN = "# >>> pi-bunco"
END = "# <<< pi-bunco"
_BLOCK = re.compile(rf"^{BEGIN}\r?\n(?P<inner>(?:(?!{BEGIN}).*\n)*?){END}(?:\r?\n|$)", re.MULTILINE)
"""A whole block; a comment of it that stands alone is the host's."""


def with_lines(text: str, lines: str) -> str:
    """The text with `lines` between our comments, once and at the end, whatever was between them before."""
    without = without_lines(text)
    gap = "" if not without or without.endswith("\n") else "\n"
    return f"{without}{gap}{BEGIN}\n{inner(lines)}{END}\n"


def without_lines(text: str) -> str:
    """The text as it was before `with_lines`, but for an end of line at its end."""
    without = _BLOCK.sub("", text)
    return without if without == text else without_lines(without)


def inner(lines: str) -> str:
    """The lines between the comments: `[all]` first, as the file may end in a section of one model."""
    return f"[all]\n{lines.strip()}\n"
