"""What a host does to a machine outside a game: the wiring check, and who may touch the bell meanwhile."""
