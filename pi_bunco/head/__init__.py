"""The head service: takes the tables' facts in order, referees, rings, journals, and tells everybody."""
