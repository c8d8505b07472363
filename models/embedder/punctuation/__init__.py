"""Marks for lines that have none: what is dictated, or typed without a full stop."""
