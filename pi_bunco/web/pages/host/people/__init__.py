"""The page of the people: who is to come, who is here."""
