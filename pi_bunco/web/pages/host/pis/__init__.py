"""The page of Pis that ask to be a table."""
