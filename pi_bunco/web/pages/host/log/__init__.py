"""The page of the log."""
