"""Runs a Bunco night on real dice, bells and Raspberry Pis."""

__version__ = "0.1.0"
