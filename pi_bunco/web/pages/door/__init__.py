"""The page of the helpers who check guests in at the door."""
