"""The documents as a web site: ``make site`` builds docs/, the pages at the root and the API reference into static files."""
