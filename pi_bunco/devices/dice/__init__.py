"""Dice: each kind in a file that registers it (see `devices.kinds`), and what several of them use."""
