"""The rules in a minute: four people play some throws of the rule set in force, as the engine counts them."""

from pi_bunco.game.table import Table
from pi_bunco.rules import RuleSet
from pi_bunco.rules.patterns import Effects, score
from pi_bunco.web.pages.shared import heading
from pi_bunco.web.pages.shared.model import BellRule, Scene, TableShown
from pi_bunco.web.pages.shared.tables import of_table
from pi_bunco.web.site.evening_now import EveningNow

EXAMPLE_STEPS = 6
EXAMPLE_PEOPLE = ("Ann", "Bob", "Carol", "Gus")
_THROWN = (0, 0, 1, 2, 3, 3)
"""Throws that have been made at each step."""


class Minute(Scene, frozen=True):
    """Step `at`, from 1: `table` as it stands then; `moves` as in RULES.md, `tables` how many there are.

    `triple` is three of any number that is no target, None where they are worth nothing or not the same.
    """

    at: int
    table: TableShown
    bell: BellRule
    moves: str
    tables: int
    grouped: bool
    triple: Effects | None


def minute(now: EveningNow, at: int) -> Minute:
    """The step under the rules of the evening, in the round that comes next."""
    rules, target = now.evening.rules, heading.place(now.evening)[2]
    assert rules is not None
    table = _played(rules, target, _THROWN[at - 1])
    scoring = score(rules, target)
    triples = {scoring.effects[scoring.outcomes[face, face, face]] for face in range(1, 7) if face != target}
    triple = triples.pop() if len(triples) == 1 else None
    return Minute(
        at,
        table,
        heading.bell_rule(rules),
        heading.moves(rules),
        now.evening.tables,
        heading.grouped(now.evening),
        triple if triple and triple.points else None,
    )


def _played(rules: RuleSet, target: int, throws: int) -> TableShown:
    """The table after that many throws: two of the target, none, a Bunco."""
    one, two, three = (face % 6 + 1 for face in range(target, target + 3))
    dice = ((target, one, target), (one, two, three), (target, target, target))[:throws]
    table = Table(1, EXAMPLE_PEOPLE, (False,) * 4, rules, target)
    scoring = score(rules, target)
    for n, faces in enumerate(dice, 1):
        outcome = scoring.outcomes[faces]
        called = scoring.effects[outcome].called
        table.add((outcome if called is None else called, n, n))
    return of_table(table, rules, target, dict(enumerate(dice, 1)), {})
