"""State is written by its owner alone: in these folders an attribute is set on nothing but `self`.

Or on a part of a list or mapping of `self`, as `self._waiting[id].disk`.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "pi_bunco"
COUNTED = {"game/apply.py": {"evening.facts"}}
"""The one write that a method call would make dear: every fact pays for it."""


def targets(node: ast.AST) -> Iterator[ast.AST]:
    """The targets that a statement assigns to, one by one."""
    match node:
        case ast.Assign(targets=found) | ast.Delete(targets=found):
            places = list(found)
        case ast.AugAssign(target=one) | ast.AnnAssign(target=one):
            places = [one]
        case ast.For(target=one) | ast.comprehension(target=one) | ast.NamedExpr(target=one):
            places = [one]
        case _:
            places = []
    for place in places:
        yield from place.elts if isinstance(place, ast.Tuple | ast.List) else [place]


def foreign_writes(path: Path) -> Iterator[str]:
    """Attributes of others that a file sets, or whose elements it sets."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        for target in targets(node):
            while isinstance(target, ast.Subscript | ast.Starred):
                target = target.value
            if isinstance(target, ast.Attribute) and not is_own(target):
                yield ast.unparse(target)


def is_own(target: ast.Attribute) -> bool:
    """True for `self.one` and `self.many[0].one`, not for `self.other.one`."""
    owner = target.value
    if isinstance(owner, ast.Subscript) and isinstance(owner.value, ast.Attribute):
        owner = owner.value.value
    return isinstance(owner, ast.Name) and owner.id in ("self", "cls")


@pytest.mark.parametrize("folder", ["game", "head", "table"])
def test_state_is_written_by_its_owner(folder: str) -> None:
    found = {
        str(path.relative_to(PACKAGE)): writes
        for path in sorted((PACKAGE / folder).rglob("*.py"))
        if (writes := set(foreign_writes(path)))
    }
    expected = COUNTED if folder == "game" else {}
    assert found == expected
