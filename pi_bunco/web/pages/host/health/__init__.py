"""The page of what is well and what is not."""
