"""Floor 2: evaluators."""
