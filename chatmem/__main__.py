"""`python -m chatmem` is the same as the command `chatmem`."""

from chatmem.app.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
