"""Phone tables: table controllers whose dice and panel are taps on a page, all of a hall in one process."""
