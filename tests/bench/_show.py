"""The benchmarks' rows as two tables on the terminal."""

import os
import sys
from collections.abc import Iterable

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from . import Figure, Row


def show(found: Iterable[Row | Figure]) -> None:
    """Prints the rates in one table and the figures in another."""
    rates = Table("what", "", "a CPU second", "a second", "target", "times as long as", box=SIMPLE_HEAD)
    figures = Table("what", "measured", "at most", "times", box=SIMPLE_HEAD)
    try:
        for one in found:
            cells = rate(one) if isinstance(one, Row) else figure(one)
            print(" | ".join(cells), file=sys.stderr)  # a long run shows how far it is
            (rates if isinstance(one, Row) else figures).add_row(*cells)
    finally:
        console = Console(width=120)
        for table in (rates, figures):
            if table.rows:
                console.print(table)
        console.print(f"  load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


def rate(row: Row) -> list[str]:
    speeds = (row.per_cpu_second, row.per_wall_second, row.target)
    cells = ("" if speed is None else f"{speed:,.0f}" for speed in speeds)
    return [row.what, row.unit, *cells, f"{row.ratio:.2f} x {row.baseline}"]


def figure(one: Figure) -> list[str]:
    times = f"{one.ratio:.2f} x {one.baseline}" if one.ratio is not None else ""
    most = [f"{one.most:g} {one.unit}"] if one.most is not None else []
    most += [f"{one.most_ratio:g} x"] if one.most_ratio is not None else []
    return [one.what, f"{one.value:.3g} {one.unit}", ", ".join(most), times]
