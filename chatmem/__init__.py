"""chatmem: a chatbot whose memory is SQL that you can read, correct and undo."""

from pathlib import Path

__version__ = "0.1.0"

# In a checkout the floors (memory/, models/, ...) lie beside this folder; installed, they lie inside it.
_root = Path(__file__).resolve().parent.parent
if (_root / "memory" / "values.py").is_file() and (_root / "requirements.txt").is_file():
    __path__.append(str(_root))
