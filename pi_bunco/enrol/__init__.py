"""The protocol by which a new Pi becomes a table of a hall, without I/O."""
