"""Orders to forget as they stand in a line: what of it orders something gone (`ordered`), or all of something that the
line names beside it (`lot`), and what wants back what was erased (`again`)."""
