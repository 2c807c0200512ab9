"""One word, one meaning: what the package calls things (`.github/CONTRIBUTING.md`)."""

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "pi_bunco"
VAGUE = {"held", "heard", "lost", "own", "said", "told"}
"""Each would name three things or more."""
OF_OTHERS = {"connection_lost"}
"""What a library calls for."""


@cache
def trees() -> list[tuple[Path, ast.Module]]:
    return [(path, ast.parse(path.read_text("utf-8"))) for path in sorted(PACKAGE.rglob("*.py"))]


def test_a_class_name_stands_once() -> None:
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path.relative_to(PACKAGE)))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_no_function_or_class_has_a_vague_name() -> None:
    found = [
        f"{path.relative_to(PACKAGE)}:{node.lineno} {node.name}"
        for path, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name not in OF_OTHERS
        and VAGUE & set(node.name.lower().split("_"))
    ]
    assert found == []


def test_no_variable_is_called_by_a_vague_word_alone() -> None:
    found = [
        f"{path.relative_to(PACKAGE)}:{line} {name}"
        for path, tree in trees()
        for node in ast.walk(tree)
        for line, name in _names(node)
        if name.strip("_") in VAGUE
    ]
    assert found == []


def _names(node: ast.AST) -> list[tuple[int, str]]:
    match node:
        case ast.Name(id=name, ctx=ast.Store(), lineno=line):
            return [(line, name)]
        case ast.Attribute(attr=name, ctx=ast.Store(), lineno=line) | ast.arg(arg=name, lineno=line):
            return [(line, name)]
    return []
