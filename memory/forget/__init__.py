"""What forgetting means: `asking` reads the wish out of a line, `wanted` says what it names, `gather` finds all that
holds a matter, `erase` takes it away, `proof` looks whether anything is left, and `basis` says what a reply in the
making stands on. The store's `store.forget` brings them together."""
