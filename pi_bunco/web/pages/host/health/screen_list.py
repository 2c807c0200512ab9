"""The screens of the hall: their signs of life, what each TV shows, and whether all can be heard."""

from collections.abc import Mapping

from starlette.concurrency import run_in_threadpool

from pi_bunco.web.pages.host.frame import HostPage, HostQuery, frame, host_page
from pi_bunco.web.site.app import Form
from pi_bunco.web.site.evening_now import EveningNow
from pi_bunco.web.site.forms import Fields
from pi_bunco.web.site.login import HostSession
from pi_bunco.web.site.notices import Notice
from pi_bunco.web.site.own_files import FOLDERS, SOUNDS, OwnFile
from pi_bunco.web.site.page_state import PageState
from pi_bunco.web.site.screens import TABLES_ALONE, Screen
from pi_bunco.web.site.sounds import LOUD, PACKS, QUIET, PackChoice, Sounds
from pi_bunco.web.site.streams import BELLS
from pi_bunco.web.site.themes import Theme

SCREENS, OWN_FILES = "/host/screens", "/host/files"
TV_CHOICES = ("show=standings", "show=rules", "show=pictures")
NAMES = ("names=A-M", "names=N-Z", "names=A-F", "names=G-L", "names=M-R", "names=S-Z")
OF_ALL = ("theme", "pack", "loud", "quiet")
"""Fields about all screens."""
NAMES_FROM = 6
"""Tables from which on a TV may show a part of the names alone."""


class HostScreens(HostPage, frozen=True):
    """`/host/screens`: the screens, and for each choice of what a TV shows its text."""

    template = "host/health/host_screens.html"
    scripts = ("own.js",)

    screens: tuple[Screen, ...]
    choices: tuple[str, ...]
    sounds: Sounds
    theme: str
    themes: tuple[Theme, ...]
    own_files: Mapping[str, tuple[OwnFile, ...]]
    uses: tuple[str, ...] = (*FOLDERS[:2], *SOUNDS)
    packs: tuple[PackChoice, ...] = ("", *PACKS)
    loud: tuple[int, ...] = LOUD
    quiet: tuple[int, ...] = QUIET


def choices(tables: int) -> tuple[str, ...]:
    """All that a TV can show in a hall of `tables` tables."""
    parts = [f"tables={n}-{min(n + TABLES_ALONE - 1, tables)}" for n in range(1, tables + 1, TABLES_ALONE)]
    return (
        "", *TV_CHOICES, *(parts if tables > TABLES_ALONE else ()), *(NAMES if tables >= NAMES_FROM else ())
    )  # fmt: skip


def shown_screens(now: EveningNow, query: HostQuery) -> HostScreens:
    """`/host/screens`."""
    return HostScreens(
        frame(now, "health", query),
        now.screens,
        choices(now.evening.tables),
        now.sounds,
        now.theme,
        now.themes,
        now.own_files,
    )


async def _files(state: PageState, session: HostSession, form: Fields) -> str:
    """Takes files of the host's own, and deletes them."""
    files = state.backend.own_files
    if "forget" in form:
        files.forget(*form["forget"].partition("/")[::2])
    else:
        use, name, file = form.get("use", ""), form.get("name", ""), form.files.get("file", b"")
        if why := await run_in_threadpool(files.put, use, name, file):
            state.notify(session, Notice(False, "files", (why,)), SCREENS)
            return SCREENS
    state.ask_screens()
    return f"{SCREENS}#own"


async def _say(state: PageState, _session: HostSession, form: dict[str, str]) -> str:
    """Takes what a host says of a screen."""
    match form.get("do"):
        case "test":
            state.streams.push(BELLS["test"])
        case "sounds":
            state.say_of_all({name: form[name] for name in OF_ALL if name in form})
        case "forget":
            state.screens.forget(form.get("id", ""))
            state.changes.changed()
        case _:
            state.say_of_screen(form.get("id", ""), form.get("name", ""), form.get("show"))
    return SCREENS


PAGE = host_page(SCREENS, shown_screens)
FORMS = (Form(SCREENS, _say), Form(OWN_FILES, _files))
