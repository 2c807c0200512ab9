"""Parts of several pages."""
