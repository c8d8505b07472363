"""Which lines wish something forgotten, in whatever words, and what of the memory they mean (`wished`)."""
