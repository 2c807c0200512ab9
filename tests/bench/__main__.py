"""`python -m tests.bench [NAME...] [--repeats N]`: the table of all benchmarks, or of the modules named."""

import argparse
import importlib
import pkgutil
from collections.abc import Iterator

from . import Figure, Row, __name__, __path__
from ._show import show


def names() -> list[str]:
    return [module.name for module in pkgutil.iter_modules(__path__) if module.name[0] not in "_t"]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(names()))
    parser.add_argument("--repeats", type=int, default=5, metavar="N", help="the best of N counts")
    options = parser.parse_args()
    show(rows(options.names or names(), options.repeats))


def rows(modules: list[str], repeats: int) -> Iterator[Row | Figure]:
    for name in modules:
        yield from importlib.import_module(f"{__name__}.{name}").rows(repeats)


main()
