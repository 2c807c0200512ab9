"""Answers to a host's commands, which stand on the host's pages for a while, and the keys under them."""

from typing import Literal

from msgspec import Struct

from pi_bunco.game.evening import Evening
from pi_bunco.reason import Reason
from pi_bunco.web.site.changes import stage
from pi_bunco.web.site.login import HostSession

NOTICE_MS = 60_000.0
"""Milliseconds for which the answer to a command stands on the page of whoever gave it."""


class Action(Struct, frozen=True):
    """A key: posts `command` with `args` (JSON text), or leads to `href`. `look` is a class of the key.

    `label` is a template of gettext that `name` fills in, empty for the command's own. `ask` shows the sheet
    first.
    """

    label: str
    command: str = ""
    args: str = "{}"
    href: str = ""
    look: Literal["", "brass", "felt", "ivory", "bad"] = ""
    name: str = ""
    icon: str = ""
    ask: bool = False

    @property
    def question(self) -> str:
        """The sheet's name in its address."""
        return f"{self.command}.{self.name}" if self.name else self.command


class Notice(Struct, frozen=True):
    """The answer to the command before: done, or refused for every reason in `why`.

    `keys` lead on from a refusal, or take back what was done; `table` is the one that the command named.
    """

    done: bool
    command: str = ""
    why: tuple[Reason, ...] = ()
    keys: tuple[Action, ...] = ()
    table: int = 0

    def moment(self, evening: Evening) -> object:
        """All of an evening that the answer speaks of: where any of it is another, the answer is old."""
        round_, people = evening.round, tuple(evening.people.present) if evening.rules else ()
        here = round_.tables[self.table - 1] if round_ and 0 < self.table <= len(round_.tables) else None
        turn = (here.seat, here.final) if here and self.command in ("turn", "confirm", "decide") else None
        seats = tuple(map(tuple, evening.seating or ()))
        return evening.id, stage(evening), seats, {*evening.bypassed}, {*evening.by_hand}, people, turn


class _Shown(Struct):
    notice: Notice
    at: float
    place: str
    moment: object


class Notices:
    """The latest answer of each host's session; times are ms."""

    def __init__(self) -> None:
        self._shown: dict[str, _Shown] = {}

    def of(self, session: HostSession, place: str, evening: Evening, now: float) -> Notice | None:
        """The answer to the last command of a host, while it is news; on the page where it was given."""
        shown = self._shown.get(session.csrf)
        if shown is None or shown.place != place or now - shown.at > NOTICE_MS:
            return None
        return shown.notice if shown.moment == shown.notice.moment(evening) else None

    def put(self, session: HostSession, notice: Notice, place: str, evening: Evening, now: float) -> None:
        """Shows a host an answer on the page `place`."""
        self._shown = {one: shown for one, shown in self._shown.items() if now - shown.at < NOTICE_MS}
        self._shown[session.csrf] = _Shown(notice, now, place, notice.moment(evening))

    def seen(self, session: HostSession) -> None:
        """A host has read the answer."""
        self._shown.pop(session.csrf, None)
