"""The page that takes a roster of a sign-up site or a spreadsheet."""
