"""One table in large."""
