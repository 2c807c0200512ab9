"""Names of everything that people read, in every language."""
