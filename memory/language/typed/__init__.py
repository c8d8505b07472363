"""What is typed in a hurry, read out: abbreviations, and what is left out. Import the submodules."""
