"""`python -m tests.bench [NAME...] [--repeats N]`: the table of all benchmarks, or of the modules named."""

import argparse
import importlib
import pkgutil
from collections.abc import Iterator

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from . import Row, __name__, __path__


def names() -> list[str]:
    return [module.name for module in pkgutil.iter_modules(__path__) if module.name[0] not in "_t"]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(names()))
    parser.add_argument("--repeats", type=int, default=5, metavar="N", help="the best of so many counts")
    options = parser.parse_args()
    table = Table("what", "", "a CPU second", "a second", "target", "times as long as", box=SIMPLE_HEAD)
    for row in rows(options.names or names(), options.repeats):
        speeds = (row.per_cpu_second, row.per_wall_second, row.target)
        cells = ("" if speed is None else f"{speed:,.0f}" for speed in speeds)
        table.add_row(row.what, row.unit, *cells, f"{row.ratio:.2f} x {row.baseline}")
    Console(width=120).print(table)


def rows(modules: list[str], repeats: int) -> Iterator[Row]:
    for name in modules:
        yield from importlib.import_module(f"{__name__}.{name}").rows(repeats)


main()
