"""What people call prizes and stages."""

from pi_bunco.reason import N_

PRIZES = {
    "buncos": N_("most Buncos"),
    "wins": N_("most wins"),
    "losses": N_("most losses"),
    "minis": N_("most minis"),
    "wipes": N_("most wipes"),
    "score": N_("highest score"),
    "lowest_score": N_("lowest score"),
    "traveling": N_("traveling bag"),
    "grand_prize": N_("grand prize"),
    "first_bunco": N_("first Bunco"),
    "last_bunco": N_("last Bunco"),
    "one_two_three": N_("most rolls of 1-2-3"),
    "loser_lottery": N_("loser lottery"),
    "fifty_fifty": N_("fifty-fifty"),
    "dice_lottery": N_("lottery by dice"),
}
"""What people call the prizes within a sentence."""


def prize_name(kind: str) -> str:
    """What people call a prize within a sentence; one for a word of the host's rules is called by it."""
    return PRIZES.get(kind) or kind.replace("_", " ")


STAGES = {
    "groups": N_("groups"),
    "qualification": N_("qualification"),
    "semi_final": N_("semi-final"),
    "order": N_("roll for who begins"),
    "final": N_("final"),
    "done": N_("end"),
}
"""What people call the stages."""
DICE_STAGES = {
    "qualification": STAGES["qualification"],
    "semi_final": STAGES["semi_final"],
    "order": N_("order"),
    "final": STAGES["final"],
}
"""What people call the stages whose dice are rolled between rounds."""
SOUGHT = PRIZES | {"order": N_("who begins"), "final": N_("the grand prize")}
"""What is rolled for, in a sentence: "most Buncos", "who begins"."""
