"""`chatmem deploy`: a rented GPU that serves a model or trains one, and an end to its bill. To import: `command`."""
