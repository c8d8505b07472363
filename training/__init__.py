"""Floor 3: trainers."""
