"""The host's page that prepares an evening."""

from typing import Literal

from msgspec import Struct

from pi_bunco.reason import Reason
from pi_bunco.rules import RuleSet
from pi_bunco.web.pages.host.frame import HostPage
from pi_bunco.web.pages.host.prepare.draft import MAX_NAMES_BYTES, Draft, lines
from pi_bunco.web.pages.shared.model import BellRule, TableShown
from pi_bunco.web.site.guard import MOST_OF_HOST_BYTES
from pi_bunco.web.site.reasons import TooManyNames


class RuleChoice(Struct, frozen=True):
    """A rule set to choose: `minutes` of the whole evening; `published` as house rules by others."""

    id: str
    name: str
    minutes: int
    rules: RuleSet
    house: bool = False
    chosen: bool = False
    published: bool = False
    rule: BellRule | None = None


class Dimension(Struct, frozen=True):
    """One dimension of the rule set with its values in words; `changed` from the preset."""

    key: str
    value: str
    values: tuple[str, ...] = ()
    changed: bool = False


class Shorter(Struct, frozen=True):
    """A change of the rules that makes the evening `minutes` long: `points` that ring, or fewer `sets`."""

    mend: str
    minutes: int
    points: int = 0
    sets: int = 0


class HostPrepare(HostPage, frozen=True):
    """`/host/prepare`: people, rules, money, seats; `problems` are sentences about the names.

    `running` while an evening is played; `unclosed` while one would be closed by opening another, which
    the sheet `asks` about first. Beside a problem stands the name that may be of one person or two.
    """

    template = "host/prepare/host_prepare.html"
    scripts = ("seats.js", "drawer.js")
    live = False

    step: Literal["people", "rules", "money", "seats"]
    draft: Draft
    tables: int
    ghosts: int
    problems: tuple[tuple[Reason, str], ...]
    rules: tuple[RuleChoice, ...]
    dimensions: tuple[Dimension, ...]
    groups: int
    most_groups: int
    sets: int
    rounds: int
    rolls: int
    end: str
    minutes: int
    too_long: bool
    shorter: tuple[Shorter, ...]
    break_after: int
    break_minutes: int
    prizes: tuple[tuple[str, str], ...]
    pot: str
    seats: tuple[TableShown, ...]
    open: bool
    running: bool
    unclosed: bool = False
    asks: bool = False
    last_time: int = 0
    more: bool = False
    room: int = 0
    most_bytes: int = MOST_OF_HOST_BYTES
    too_many: Reason = TooManyNames(MAX_NAMES_BYTES)

    @property
    def names(self) -> list[str]:
        """The lines of the list."""
        return lines(self.draft)
