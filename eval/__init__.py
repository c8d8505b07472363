"""Floor 2: the evaluators. Other floors take loaders, measures and runs from its rooms; `cli` holds `chatmem eval`."""
