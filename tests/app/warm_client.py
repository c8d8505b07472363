"""Stands where a program was started, and has `warm.py` fork it: words, environment, files and signals go on to it."""

import json
import os
import signal
import socket
import sys

with socket.socket(socket.AF_UNIX) as server:
    server.connect(sys.argv[1])
    told = {"words": sys.argv[2:], "env": dict(os.environ), "folder": os.getcwd()}
    said = json.dumps(told).encode() + b"\n"
    sent = socket.send_fds(server, [said], [0, 1, 2])
    server.sendall(said[sent:])
    with server.makefile("rb") as answers:
        program = int(answers.readline())
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGWINCH):
            signal.signal(number, lambda number, _: os.kill(program, number))
        status = int(answers.read())
if os.WIFSIGNALED(status):
    signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
    os.kill(os.getpid(), os.WTERMSIG(status))
raise SystemExit(os.WEXITSTATUS(status))
