"""Pages of HTML in a real browser."""
