"""What `make` does with the built site: serve it, measure it, print it."""
