"""Past evenings, each played again from its log."""

import time
from functools import lru_cache

from starlette.requests import Request

from pi_bunco.errors import LogError
from pi_bunco.game.evening import Evening
from pi_bunco.game.facts import Fact
from pi_bunco.game.replay import evening_report, read
from pi_bunco.reason import InEnglish
from pi_bunco.rules import title as name_of
from pi_bunco.web.site.evening_now import EveningNow
from pi_bunco.web.site.folded_log import FoldedLog
from pi_bunco.web.site.page_state import PageState
from pi_bunco.web.site.reasons import NoSuchEvening, NotThere
from pi_bunco.web.site.store import EveningSummary, WebStore


def past_evening(state: PageState, evening: str) -> EveningNow | None:
    """The evening with this id, the present one for "" or its own; None if it is not known."""
    present = state.evening_now()
    if evening in ("", present.evening.id):
        return present
    log = state.backend.archive.log(evening)
    if log is None:
        return None
    played = _played(log)
    began = next((one.began for one in state.backend.archive.evenings() if one.id == evening), 0.0)
    return EveningNow(
        evening=played.evening,
        log=played.log,
        t=played.log[-1].t if played.log else 0,
        began=began,
        zone=time.localtime(began).tm_gmtoff,
        title=present.title,
        base=present.base,
        tables=present.tables,
        head=present.head,
        hosts=present.hosts,
        ignored=played.ignored,
    )


def evening_of(state: PageState, request: Request) -> EveningNow:
    """The evening that a request names, the present one without a name; `NotThere` if it is not known."""
    found = past_evening(state, request.query_params.get("evening", ""))
    if found is None:
        raise NotThere(NoSuchEvening())
    return found


def last_people(state: PageState) -> tuple[str, ...]:
    """The players of the evening before the one that is prepared."""
    evening = state.controller.folded.evening
    if evening.rules is not None:
        return tuple(evening.people.holders)
    found = state.backend.archive.evenings()
    return found[0].players if found else ()


def summary(evening: Evening, began: float, title: str) -> EveningSummary:
    """The evening in a line."""
    results = evening_report(evening)["results"]
    return EveningSummary(
        id=evening.id,
        began=began,
        title=title,
        rules=name_of(evening.rules) if evening.rules else "",
        players=tuple(evening.people.holders),
        rounds=len(evening.rounds),
        champions=tuple(results["champions"]) if results else (),
    )


class EveningArchive:
    """Has an evening kept whenever a round of it is over, and when it is."""

    def __init__(self, store: WebStore) -> None:
        self._store = store
        self._kept: tuple[object, ...] = ()

    def look(self, evening: Evening, log: list[Fact], began: float) -> None:
        """Keeps the evening if more of it is over than before."""
        over = (evening.id, len(evening.rounds), evening.over, len(log) if evening.over else 0)
        if over == self._kept or not evening.rounds:
            return
        self._kept = over
        title = str(self._store.kept.get("title") or "")
        self._store.archive(summary(evening, began, title), log)


@lru_cache(maxsize=4)
def _played(log: bytes) -> FoldedLog:
    played = FoldedLog()
    try:
        for _, fact in read(log.splitlines(), "the log"):
            played.fold(fact)
    except LogError as error:  # of another version; what could be read is shown
        played.ignored[len(played.log) + 1] = InEnglish(str(error))
    return played
