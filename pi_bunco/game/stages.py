"""The stages of a tournament beside the rounds, and who may still come and go."""

from collections.abc import Mapping

from pi_bunco.errors import FactError
from pi_bunco.game import facts, reasons
from pi_bunco.game.contest import Contest, Faces, TieKey
from pi_bunco.game.evening import Evening
from pi_bunco.game.tournament import Tournament
from pi_bunco.reason import Reason


def round_finished(evening: Evening) -> None:
    """A round is final at all tables, maybe the last one of its stage."""
    tournament, rules = evening.tournament, evening.rules
    if tournament is None or rules is None or evening.seating is None:
        return
    played, of_a_set = len(evening.rounds), evening.rounds_of_a_set
    if tournament.stage == "groups" and played >= of_a_set * rules.evening.sets:
        groups = evening.seats.groups or (tuple(range(1, len(evening.seating) + 1)),)
        evening.advance(tournament.groups_played(groups, evening.seating, played, evening.stage_cards))
        evening.rest(rules.evening.break_minutes)
    elif tournament.stage == "semi_final" and played - tournament.first >= of_a_set:
        evening.advance(tournament.semi_final_played(played, evening.stage_cards))
    recall(evening)


def confirm(evening: Evening, fact: facts.StageConfirm) -> Reason | None:
    """The host's word that the next stage begins; returns why it does not."""
    tournament = evening.tournament
    if tournament is None:
        return reasons.NoTournament()
    if evening.round:
        return reasons.RoundRuns()
    why = tournament.why_not_settled()
    if why or tournament.next != fact.stage:
        return why or reasons.OtherStage(tournament.stage, tournament.next or "done")
    tables = tournament.seats(evening.stage_cards)
    if fact.tables is not None and list(fact.tables) != tables:
        return reasons.OtherDraw()
    if fact.stage in ("semi_final", "order"):
        if all(evening.people.is_ghost(name) for names in tables for name in names):
            return reasons.NobodyLeft()
        evening.sit_down([name for names in tables for name in names], fact.t)
        evening.seats.sit(tables, None)
    evening.advance(tournament.confirmed(fact.stage, evening.stage_cards))
    recall(evening)
    return None


def confirmation(evening: Evening, t: int, by: str | None = None) -> facts.StageConfirm:
    """The fact that begins the next stage, with its drawn seats; `FactError` if there is none yet."""
    tournament = evening.tournament
    if tournament is None:
        raise FactError(reasons.NoTournament())
    stage = tournament.next
    if stage not in ("semi_final", "order", "final", "done"):
        raise FactError(tournament.why_not_settled() or reasons.TournamentOver())
    return facts.StageConfirm(t, stage, tuple(tournament.seats(evening.stage_cards)) or None, by)


def withdrawn(evening: Evening, player: str, ghost: str | None) -> None:
    """`player` has left, and `ghost` has the seat, if there was one: the next in rank takes the place."""
    tournament = evening.tournament
    if tournament is None or tournament.stage == "groups" or tournament.winner:
        return
    played = tournament.stage == "semi_final" and len(evening.rounds) > tournament.first
    if played and not tournament.finalists:  # the semi-final goes on with a ghost
        return
    seated = ghost if tournament.stage != "qualification" else None
    evening.advance(tournament.withdrawn(player, seated, evening.stage_cards))
    recall(evening)


def recall(evening: Evening) -> None:
    """Every tie has all that was rolled for it, also before it was formed anew; places are taken."""
    while (staged := evening.staged) and (found := _recalled(evening, staged)):
        tie, dice = found
        evening.advance(staged.thrown(tie, evening.ties.key(tie), dice))
    replace(evening)


def _recalled(evening: Evening, staged: Tournament) -> tuple[Contest, Mapping[str, Faces]] | None:
    """A tie with rolls for it that are not in it yet."""
    for tie in staged.contests:
        throws = evening.ties.throws(tie)
        if tie.steps < len(throws):
            return tie, throws[tie.steps]
    return None


def throw_in_final(evening: Evening, dice: Mapping[str, Faces]) -> None:
    """Three dice at the final table."""
    if evening.staged:
        evening.advance(evening.staged.thrown_in_final(dice))


def take_back(evening: Evening, key: TieKey | None = None, *, word: bool | None = None) -> Reason | None:
    """Takes back the latest throw of a stage, for the tie `key` if given; only a host's `word`, or none."""
    staged = evening.staged
    assert staged is not None
    places = [at for at, throw in enumerate(staged.since) if key in (None, throw.tie)]
    if not places:
        return reasons.NoThrowToTakeBack()
    tie = staged.since[places[-1]].tie
    if tie and not evening.ties.take_back(tie, word):
        return reasons.NoThrowToTakeBack()
    evening.advance(staged.undone(places[-1]))
    recall(evening)
    return None


def replace(evening: Evening) -> None:
    """Players who have been found for a place take their seats from ghosts."""
    tournament = evening.tournament
    if tournament is None or not tournament.replacements:
        return
    for ghost, player in tournament.replacements:
        evening.people.free(ghost)
        evening.seats.replace(ghost, player, evening.kept_apart)
    evening.advance(tournament.replaced(evening.stage_cards))
