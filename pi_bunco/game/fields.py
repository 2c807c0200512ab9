"""The kinds of values that facts are made of, with their bounds (wire/README.md)."""

from typing import Annotated, Literal

from msgspec import Meta

from pi_bunco.rules.ruleset import AMOUNT, CONTROLS, PATTERNS, PRINTABLE
from pi_bunco.rules.ruleset import Face as Face

NAME_MAX_CHARS = 80
"""Characters of a player's name; 1,200 of them fit into one command."""
TEXT_MAX_CHARS = 64
"""Characters of any other text, unless said otherwise."""
LATEST_MS = 2**31
"""Milliseconds: no evening lasts longer than 24 days."""

VISIBLE = rf"^[^{CONTROLS}]*[^\s{CONTROLS}][^{CONTROLS}]*(?![\s\S])"

Millis = Annotated[int, Meta(ge=0, le=LATEST_MS)]
"""A time of the evening clock."""
Uptime = Annotated[int, Meta(ge=0, le=2**53 - 1)]
"""Milliseconds since a machine's boot."""
FaceoffDice = Annotated[tuple[Face, ...], Meta(min_length=2, max_length=4)]
"""A die of each side in a roll-off."""
TableNumber = Annotated[int, Meta(ge=1)]
Epoch = Annotated[int, Meta(ge=1)]
PrizePlace = Annotated[int, Meta(ge=1, le=99)]
"""The place that a prize is for, from 1."""
Count = Annotated[int, Meta(ge=0, le=9999)]
Seconds = Annotated[int, Meta(ge=0, le=86_400)]
"""Seconds of at most a day."""
Name = Annotated[str, Meta(pattern=VISIBLE, max_length=NAME_MAX_CHARS)]
ListedName = Annotated[str, Meta(pattern=PRINTABLE, max_length=NAME_MAX_CHARS)]
"""A name in a list that is judged as a whole: an empty one is found there."""
Text = Annotated[str, Meta(max_length=TEXT_MAX_CHARS)]
CALL = rf"^(one|two|mini|bunco|miss|wipe|{PATTERNS})(?![\s\S])"
EXPECTED = {
    PRINTABLE: "a text without control characters",
    VISIBLE: "a name of visible letters, without control characters",
    AMOUNT: 'an amount as a text, such as "60" or "59.50"',
    CALL: "one, two, mini, bunco, miss, wipe or a pattern of the rules",
}
"""A value of each pattern in words."""
Money = Annotated[str, Meta(pattern=AMOUNT)]
"""An amount as decimal text, such as `60` or `59.50`: a fact has no fractions."""
Seat = Literal["A", "B", "C", "D"]
Team = Literal["US", "THEM"]
Side = Team | Seat
"""The winner at a table: a team, or where each plays alone a seat."""
Winner = Side | Literal["table"]
TieStage = Literal["groups", "semi", "final"]
"""Stages of a tournament whose end can form a tie."""
TieDice = Literal[0, 1, 3]
"""Dice that each of a tie rolls; 0 where the host is asked."""
TieNumber = Annotated[int, Meta(ge=1, le=2**53 - 1)]
Stage = Literal["groups", "qualification", "semi_final", "order", "final", "done"]
"""Stages of a tournament."""
Call = Annotated[str, Meta(pattern=CALL)]
"""A roll by hand: a word, or a pattern of the rules."""
