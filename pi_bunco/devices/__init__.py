"""Dice, panel, lights and bell behind small protocols, real, recorded and virtual."""
