"""The page of standings and prizes."""
