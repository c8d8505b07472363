"""The reader of small models: of what was recalled, the told sentence that answers (extractive reading)."""
