"""Known rows that a line changes on a day to come."""
