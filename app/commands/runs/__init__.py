"""`chatmem rank` and `chatmem checkpoints`: commands over the files of a run, which know no memory of a person."""
