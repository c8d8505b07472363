"""Orders to forget as they stand in a line: what of it orders something gone (`ordered`), or all of something that the
line names beside it (`lot`), what wants back what was erased (`again`), and what answers the question before it by
neither yes nor no (`half`)."""
