"""Past evenings, each played again from its log."""

import asyncio
import logging
import re
import time
import unicodedata
from functools import lru_cache

from msgspec.structs import replace

from pi_bunco.errors import LogError
from pi_bunco.game.evening import Evening
from pi_bunco.game.replay import evening_report, read
from pi_bunco.rules import title as name_of
from pi_bunco.runtime.store import StoreError
from pi_bunco.web.site.evening_now import EveningNow
from pi_bunco.web.site.folded_log import FACTS_AT_A_TIME, FoldedLog
from pi_bunco.web.site.page_state import PageState
from pi_bunco.web.site.page_store import EveningSummary, WebStore, jsonl
from pi_bunco.web.site.reasons import LogUnreadable

log = logging.getLogger(__name__)


def past_evening(state: PageState, evening: str) -> EveningNow | None:
    """The evening with this id, the present one for "" or its own; None if it is not known."""
    present = state.evening_now()
    if evening in ("", present.evening.id):
        return present
    lines = state.backend.archive.log(evening)
    if lines is None:
        return None
    played = _played(lines)
    began = next((one.began for one in state.backend.archive.evenings() if one.id == evening), 0.0)
    return replace(
        present,
        evening=played.evening,
        log=played.log,
        recent=played.recent,
        ignored=played.ignored,
        t=played.last_t,
        began=began,
        zone=time.localtime(began).tm_gmtoff,
        late=(),
        revealed=None,
        made={},
    )


def evening_name(now: EveningNow) -> str:
    """The evening as its files are called: `thursday-bunco-2026-11-21`."""
    plain = unicodedata.normalize("NFKD", now.title).encode("ascii", "ignore").decode().lower()
    date = time.strftime("%Y-%m-%d", time.localtime(now.began))
    return f"{'-'.join(re.findall(r'[a-z0-9]+', plain)) or 'bunco'}-{date}"


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
        self._keeping: asyncio.Task[None] | None = None

    def look(self, folded: FoldedLog, began: float) -> None:
        """Keeps the evening if more of it is over than before; belongs into the loop."""
        evening = folded.evening
        over = (evening.id, len(evening.rounds), evening.over, len(folded.log) if evening.over else 0)
        if over == self._kept or not evening.rounds:
            return
        self._kept = over
        if self._keeping is not None:
            self._keeping.cancel()
        title = str(self._store.kept.get("title") or "")
        self._keeping = asyncio.create_task(self._keep(summary(evening, began, title), folded))

    async def _keep(self, summary: EveningSummary, folded: FoldedLog) -> None:
        """Reads the log part by part, so that everything else has its turn in between."""
        place, parts = folded.place, list[bytes]()
        try:
            for start in range(0, place.n, FACTS_AT_A_TIME):
                parts.append(jsonl(folded.log[start : min(start + FACTS_AT_A_TIME, place.n)]))
                await asyncio.sleep(0)
                if replace(folded.place, n=place.n) != place:
                    return  # it is another log now
        except StoreError as error:
            log.warning("The evening is not kept among the past ones: %s", error)
        else:
            self._store.archive(summary, b"".join(parts))


@lru_cache(maxsize=1)
def _played(lines: bytes) -> FoldedLog:
    played = FoldedLog()
    try:
        for _, fact in read(lines.splitlines(), "the log"):
            played.fold(fact)
    except LogError as error:  # of another version; what could be read is shown
        played.ignored[len(played.log) + 1] = LogUnreadable(str(error))
    return played
