"""Runs of `chatmem` one after the other in one process: what they import is loaded once.

They are given as JSON on the command line: for each run its list of words.
"""

from __future__ import annotations

import json
import sys

from chatmem.app.cli import main

if __name__ == "__main__":
    for words in json.loads(sys.argv[1]):
        if status := main(words):
            raise SystemExit(status)
