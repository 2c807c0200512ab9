"""The game: facts, a table's round, the evening, seating, standings and prizes. Pure."""
