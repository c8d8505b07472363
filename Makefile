# `make chat` is all that a user needs; the rest is for those who work on chatmem.
VENV ?= .venv
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' >/dev/null 2>&1 \
	&& echo $$p && break; done)
ARGS ?=
JOBS ?= 3
RUN := $(VENV)/bin/python
PIP := $(RUN) -m pip install --disable-pip-version-check
TREE := .mypy_cache/tree
FLOORS := app eval memory models training

.PHONY: help chat test lint types format bench docs clean

help:
	@echo "make chat    install into $(VENV) and talk (ARGS='--user ana' hands options on)"
	@echo "make test    install what the tests need and run them all (ARGS='-k undo' hands options on; JOBS=4)"
	@echo "make lint    formatting, lint and strict types"
	@echo "make bench   the benchmarks behind each claim of speed"
	@echo "make docs    write the generated parts of README and docs anew"

chat: $(VENV)/.chat
	@$(VENV)/bin/chatmem chat $(ARGS)

test: $(VENV)/.test
	$(RUN) -m pytest -n $(JOBS) --dist loadfile --durations 25 --durations-min 1 --rerun-show-tracebacks $(ARGS)

lint: $(VENV)/.lint
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	@$(MAKE) --no-print-directory types

# mypy has no map from folders to packages, so it is shown a tree of links that looks like the installed package.
types: $(VENV)/.lint
	@rm -rf $(TREE) && mkdir -p $(TREE)/chatmem
	@for f in chatmem/*.py chatmem/py.typed $(FLOORS); do ln -s "$(CURDIR)/$$f" $(TREE)/chatmem/; done
	MYPYPATH=$(TREE) $(VENV)/bin/mypy -p chatmem

format: $(VENV)/.lint
	$(VENV)/bin/ruff format .
	$(VENV)/bin/ruff check --fix .

bench: $(VENV)/.test
	@set -e; for f in tests/benchmarks/*/bench_*.py; do echo "== $$f"; $(RUN) "$$f" $(ARGS); done

docs: $(VENV)/.chat
	$(RUN) docs/make.py

clean:
	rm -rf .venv build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(RUN):
	@test -n "$(PYTHON)" || { echo "chatmem needs Python 3.11, 3.12 or 3.13 with its venv module" \
		"(Debian, Ubuntu: apt install python3-venv); install one, or name it: make chat PYTHON=/path/to/python" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.chat: requirements.txt pyproject.toml | $(RUN)
	@echo "Installing chatmem into $(VENV). The first time, llama-cpp-python is compiled:" \
		"about 5 minutes on two cores." >&2
	@command -v c++ >/dev/null || command -v g++ >/dev/null || command -v clang++ >/dev/null || { \
		echo "No C++ compiler found: install one first (Debian, Ubuntu: apt install g++; macOS: xcode-select --install)." >&2; exit 1; }
	$(PIP) -e . >&2
	@touch $@

# pip compiles what it installs file by file; all cores do it in a part of the time.
$(VENV)/.test: requirements.txt constraints.txt pyproject.toml | $(RUN)
	$(PIP) --no-compile -c constraints.txt -e '.[test]'
	@$(RUN) -m compileall -q -q -j 0 $(VENV)/lib >/dev/null || true
	@touch $@ $(VENV)/.chat

$(VENV)/.lint: pyproject.toml | $(RUN)
	$(PIP) -c constraints.txt -e '.[lint]'
	@touch $@
