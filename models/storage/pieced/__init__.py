"""Facts that a small model put together: from several places of their line, from older lines, or of nothing named."""
