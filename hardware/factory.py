"""All boards that a factory makes, as artwork: the placed ones, and the stripboards."""

from functools import cache
from pathlib import Path

import layouts
import strips
from artwork import Artwork
from bell_board import bell_board
from dice_board import dice_board
from placed import PlacedBoard
from table_hat import table_hat


def placed() -> dict[str, PlacedBoard]:
    """The boards that the factory fills too, by their name."""
    return {board.name: board for board in (bell_board(), dice_board(), table_hat())}


def archive(name: str) -> Path:
    """The board's archive in this folder: the stripboards have a folder of their own."""
    return Path("stripboard" if name in layouts.boards() else "boards", f"{name}.zip")


@cache
def artworks() -> dict[str, Artwork]:
    """Every board by its name."""
    found = {name: board.artwork() for name, board in placed().items()}
    return found | {name: strips.artwork(board) for name, board in layouts.boards().items()}
