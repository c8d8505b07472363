"""chatmem: a chatbot whose memory is SQL that you can read, correct and undo.

From Python: `chatmem.Memory` (models/api.py), one person's memory in one object.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chatmem.models.api import Memory as Memory

__all__ = ["Memory", "__version__"]

__version__ = "0.1.0"

# In a checkout the floors (memory/, models/, ...) lie beside this folder; installed, they lie inside it.
_root = Path(__file__).resolve().parent.parent
if (_root / "memory" / "values.py").is_file() and (_root / "requirements.txt").is_file():
    __path__.append(str(_root))


def __getattr__(name: str) -> Any:
    """`Memory` is loaded when it is first asked for: the command line need not wait for it."""
    if name == "Memory":
        from chatmem.models.api import Memory

        return Memory
    raise AttributeError(f"module 'chatmem' has no attribute {name!r}")


def __dir__() -> list[str]:
    """With `Memory`, which is not there before it is asked for: completion in a shell lists it."""
    return sorted({*globals(), *__all__})
