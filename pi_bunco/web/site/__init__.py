"""The site: HTTP, streams, login, and the state behind the pages. It knows no page."""
