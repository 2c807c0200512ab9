"""The page of a running evening."""
