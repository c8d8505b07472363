"""Dutch for chatmem. The files are named as in chatmem's own memory/language/en; what is missing claims nothing."""

from pathlib import Path

FOLDER = Path(__file__).with_name("words")
