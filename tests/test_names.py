"""One word, one meaning: what the package calls things (`.github/CONTRIBUTING.md`)."""

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

PROJECT = Path(__file__).parents[1]
PACKAGE = PROJECT / "pi_bunco"
VAGUE = {"held", "heard", "lost", "own", "said", "told"}
"""Each would name three things or more."""
NAMED = (ast.Assign, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Name, ast.Attribute, ast.arg)
OF_OTHERS = {"connection_lost"}
"""The names that a library calls for."""


@cache
def nodes() -> list[tuple[Path, ast.AST]]:
    """All of the package that has a name, with its file."""
    return [
        (path.relative_to(PACKAGE), node)
        for path in sorted(PACKAGE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, NAMED)
    ]


def test_a_type_name_stands_once() -> None:
    """The name of a class, of a reason, and of a type that is an alias; a `TypeVar` is of its file alone."""
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path, node in nodes():
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            places[node.name].append(str(path))
        elif isinstance(node, ast.Assign) and (name := declared(node) or alias(node)):
            places[name].append(str(path))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_a_declared_reason_bears_the_name_that_it_is_assigned_to() -> None:
    found = [(node, name) for _, node in nodes() if isinstance(node, ast.Assign) and (name := declared(node))]
    assert len(found) > 100
    assert [name for node, name in found if ast.unparse(node.targets[0]) != name] == []


def declared(node: ast.Assign) -> str | None:
    """The name of the reason that is declared in one line here."""
    match node.value:
        case ast.Call(func=ast.Attribute(attr="declare"), args=[ast.Constant(value=str(name)), *_]):
            return name
    return None


def alias(node: ast.Assign) -> str | None:
    """The name of a type that is assigned, as `Place = Annotated[int, ...]`."""
    match node:
        case ast.Assign(value=ast.Call(func=ast.Name(id="TypeVar" | "ParamSpec"))):
            return None
        case ast.Assign(targets=[ast.Name(id=name)]) if re.match("[A-Z][a-z]", name):
            return name
    return None


def test_a_docstring_says_what_a_thing_is() -> None:
    """It begins with the thing, or what it does: "The reason why", not "Why"; that of a constant too."""
    asks = re.compile(r"(How|What|When|Where|Whether|Which|Who|Whom|Whose|Why)(ever)?\b|So many\b")
    texts = [
        (path.relative_to(PROJECT), node.value.value)
        for folder in ("firmware", "hardware", "pi_bunco", "tests")
        for path in sorted((PROJECT / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    ]
    assert len(texts) > 7000
    assert [(str(path), text) for path, text in texts if asks.match(str(text).strip())] == []


def test_no_function_or_class_has_a_vague_name() -> None:
    found = [
        f"{path}:{node.lineno} {node.name}"
        for path, node in nodes()
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name not in OF_OTHERS
        and VAGUE & set(node.name.lower().split("_"))
    ]
    assert found == []


def test_no_variable_is_called_by_a_vague_word_alone() -> None:
    found = [
        f"{path}:{line} {name}"
        for path, node in nodes()
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
