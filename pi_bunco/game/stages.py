"""What a tournament makes of an evening: the stages beside the rounds, and who may still come and go."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pi_bunco.errors import FactError
from pi_bunco.game import facts, seating
from pi_bunco.game.cards import Card

if TYPE_CHECKING:
    from pi_bunco.game.evening import Evening


def cards(evening: "Evening") -> dict[str, Card]:
    """The cards of who is here, of the groups' rounds and from the semi-final on of its rounds."""
    tournament, people = evening.tournament, evening.people
    assert tournament is not None
    later = tournament.stage not in ("groups", "qualification") and len(evening.rounds) > tournament.first
    counted = evening.totals(tournament.first if later else 0)
    return {name: counted.get(people.cards[name], Card()) for name in people.present}


def rounds_in_all(evening: "Evening") -> int:
    """How many rounds are played: those of the sets, and of the semi-final once it has begun."""
    tournament = evening.tournament
    if tournament is None or tournament.stage in ("groups", "qualification"):
        return evening.rules.evening.rounds if evening.rules else 0
    return tournament.first + evening.rounds_of_a_set


def round_finished(evening: "Evening") -> None:
    """A round is final at all tables, maybe the last one of its stage."""
    tournament, rules = evening.tournament, evening.rules
    if tournament is None or rules is None or evening.seating is None:
        return
    played, of_a_set = len(evening.rounds), evening.rounds_of_a_set
    if tournament.stage == "groups" and played >= of_a_set * rules.evening.sets:
        groups = evening.groups or (tuple(range(1, len(evening.seating) + 1)),)
        tournament.groups_played(groups, evening.seating, played, cards(evening))
        evening.resting, evening.break_minutes = True, rules.evening.break_minutes
    elif tournament.stage == "semi_final" and played - tournament.first >= of_a_set:
        tournament.semi_final_played(cards(evening))


def why_not_open(evening: "Evening") -> str | None:
    """Why the tournament has no round to open now."""
    tournament = evening.tournament
    if tournament is None or tournament.stage == "groups":
        return None
    if tournament.stage == "semi_final" and not tournament.finalists:
        return tournament.why_not_settled() if tournament.contests else None
    if tournament.next:
        return f"the {tournament.stage.replace('_', '-')} is over: confirm the {WORDS[tournament.next]}"
    return tournament.why_not_settled()


def confirm(evening: "Evening", fact: facts.StageConfirm) -> str | None:
    """The host's word that the next stage begins; returns why it does not."""
    tournament = evening.tournament
    if tournament is None:
        return "this evening is no tournament"
    if evening.round:
        return "a round is running"
    why = tournament.why_not_settled()
    if why or tournament.next != fact.stage:
        return why or f"after the {WORDS[tournament.stage]} comes the {WORDS[tournament.next or 'done']}"
    tables = seats(evening)
    if fact.tables is not None and list(fact.tables) != tables:
        return "the draw from the seed of this evening seats other players"
    if tables:
        if all(evening.people.is_ghost(name) for names in tables for name in names):
            return "nobody is left to play"
        evening.people.sit_down([name for names in tables for name in names])
        evening.seating, evening.groups = tables, None
    tournament.confirm(fact.stage, cards(evening))
    evening.grand_prize = tournament.winner
    return None


def confirmation(evening: "Evening", t: int, by: str | None = None) -> facts.StageConfirm:
    """The fact that begins the next stage, with its drawn seats; `FactError` if there is none yet."""
    tournament = evening.tournament
    stage = tournament.next if tournament else None
    if tournament is None or stage not in ("semi_final", "order", "final", "done"):
        raise FactError(tournament.why_not_settled() or "" if tournament else "this evening is no tournament")
    return facts.StageConfirm(t, stage, tuple(seats(evening)) or None, by)


def seats(evening: "Evening") -> list[seating.Names]:
    """The tables of the next stage, as they are drawn; none where the players keep their seats."""
    assert evening.tournament is not None
    return evening.tournament.seats(cards(evening))


def withdrawn(evening: "Evening", player: str, ghost: str | None) -> None:
    """`player` has left, and `ghost` has the seat, if there was one: the next in rank takes the place."""
    tournament = evening.tournament
    if tournament is None or tournament.stage == "groups" or tournament.winner:
        return
    played = tournament.stage == "semi_final" and len(evening.rounds) > tournament.first
    if played and not tournament.finalists:  # the semi-final goes on with a ghost
        return
    tournament.withdraw(player, ghost if tournament.stage != "qualification" else None, cards(evening))
    replaced(evening)


def replaced(evening: "Evening") -> None:
    """Whoever has been found for a place takes the seat from the ghost."""
    if evening.tournament is None:
        return
    for ghost, player in evening.tournament.replacements():
        evening.people.ghosts.remove(ghost)
        evening.replace(ghost, player)


def playing(evening: "Evening") -> list[str]:
    """Who has a seat: everybody who is here, in the semi-final those who qualified."""
    if evening.tournament is None or evening.tournament.stage in ("groups", "qualification"):
        return evening.people.present
    seated = {name for names in evening.seating or () for name in names}
    return [name for name in evening.people.present if name in seated]


def why_not_seat(evening: "Evening") -> str | None:
    """Why the host cannot set seats in this stage."""
    tournament = evening.tournament
    if tournament is None or tournament.stage == "groups":
        return None
    if tournament.stage == "semi_final":  # who wins a roll-off for an empty seat must find it
        return tournament.why_not_settled() if tournament.contests else None
    return f"nobody changes seats in the {WORDS[tournament.stage]}"


def why_not_come(evening: "Evening", names: Iterable[str]) -> str | None:
    """Why `names`, who have no seat, cannot come in this stage."""
    tournament = evening.tournament
    if tournament is None or tournament.stage == "groups":
        return None
    strangers = [name for name in names if name not in playing(evening)]
    return f"{strangers[0]} comes too late for the {WORDS[tournament.stage]}" if strangers else None


def why_not_reopen(evening: "Evening") -> str | None:
    """Why the latest round cannot be reopened any more."""
    tournament = evening.tournament
    if tournament is None or tournament.stage in ("groups", "qualification"):
        return None
    if tournament.stage == "semi_final" and len(evening.rounds) > tournament.first:
        return None
    return f"the {WORDS[tournament.stage]} has begun since"


WORDS = {
    "groups": "groups",
    "qualification": "qualification",
    "semi_final": "semi-final",
    "order": "roll for who begins",
    "final": "final",
    "done": "end",
}
"""What people call the stages."""
