"""A second engine, written from the rules and the format of the log alone, to compare the first one with.

Plain and slow: a table is a list of what counts there, and everything is worked out from that list anew.
"""
