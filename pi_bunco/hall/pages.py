"""The pages of a demo: served on loopback, opened without the PIN, and prepared for who is to host."""

import secrets
from pathlib import Path

from msgspec import Struct

from pi_bunco.rules import RuleSet
from pi_bunco.rules.load import changes, preset
from pi_bunco.runtime.writer import Reports
from pi_bunco.web.pages.host.prepare.draft import Draft, kept
from pi_bunco.web.site.login import PIN_DIGITS
from pi_bunco.web.site.page_state import DRAFT
from pi_bunco.web.site.server import Endpoint, address_of, free_place
from pi_bunco.web.site.store import WebStore
from pi_bunco.wire.broker import HOST

WEB = "web"


class DemoPages(Struct, frozen=True):
    """Where the pages are, and what opens the host's: `pin` always, `key` once."""

    place: Endpoint
    pin: str
    key: str

    def __str__(self) -> str:
        return f"Scoreboard: {self.scoreboard}   Host's page: {self.host}, PIN {self.pin}"

    @property
    def scoreboard(self) -> str:
        """The address of the scoreboard."""
        return f"{address_of(self.place)}/"

    @property
    def host(self) -> str:
        """The address of the host's page."""
        return f"{self.scoreboard}host"

    @property
    def host_opened(self) -> str:
        """The address that opens the host's page once without the PIN."""
        return f"{self.host}/login?key={self.key}"


def demo_pages() -> DemoPages:
    """Pages at a free port of loopback with a PIN of their own; `ListenError` if no port is free."""
    pin = f"{secrets.randbelow(10**PIN_DIGITS):0{PIN_DIGITS}d}"
    return DemoPages(free_place(HOST), pin, secrets.token_urlsafe(16))


def prepare_evening(folder: Path, rules: RuleSet, players: tuple[str, ...], sets: int) -> None:
    """Puts people and rules onto the page "prepare" of the page service that is to start in `folder`."""
    overrides = changes(rules, preset(rules.preset)) | {"evening.sets": sets}
    draft = Draft(names=players, rules=rules.preset, overrides=overrides)
    folder.mkdir(parents=True, exist_ok=True)
    store = WebStore(folder / "web.db", Reports(lambda _: None, lambda _: None))
    store.keep(DRAFT, kept(draft))
    store.close()
