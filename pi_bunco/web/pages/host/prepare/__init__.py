"""The page that prepares an evening."""
