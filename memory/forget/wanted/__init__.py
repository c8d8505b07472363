"""What a wish in words wants beside its words: what is to stay of it (`excepted`), and areas of a life (`area`)."""
