"""The program that a Pico runs when it is switched on: the dice box, until the power goes."""

from board import BoxBoard
from safe import run

run(BoxBoard())
