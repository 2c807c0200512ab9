"""Panels: each kind in a file that registers it (see `devices.kinds`)."""
