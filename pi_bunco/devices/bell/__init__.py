"""Bells: each kind in a file that registers it (see `devices.kinds`), their limits, and the bell button."""
