"""What is asked and what is told: the telling part of a line, whose life a question is about, and what was not told."""
