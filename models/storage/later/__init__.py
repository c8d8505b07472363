"""What a line does to known rows that it changes on a day to come."""
