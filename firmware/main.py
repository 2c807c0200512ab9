"""What a Pico runs when it is switched on: the dice box, until the power goes."""

from board import PicoBoard
from safe import run

run(PicoBoard())
