"""How a new Pi becomes a table of a hall: the protocol between it and the head, without I/O."""
