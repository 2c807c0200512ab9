"""The opening of an evening: chairs, groups and ghosts for its players, wherever it is played."""

import unicodedata
from collections.abc import Collection, Sequence
from typing import Any

from pi_bunco.errors import FactError
from pi_bunco.game import facts, reasons, seating
from pi_bunco.game.seating import Groups
from pi_bunco.game.stage_places import opening_groups
from pi_bunco.reason import Reason
from pi_bunco.rules import RuleSet, preset
from pi_bunco.rules.load import changes, undecided


def opening(
    rules: RuleSet, players: Sequence[str], groups: Groups | None = None, **about: Any
) -> facts.EveningOpen:
    """The fact that opens an evening; raises `FactError` with every reason why nobody can play so.

    Without `groups` a tournament has whole ones. `about` are other fields of the fact.
    """
    groups, missing = chairs(rules, len(players), groups)
    ghosts = tuple(f"Ghost {k}" for k in range(1, missing + 1))
    found = seating.problems(players, ghosts, groups, ghosts_allowed=rules.ghosts)
    found += alike(players)
    if rules.stake and about.get("pot"):
        found.append(reasons.PotFollows(rules.stake))
    if face := undecided(rules):
        found.append(reasons.TieForEver(face))
    if found:
        raise FactError(*found)
    overrides = changes(rules, preset(rules.preset))
    return facts.EveningOpen(
        0, rules.preset, tuple(players), overrides=overrides, ghosts=ghosts, groups=groups, **about
    )


def chairs(rules: RuleSet, players: int, groups: Groups | None = None) -> tuple[Groups | None, int]:
    """The groups of that many players, if they play in some, and the ghosts that fill the tables."""
    if groups is not None:
        return groups, max(4 * sum(map(len, groups)) - players, 0)
    if rules.tournament:
        return opening_groups(players)
    return None, seating.ghosts_needed(players)


def same(name: str) -> str:
    """The common form of a name's spellings: neither case, spaces nor the encoding of accents count."""
    return "".join(unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold()).split())


def alike(names: Sequence[str], known: Collection[str] = ()) -> list[Reason]:
    """A reason for each of `names` that nobody could tell from another one, or from a `known` one."""
    spelt = {same(name): name for name in known}
    pairs = [(spelt.setdefault(same(name), name), name) for name in names]
    return [reasons.NamesAlike(other, name) for other, name in pairs if other != name]
