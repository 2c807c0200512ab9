"""From the bytes of a dice box, or the levels of lines, to throws: no I/O, no clock, no thread."""
