"""The host's pages."""
