"""`PYTHONPATH=.:tests python -m vopr.mutants`: is what is wrong found? The simulator searches drawn mutants.

A mutant is the package with one comparison, boolean or number changed; `--holes` are faults that it had once,
put back by hand. Either is found if a kind of finding comes up in more nights than in the same nights of the
package as it is.
"""

import argparse
import ast
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any, Final

from vopr.known import KNOWN

ROOMS: Final = {
    "intake": ("head.intake",),
    "clock": ("wire.offset", "table.uplink"),
    "log": ("head.evening_log", "log.chain", "wire.log_exchange"),
    "bell": ("head.bell", "table.record"),
    "recovery": ("log.recovery", "head.catch_up"),
}
OTHER: Final[Mapping[type, type]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
MORE_NIGHTS: Final = 3
"""More nights that must fail in a way in which others fail as well."""
HANGS_AFTER_S: Final = 30.0
"""Seconds of processor time after which a night is not over that takes one."""


@dataclass(frozen=True)
class Mutant:
    """The place of a change: the module, and which of its changeable places."""

    room: str
    module: str
    index: int

    def tree(self) -> ast.Module:
        """The changed module."""
        tree = ast.parse(source(self.module).read_bytes())
        change(places(tree)[self.index])
        return tree

    def __str__(self) -> str:
        node: Any = places(ast.parse(source(self.module).read_text()))[self.index]
        before = ast.unparse(node)
        change(node)
        return f"{self.module}:{node.lineno} {before} -> {ast.unparse(ast.fix_missing_locations(node))}"


@dataclass(frozen=True)
class Hole:
    """A fault that the package had: what stands in a module in place of what mended it."""

    room: str
    module: str
    mended: str
    broken: str
    more: str = ""
    """The kinds of faults of which the searched nights have more."""

    def tree(self) -> ast.Module:
        """The module with the fault."""
        text = source(self.module).read_text()
        if text.count(self.mended) != 1:
            raise SystemExit(f"{self.room}: {self.module} reads otherwise by now; put the fault back anew")
        return ast.parse(text.replace(self.mended, self.broken))

    def __str__(self) -> str:
        return f"{self.module}: {' '.join(self.broken.split())}"


HOLES: Final = (
    Hole(
        "numbers follow from claims", "pi_bunco.head.evening_log",
        "return last + (PASSED_OVER + t // 1000 if claimed > last else 1)",
        "return max(last, claimed) + 1", "lie",
    ),
    Hole(
        "a throw is sent without its time", "pi_bunco.table.uplink",
        "known = self._clocks.t(one.evening, one.boot, one.up)", "known = None",
    ),
    Hole(
        "no throw waits for its time", "pi_bunco.table.uplink",
        "return timed or waited >= TIMED_WITHIN_MS", "return True",
    ),
    Hole(
        "earlier streams go one fact a round trip", "pi_bunco.wire.outbox",
        "        due = again + due\n",
        "        due = (again + due)[: 1 if len(self._streams) > 1 else MAX_AGAIN]\n", "half-open, kill, far",
    ),
    Hole(
        "what came behind the close is logged", "pi_bunco.head.intake",
        "if self._too_late(table, envelope):", "if False:", "close, cut, mute",
    ),
    Hole(
        "one table sets the clock", "pi_bunco.head.catch_up",
        "if len(times) == 1:", "if False:", "lie, power, cut, first, by the clock",
    ),
    Hole(
        "the bell of a roll in no journal is forgotten", "pi_bunco.head.catch_up",
        "if round_ is None or round_.bell is not None or log.evening.closed:", "if True:", "bell",
    ),
)  # fmt: skip


def places(tree: ast.Module) -> list[ast.AST]:
    """The places in a module that can be changed: comparisons, `and`, `or`, `not`, booleans and numbers."""
    kinds = (ast.Compare, ast.BoolOp)
    found: list[ast.AST] = []
    for node in ast.walk(tree):
        number = isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float)
        negation = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
        if number or negation or isinstance(node, kinds):
            found.append(node)
    return found


def change(node: ast.AST) -> None:
    """Changes it in place."""
    match node:
        case ast.Compare():
            node.ops = [OTHER[type(node.ops[0])](), *node.ops[1:]]
        case ast.BoolOp():
            node.op = OTHER[type(node.op)]()
        case ast.UnaryOp():
            node.op, node.operand = ast.Not(), ast.UnaryOp(ast.Not(), node.operand)
        case ast.Constant(value=bool(value)):
            node.value = not value
        case ast.Constant(value=int(value)):
            node.value = value + 1
        case ast.Constant(value=float(value)):
            node.value = value * 3 + 1


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, mutant: Mutant | Hole) -> None:
        super().__init__(name, path)
        self._mutant = mutant

    def get_code(self, _name: str) -> Any:
        return compile(ast.fix_missing_locations(self._mutant.tree()), self.path, "exec")


