"""The web page: a store that loses nothing, a desk that hands out work, an API, and the page."""
