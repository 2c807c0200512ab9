"""The outcome of a roll in the round that it was made in."""

from pi_bunco.game.facts import Roll
from pi_bunco.game.reasons import NoSuchPattern, NoWipe
from pi_bunco.reason import Reason
from pi_bunco.rules.patterns import Score


def outcome_of(roll: Roll, score: Score) -> int | None:
    """The outcome of `roll`; None for a call that means nothing in this round."""
    dice = (roll.face, roll.face, roll.face) if roll.face else roll.dice
    outcome = score.outcomes[dice] if dice else score.calls.get(roll.call or "miss")
    if outcome is not None and roll.called:
        called = score.effects[outcome].called
        return outcome if called is None else called
    return outcome


def why_no_outcome(roll: Roll) -> Reason:
    """Why a roll by hand means nothing in this round."""
    return NoWipe() if roll.call == "wipe" else NoSuchPattern(roll.call or "")
