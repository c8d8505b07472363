"""What begins on a day to come, and which facts hold until then."""
