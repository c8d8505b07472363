"""`python -m chatmem` is the same as the command `chatmem`."""


def main() -> int:
    """Runs the command line. Interrupted while that is still being loaded, it ends as quietly as later."""
    try:
        from chatmem.app.cli import main as run

        return run()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    raise SystemExit(main())
