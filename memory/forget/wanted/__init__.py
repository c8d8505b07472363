"""What a wish in words means (`meant`): an `area` of a life, of "my job" no other's (`mine`), what was said in a time
(`when`), what is to stay of it (`excepted`), and wishes that nobody understood (`unread`)."""
