"""The page of past evenings."""
