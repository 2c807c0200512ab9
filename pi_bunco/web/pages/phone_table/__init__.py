"""A phone that is a table."""
