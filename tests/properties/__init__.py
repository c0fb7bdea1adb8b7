"""Claims of the book as properties: what must hold for every tensor that the claim speaks of."""
