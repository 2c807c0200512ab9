"""Answers to a host's commands, which stand on the host's pages for a while, and the keys under them."""

from typing import Literal

from msgspec import Struct

from pi_bunco.reason import Reason
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
        """What the address of the sheet calls it."""
        return f"{self.command}.{self.name}" if self.name else self.command


class Notice(Struct, frozen=True):
    """The answer to the command before: done, or refused for every reason in `why`.

    `ways` lead on from a refusal, or take back what was done.
    """

    done: bool
    command: str = ""
    why: tuple[Reason, ...] = ()
    ways: tuple[Action, ...] = ()


class _Shown(Struct):
    notice: Notice
    at: float


class Notices:
    """The latest answer of each host's session; times are ms."""

    def __init__(self) -> None:
        self._shown: dict[str, _Shown] = {}

    def of(self, session: HostSession | None, now: float) -> Notice | None:
        """The answer to the last command of a host, while it is news."""
        shown = self._shown.get(session.csrf) if session else None
        return shown.notice if shown and now - shown.at <= NOTICE_MS else None

    def put(self, session: HostSession, notice: Notice, now: float) -> None:
        """Shows a host an answer."""
        self._shown = {one: shown for one, shown in self._shown.items() if now - shown.at < NOTICE_MS}
        self._shown[session.csrf] = _Shown(notice, now)

    def seen(self, session: HostSession) -> None:
        """A host has read the answer."""
        self._shown.pop(session.csrf, None)
