"""What is asked and what is told: the telling part of a line, small talk, whose life a question is about, what is open."""
