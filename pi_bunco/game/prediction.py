"""What a fact of one table does there, for a table that plays on before the head has it."""

from pi_bunco.game import facts
from pi_bunco.game.score import score
from pi_bunco.game.table import Table


def apply(table: Table, fact: facts.Fact) -> str | None:
    """Applies a fact of `table`; why it does not count, or None."""
    match fact:
        case facts.Roll():
            outcome = score(table.rules, table.target).of(fact)
            if outcome is None:
                table.refuse(fact.t)
                return "no three alike wipe the points out in this round"
            return table.roll(outcome, fact.t, 0, fact.dice is None)
        case facts.Undo():
            return table.undo()
        case facts.Confirm():
            return table.confirm(fact.t)
        case facts.Faceoff():
            return table.faceoff(*fact.dice, fact.t)
        case _:
            return None
