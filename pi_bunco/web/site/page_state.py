"""State behind the pages: the evening as it is followed, hosts, phone tables, what is kept."""

import secrets
import time
from collections.abc import Hashable, Mapping
from functools import partial
from typing import Any

import msgspec

from pi_bunco.reason import Reason
from pi_bunco.web.site.backend import Backend
from pi_bunco.web.site.effects import CommandDone
from pi_bunco.web.site.evening_now import EveningNow, PhonePlay
from pi_bunco.web.site.login import PIN_DIGITS, HostSession, Login, TableCode, TableCodes
from pi_bunco.web.site.notices import Notice, Notices
from pi_bunco.web.site.page_store import kept_dict
from pi_bunco.web.site.reasons import ManyPages
from pi_bunco.web.site.screens import Screens
from pi_bunco.web.site.sounds import Sounds, sounds
from pi_bunco.web.site.streams import MANY, MAX_EVENT_STREAMS, SCREEN_ASKED
from pi_bunco.web.site.themes import Theme, shipped
from pi_bunco.web.site.viewer import Viewer
from pi_bunco.wire.messages import Command

HERE_MS = 60_000.0
"""Milliseconds after the last look at which a host is not there any more."""
SECRET, SESSIONS, TITLE, DRAFT = "secret", "sessions", "title", "draft"
REVEALED, SKIPPED = "revealed", "skipped"
SCREEN_WORDS = "screens"
SOUNDS, THEME = "sounds", "theme"
HELPER_PIN, HELPERS = "helper_pin", "helpers"
"""Names of kept values."""


