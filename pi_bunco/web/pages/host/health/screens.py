"""The screens of the hall: their signs of life, what each TV shows, and whether all can be heard."""

from pi_bunco.web.pages.host.frame import HostPage, HostQuery, frame, host_page
from pi_bunco.web.site.app import Form
from pi_bunco.web.site.evening_now import EveningNow
from pi_bunco.web.site.login import HostSession
from pi_bunco.web.site.page_state import PageState
from pi_bunco.web.site.screens import TABLES_ALONE, Screen
from pi_bunco.web.site.sounds import LOUD, PACKS, QUIET, Pack, Sounds
from pi_bunco.web.site.streams import BELLS

SCREENS = "/host/screens"
SHOWN = ("show=standings", "show=rules")
NAMES = ("names=A-M", "names=N-Z", "names=A-F", "names=G-L", "names=M-R", "names=S-Z")
NAMES_FROM = 6
"""Tables from which on a TV may show a part of the names alone."""


class HostScreens(HostPage, frozen=True):
    """`/host/screens`: the screens, and for each choice of what a TV shows its text."""

    template = "host/health/host_screens.html"

    screens: tuple[Screen, ...]
    choices: tuple[str, ...]
    sounds: Sounds
    packs: tuple[Pack, ...] = PACKS
    loud: tuple[int, ...] = LOUD
    quiet: tuple[int, ...] = QUIET


def choices(tables: int) -> tuple[str, ...]:
    """All that a TV can show in a hall of so many tables."""
    parts = [f"tables={n}-{min(n + TABLES_ALONE - 1, tables)}" for n in range(1, tables + 1, TABLES_ALONE)]
    return (
        "", *SHOWN, *(parts if tables > TABLES_ALONE else ()), *(NAMES if tables >= NAMES_FROM else ())
    )  # fmt: skip


def shown_screens(now: EveningNow, query: HostQuery) -> HostScreens:
    """`/host/screens`."""
    return HostScreens(frame(now, "health", query), now.screens, choices(now.evening.tables), now.sounds)


async def _say(state: PageState, _session: HostSession, form: dict[str, str]) -> str:
    """Takes what a host says of a screen."""
    match form.get("do"):
        case "test":
            state.streams.push(BELLS["test"])
        case "sounds":
            state.say_of_sounds({name: form[name] for name in ("pack", "loud", "quiet") if name in form})
        case "forget":
            state.screens.forget(form.get("id", ""))
            state.changes.changed()
        case _:
            state.say_of_screen(form.get("id", ""), form.get("name", ""), form.get("show"))
    return SCREENS


PAGE = host_page(SCREENS, shown_screens)
FORM = Form(SCREENS, _say)
