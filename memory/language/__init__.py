"""What is known of a language: its words as data (`en/*.toml`), and the rules that read lines in it."""
