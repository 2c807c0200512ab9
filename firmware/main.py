"""What a Pico runs when it is switched on: the dice box, until the power goes."""

from board import Board
from safe import run

run(Board())
