"""What is asked and what is told: the telling part of a line, small talk, whose life it is about, what isn't told."""
