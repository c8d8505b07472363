"""What begins on a day to come, and until when what holds now is told to hold."""
