"""The scenes of a tournament between its rounds: who qualified and how, the final table, the grand prize."""

from collections.abc import Mapping

from pi_bunco.game.evening import Evening
from pi_bunco.game.pace import break_began
from pi_bunco.game.stage_places import Place
from pi_bunco.game.tournament import Tournament
from pi_bunco.web.pages.board.model import FinalThrow, GrandPrize, StageScene
from pi_bunco.web.pages.shared import heading, tables
from pi_bunco.web.pages.shared.model import PlaceShown, ShownStage, TableShown
from pi_bunco.web.pages.shared.names import all_calls, short
from pi_bunco.web.pages.shared.standings import grand_face, rolls, stage_now
from pi_bunco.web.site.evening_now import EveningNow

GROUPS, BESIDE = 6, 4
"""Groups of a large tournament that a page shows, alone and beside a roll-off."""
MAX_SHOWN_THROWS = 5
"""The final's latest throws that are shown."""


def stage_scene(now: EveningNow) -> StageScene | GrandPrize | None:
    """The scene of a tournament that is between its rounds; None while a round of it is next."""
    tournament = now.evening.tournament
    stage = stage_now(now.evening)
    if tournament is None or not stage:
        return None
    if tournament.winner:
        call = short(tournament.winner, all_calls(now))
        return GrandPrize(tournament.winner, call, grand_face(tournament), tournament.throws)
    return _scene(now, tournament, stage)


def _scene(now: EveningNow, tournament: Tournament, stage: ShownStage) -> StageScene:
    evening, calls = now.evening, all_calls(now)
    rows = tournament.places if tournament.stage == "qualification" else tournament.finalists
    places = [_place(evening, tournament, place, calls) for place in rows]
    rolling = rolls(now)
    groups = len(tournament.groups) if tournament.stage == "qualification" else 1
    size = BESIDE if rolling else GROUPS
    pages = -(-groups // size)
    page = heading.page_of(pages, break_began(now.evening), now.t)
    first, last = (page - 1) * size + 1, page * size
    return StageScene(
        stage=stage,
        places=tuple(one for one in places if not one.group or first <= one.group <= last),
        groups=groups,
        rolls=rolling,
        table=_final_table(now, tournament, calls),
        begins=short(tournament.order[0].player or "", calls) if tournament.order else "",
        throws=tuple(
            FinalThrow(short(name, calls), faces)
            for name, faces in reversed(tournament.rolled[-MAX_SHOWN_THROWS:])
        ),
        thrown=tournament.throws,
        ends=heading.break_end(now),
        page=page,
        pages=pages,
    )


def _place(evening: Evening, tournament: Tournament, place: Place, calls: Mapping[str, str]) -> PlaceShown:
    contests = (one for one in tournament.contests if (one.purpose, one.group) == (place.by, place.group))
    tied = next((contest.players for contest in contests), ())
    card = evening.stage_cards.get(place.player or "")
    count = getattr(card, place.by) if card and place.by in ("wins", "buncos") else 0
    return PlaceShown(
        by=place.by,
        group=place.group or 0,
        name=place.player or "",
        call=short(place.player or "", calls),
        count=count,
        tied=tuple(short(name, calls) for name in tied),
    )


def _final_table(now: EveningNow, tournament: Tournament, calls: Mapping[str, str]) -> TableShown | None:
    """The four of the final, whoever throws next in turn."""
    evening = now.evening
    if tournament.stage not in ("order", "final") or not evening.seating:
        return None
    names = evening.seating[0]
    final = tournament.stage == "final"
    turn = names.index(tournament.turn) if final and tournament.turn in names else None
    ghosts = [name in evening.people.ghosts for name in names]
    return TableShown(1, 1, tables.chairs(names, ghosts, calls, turn), "ready")
