"""The append-only store of facts."""