class _Finder(MetaPathFinder):
    def __init__(self, mutant: Mutant | Hole) -> None:
        self._mutant = mutant

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target) if name == self._mutant.module else None
        if spec is not None and spec.origin is not None:
            spec.loader = _Loader(name, spec.origin, self._mutant)
        return spec


def drawn(many: int, random: Random) -> Iterator[Mutant]:
    """Mutants, as many of each room, and each once."""
    for room, modules in ROOMS.items():
        every = [
            Mutant(room, f"pi_bunco.{module}", index)
            for module in modules
            for index in range(len(places(ast.parse(source(f"pi_bunco.{module}").read_bytes()))))
        ]
        yield from random.sample(every, many // len(ROOMS))


def source(module: str) -> Path:
    """The file of a module, which is not imported by that."""
    return Path(*module.split(".")).with_suffix(".py")


def nights(
    first: int, seconds: float, more: str, known: list[set[str]] | None, mutant: Mutant | Hole | None
) -> list[set[str]]:
    """Per night from seed `first` on the kinds of what is found, until time is over or enough is found.

    They have `more` of these kinds of faults.
    """
    if mutant is not None:
        sys.meta_path.insert(0, _Finder(mutant))
    from vopr.night import play  # not before the mutant is in its place

    signal.signal(signal.SIGPROF, _hangs)
    began, kinds = time.process_time(), list[set[str]]()
    while time.process_time() - began < seconds and (known is None or len(kinds) < len(known)):
        seed = f"{first + len(kinds)}: {more}" if more else first + len(kinds)
        signal.setitimer(signal.ITIMER_PROF, HANGS_AFTER_S)
        try:
            kinds.append({finding.kind for finding in play(seed).findings})
        except HangsError:
            return [*kinds, {"hangs"}]
        if known is not None and by(kinds, known):
            break
    return kinds


class HangsError(BaseException):
    """The night does not end; nothing that is searched may catch this."""


def _hangs(_signal: int, _frame: object) -> None:
    raise HangsError


def by(kinds: list[set[str]], known: list[set[str]]) -> str:
    """The kind by which a mutant is found, "" if it is not."""
    usual = {kind for night in (*known, *KNOWN.values()) for kind in night}
    more = Counter(kind for night in kinds for kind in night)
    more.subtract(kind for night in known[: len(kinds)] for kind in night)
    enough = [kind for kind, many in more.items() if many >= (MORE_NIGHTS if kind in usual else 1)]
    return ", ".join(sorted(enough))


def apart(*arguments: Any) -> list[set[str]]:
    """`nights` in a process of its own; one that ends itself has found a crash."""
    with get_context("fork").Pool(1) as pool:
        try:
            return pool.apply(nights, arguments)
        except Exception as error:  # noqa: BLE001 (a mutant may fail in any way where the simulator looks)
            return [{f"crash ({type(error).__name__}: {str(error)[:60]})"}]


def main() -> None:
    parser = argparse.ArgumentParser(prog="vopr.mutants", description=__doc__)
    parser.add_argument("--many", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0, help="processor time for each")
    parser.add_argument("--seed", type=int, default=1, help="of the draw")
    parser.add_argument("--first", type=int, default=1, help="the first night")
    parser.add_argument("--more", default="", help="kinds of faults of which mutants' nights have more")
    parser.add_argument("--skip", type=int, default=0, help="mutants that were searched before")
    parser.add_argument("--most", type=int, default=1000, help="mutants to search now")
    parser.add_argument("--holes", action="store_true", help="search the faults of before")
    arguments = parser.parse_args()
    usual: dict[str, list[set[str]]] = {}
    mutants: Sequence[Mutant | Hole] = HOLES
    if not arguments.holes:
        mutants = list(drawn(arguments.many, Random(arguments.seed)))
    for mutant in mutants[arguments.skip : arguments.skip + arguments.most]:
        more = mutant.more if isinstance(mutant, Hole) else arguments.more
        if more not in usual:
            usual[more] = known = apart(arguments.first, arguments.seconds, more, None, None)
            print(f"{len(known)} nights, known: {dict(Counter(kind for night in known for kind in night))}")
        known = usual[more]
        kinds = apart(arguments.first, arguments.seconds, more, known, mutant)
        found = by(kinds, known)
        print(f"{mutant.room:9} night {len(kinds):3}: {found or 'NOT FOUND':30} {mutant}", flush=True)


if __name__ == "__main__":
    main()
