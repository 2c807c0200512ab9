"""A list of names across the room: as large as all of them can stand on a TV, on as few pages as can be read.

Measures are rem of `tv.css`: the screen is 120 wide and 67.5 high, and 2.7 is what is read at 5 m.
"""

from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from pi_bunco.web.pages.shared.model import PrizeRow
from pi_bunco.web.pages.shared.names import width

LARGEST_REM = 4.6
READABLE_REM = 2.7
SMALLEST_REM = 1.6
HEIGHT_REM = 50.0
"""Height of a list below its heading."""
GAP_REM = 3.0
RULE_REM = 0.45
LETTER_EM = 0.6
"""Width of an ordinary bold letter, of the size of its type."""
LINE_EM, TWO_LINES_EM = 1.28, 2.3
"""Height of a name on one line and on two, of the size of its type."""
LONG_WORD_LETTERS = 15
"""A word of more letters than this gets a hyphen in its middle where names stand on two lines."""
LARGEST_LINE_REM = 3.0
MOST_PAGES = 40
PRIZE_TENTHS = 31
PAD_WIDTH_REM, PAD_HEIGHT_REM = 31.0, 54.0
"""Room for the names on the pad of the finale, beside what they win."""


class NameList(Struct, frozen=True):
    """Layout of names on a page: in `columns` of `rows`, in type of `tenths` rem, on one line or two."""

    columns: int
    rows: int
    tenths: int
    two_lines: bool
    pages: int

    def lines(self, name: str) -> tuple[str, ...]:
        """The lines on which a name stands."""
        return halves(name) if self.two_lines else (name,)


@lru_cache(maxsize=4096)
def halves(name: str) -> tuple[str, ...]:
    """A name on two lines where it can be: broken at the space or hyphen that leaves the shorter lines."""
    breaks = [at for at, letter in enumerate(name) if letter == " "]
    breaks += [at + 1 for at, letter in enumerate(name) if letter == "-" and 1 < at < len(name) - 2]
    if breaks:
        pairs = [(name[:at].strip(), name[at:].strip()) for at in breaks]
        return min(pairs, key=lambda pair: max(map(width, pair)))
    if len(name) <= LONG_WORD_LETTERS:
        return (name,)
    middle = len(name) // 2
    return f"{name[:middle]}-", name[middle:]


def line_tenths(names: Sequence[str], width_rem: float) -> int:
    """The tenths of a rem at which each of the names stands on one line."""
    widest = max(map(width, names), default=1.0)
    return int(10 * max(SMALLEST_REM, min(LARGEST_LINE_REM, width_rem / (LETTER_EM * max(widest, 1.0)))))


def prize_tenths(prizes: Sequence[PrizeRow]) -> int:
    """The tenths of a rem at which the prizes and all who won them stand on the pad of the finale."""
    for tenths in range(PRIZE_TENTHS, int(10 * SMALLEST_REM), -1):
        if sum(_prize_rem(prize, tenths / 10) for prize in prizes) <= PAD_HEIGHT_REM:
            return tenths
    return int(10 * SMALLEST_REM)


def _prize_rem(prize: PrizeRow, size: float) -> float:
    """The height of a prize: its title, the names on as many lines as they take, a rule for who rolls."""
    names = prize.award.names or prize.award.tied
    letters = width(" ".join((*names, "and", "a tie:")) if names else "nobody") + 4 * len(names) * bool(
        prize.roll
    )
    lines = -(-letters * LETTER_EM * size // PAD_WIDTH_REM) + (2 if prize.roll else 0)
    return size * (1.4 + 1.12 * lines)


@lru_cache(maxsize=32)
def fitted(names: tuple[str, ...], width_rem: float, beside_rem: float) -> NameList:
    """The fewest pages on which all can be read, or the longest is as large as can be, in the largest type.

    A list is `width_rem` wide; `beside_rem` of each column are the table's number and what stands with it.
    """
    whole = max(map(width, names), default=1.0)
    half = max((width(line) for name in names for line in halves(name)), default=1.0)
    enough = min(READABLE_REM, _room(2, width_rem, beside_rem) / (LETTER_EM * half) - 0.01)
    for pages in range(1, MOST_PAGES):
        per_page = -(-len(names) // pages)
        best = max(
            _size(columns, -(-per_page // columns), width_rem, beside_rem, whole, half)
            for columns in ((1, 2, 3, 4) if len(names) <= 6 else (2, 3, 4))
        )
        if best[0] >= enough:
            break
    size, columns, rows, two_lines = best
    return NameList(-columns, rows, int(max(size, SMALLEST_REM) * 10), two_lines, pages)


def _size(
    columns: int, rows: int, width_rem: float, beside_rem: float, whole: float, half: float
) -> tuple[float, int, int, bool]:
    """The size of type in that many columns; of equal sizes the one with fewer columns."""
    room = _room(columns, width_rem, beside_rem)
    high = HEIGHT_REM / max(rows, 1) - RULE_REM
    one = min(room / (LETTER_EM * whole), high / LINE_EM)
    two = min(room / (LETTER_EM * half), high / TWO_LINES_EM)
    return round(min(LARGEST_REM, max(one, two)), 2), -columns, rows, two > one


def _room(columns: int, width_rem: float, beside_rem: float) -> float:
    """The width (rem) that a name has in one of the columns."""
    return (width_rem - GAP_REM * (columns - 1)) / columns - beside_rem