class PageState:
    """The state of the pages beside the evening's own."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.controller = backend.controller
        self.changes, self.streams, self.guests = backend.changes, backend.streams, backend.guests
        kept = backend.archive.kept
        self.login = self._login(backend.settings.pin, SESSIONS, backend.settings.key)
        self.helpers = self._login(self.helper_pin or None, HELPERS)
        self.codes = TableCodes(self._secret())
        self.screens = Screens(kept.get(SCREEN_WORDS))
        self.themes = {one.id: one for one in (*backend.own_files.themes(), *shipped())}
        self.notices = Notices()
        self._here: dict[str, tuple[str, float]] = {}
        self._coded: tuple[str, Mapping[int, TableCode]] = "", {}
        self._now: EveningNow | None = None

    def _login(self, pin: str | None, sessions: str, key: str | None = None) -> Login:
        """Those who know the PIN, whose sessions outlast a restart."""
        archive = self.backend.archive
        return Login(pin, kept_dict(archive.kept.get(sessions)), key, partial(archive.keep, sessions))

    def unix_s(self) -> int:
        """The time of day (Unix, s)."""
        return int(self.controller.unix(self.backend.clock.now()))

    @property
    def helper_pin(self) -> str:
        """The PIN of helpers at the door; "" while the host lets none in."""
        return str(self.backend.archive.kept.get(HELPER_PIN) or "")

    def let_helpers_in(self) -> None:
        """Draws a new PIN for the helpers; whoever came in with the one before is out."""
        pin = f"{secrets.randbelow(10**PIN_DIGITS):0{PIN_DIGITS}d}"
        self.backend.archive.keep(HELPER_PIN, pin)
        self.backend.archive.keep(HELPERS, {})
        self.helpers = self._login(pin, HELPERS)
        self.changes.changed()

    def _secret(self) -> bytes:
        archive = self.backend.archive
        if not isinstance(archive.kept.get(SECRET), str):
            archive.keep(SECRET, secrets.token_hex(32))
        return bytes.fromhex(archive.kept[SECRET])

    # Pages.

    def seconds(self) -> int:
        """The clock that pages go by."""
        return int(self.backend.clock.now() // 1000)

    def evening_now(self) -> EveningNow:
        """The evening and its devices now: one for all pages, until something changes or a second is over."""
        stamp = (self.changes.version, self.seconds())
        now = self._now
        if now is None or now.stamp != stamp:
            made = now.made if now and now.evening is self.controller.folded.evening else {}
            now = self._now = self._evening_now(stamp, made)
        return now

    def _evening_now(self, stamp: object, made: dict[Hashable, tuple[object, Any]]) -> EveningNow:
        controller, now, kept = self.controller, self.backend.clock.now(), self.backend.archive.kept
        folded = controller.folded
        numbers = frozenset(self.backend.phone_link.running)
        return EveningNow(
            evening=folded.evening,
            log=folded.log,
            recent=folded.recent,
            t=controller.evening_clock(now),
            began=controller.began,
            zone=time.localtime(controller.unix(now)).tm_gmtoff,
            title=str(kept.get(TITLE) or ""),
            base=self.backend.base,
            tables=controller.presences.tables(now, numbers),
            head=controller.presences.head_presence(now),
            hosts=self._hosts(now),
            late=self._late(),
            guests=self.guests.tonight(),
            portraits=frozenset(self.backend.portraits.ids),
            absent=self.guests.absent(),
            old_logs=controller.presences.with_old_logs(),
            helper_pin=self.helper_pin,
            pis=self.backend.pis.now(),
            codes=self._codes(numbers),
            ignored=folded.ignored,
            revealed=self._revealed(),
            skipped=kept.get(SKIPPED) == [folded.id, len(folded.evening.rounds)],
            crowd=self._crowd(),
            screens=self.screens.now(now),
            sounds=self._sounds(),
            stamp=stamp,
            round_stamp=self.changes.rounds,
            made=made,
            theme=self.theme.id if self.theme else "",
            themes=tuple(self.themes.values()),
            own_files=self.backend.own_files.all(),
        )

    def say_of_screen(self, id: str, name: str, show: str | None) -> None:
        """A host names a screen, and says what it shows from now on."""
        self.backend.archive.keep(SCREEN_WORDS, self.screens.say(id, name, show))
        self.ask_screens()

    def say_of_all(self, words: Mapping[str, str]) -> None:
        """A host says how all screens look and sound from now on."""
        self.backend.archive.keep(SOUNDS, msgspec.to_builtins(sounds(words)))
        self.backend.archive.keep(THEME, words.get("theme", ""))
        self.ask_screens()

    @property
    def theme(self) -> Theme | None:
        """The theme that the host has chosen for the hall."""
        return self.themes.get(str(self.backend.archive.kept.get(THEME)))

    def ask_screens(self) -> None:
        """Has every screen ask what it is to show, and how it sounds."""
        self.streams.push(SCREEN_ASKED)
        self.changes.changed()

    def _sounds(self) -> Sounds:
        return sounds(self.backend.archive.kept.get(SOUNDS))

    def sounds_now(self) -> Mapping[str, Any]:
        """Sound of a screen at this hour: `sounds`, and the addresses of the host's `own`."""
        theme = self.theme.pack if self.theme else "bell"
        sounds = self._sounds().at(time.localtime(self.unix_s()).tm_hour, theme)
        return {"sounds": sounds, "own": self.backend.own_files.sounds()}

    def _codes(self, numbers: frozenset[int]) -> Mapping[int, TableCode]:
        """Codes of the phone tables, which are the same all evening."""
        evening, known = self._coded
        if evening != self.controller.folded.id or known.keys() != numbers:
            evening = self.controller.folded.id
            self._coded = evening, {number: self.codes.code(evening, number) for number in sorted(numbers)}
        return self._coded[1]

    def _crowd(self) -> Reason | None:
        streams, browsers = self.streams, self.backend.browsers
        if len(streams) < MANY and not (browsers.scarce and browsers.refused):
            return None
        return ManyPages(len(streams), MAX_EVENT_STREAMS, streams.refused + browsers.refused)

    def _revealed(self) -> int | None:
        """Number of steps of the finale that were told; None where nobody waits for the host's next one."""
        evening = self.controller.folded.evening
        if evening.closed or evening.state != "finished":
            return None
        kept = self.backend.archive.kept.get(REVEALED)
        if not isinstance(kept, list) or len(kept) != 2 or kept[0] != self.controller.folded.id:
            return 0
        return int(kept[1])

    def tell(self, revealed: int) -> None:
        """The scoreboards tell that many steps of the finale from now on."""
        self.backend.archive.keep(REVEALED, [self.controller.folded.id, max(revealed, 0)])
        self.changes.changed()

    def skip(self, skipped: bool) -> None:
        """The scoreboards tell the seats alone until the next round, or all of the show again."""
        folded = self.controller.folded
        self.backend.archive.keep(SKIPPED, [folded.id, len(folded.evening.rounds)] if skipped else None)
        self.changes.changed()

    def _late(self) -> tuple[tuple[str, str], ...]:
        """Players who come late, while the time is still to come."""
        now = time.localtime(self.unix_s())
        minute = now.tm_hour * 60 + now.tm_min
        late = [one for one in self.guests.people.values() if one.state == "late" and one.at]
        return tuple((one.name, one.at) for one in late if (_minute(one.at) - minute) % 1440 < 720)

    def play(self, number: int, viewer: Viewer) -> PhonePlay | None:
        """A phone table as its service has it; None where it is no phone table."""
        phone = self.backend.phone_link.running.get(number)
        if phone is None:
            return None
        return PhonePlay(
            table=phone.table,
            dice=phone.state.dice,
            unsent=phone.state.unsent,
            round=phone.round,
            state=phone.name,
            online=phone.state.online,
            why=phone.refused,
            mode=viewer.mode,
            allowed=viewer.admitted != "" and viewer.admitted == self.controller.folded.id,
            code_wrong=bool(viewer.wrong),
        )

    # Hosts.

    def came(self, session: HostSession) -> None:
        """A host looks at a page."""
        self._here[session.csrf] = session.by, self.backend.clock.now()

    def notice(self, viewer: Viewer) -> Notice | None:
        """The answer to the last command of a host, while it is news."""
        evening, now = self.controller.folded.evening, self.backend.clock.now()
        return self.notices.of(viewer.session, viewer.path, evening, now) if viewer.session else None

    def notify(self, session: HostSession, notice: Notice, to: str) -> None:
        """Shows a host an answer on the page whose address is `to`."""
        evening, now = self.controller.folded.evening, self.backend.clock.now()
        self.notices.put(session, notice, to.partition("?")[0], evening, now)
        self.changes.changed()  # else the stream takes it away again, drawn within the second before

    async def ask(self, name: str, args: dict[str, Any], session: HostSession, id: str = "") -> CommandDone:
        """The head's answer to a command of a host."""
        return await self.backend.ask(Command(id or f"web-{secrets.token_hex(8)}", name, args, session.by))

    def time_of_day(self) -> float:
        """The time of day (ms)."""
        return self.controller.unix(self.backend.clock.now()) * 1000

    def _hosts(self, now: float) -> tuple[str, ...]:
        self._here = {one: here for one, here in self._here.items() if now - here[1] < HERE_MS}
        return tuple(by for by, _ in self._here.values())


def _minute(at: str) -> int:
    """Minute of the day of a time such as 19:05."""
    hour, _, minute = at.partition(":")
    return int(hour) % 24 * 60 + int(minute or 0)
