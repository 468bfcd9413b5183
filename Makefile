# make try: see what it does. make test: what CI runs. Both make their own environment in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help try test test-fast test-times test-long test-agents test-agents-all clients lint types lock audit sbom format bench clean
help:
	@echo "make try    install into .venv and learn from the sample sessions"
	@echo "make test   lint, types and the whole suite"
	@echo "make test-agents      what the real Claude Code and Codex do, installed into a cache"
	@echo "make test-agents-all  the same with every agent; those that cannot be installed are skipped"
	@echo "make test-long   the battery of faults and attacks and the tests with many examples, in full size: up to two hours"
	@echo "make test-times  the suite, with the processor time of its slowest tests, files and fixtures"
	@echo "make lock   renew requirements-dev.txt: the versions and hashes that the tests are installed from"
	@echo "make audit  look for known vulnerabilities in those versions"
	@echo "make sbom   write dist/sbom.json: what the package needs when it runs, with licences and hashes"
	@echo "make bench  list the benchmarks"
	@echo "make clean  remove .venv and caches"

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "wisen needs Python 3.11 or newer; this is $$($(PYTHON) --version). Try: make PYTHON=python3.11"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "No venv: install your system's python3-venv package, or give another one: make PYTHON=/path/to/python3"; exit 1; }
	@touch $@

$(VENV)/.installed: $(VENV)/.made pyproject.toml
	@echo "Installing wisen into $(VENV) ..."
	@$(BIN)/pip install --quiet --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.made pyproject.toml requirements-dev.txt
	@echo "Installing what the tests need ..."
	@$(BIN)/python -m tests.supply_chain.install
	@touch $(VENV)/.installed $@

try: $(VENV)/.installed
	@$(BIN)/python examples/try.py

lint: $(VENV)/.dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(VENV)/.dev
	@$(BIN)/mypy

test-fast: $(VENV)/.dev
	@$(BIN)/pytest -n auto --dist worksteal

# Lint and types use one core each: beside the suite they fill what it leaves free.
test: $(VENV)/.dev
	@$(MAKE) --no-print-directory -j 3 lint types test-fast

test-times: $(VENV)/.dev
	@$(BIN)/python -m pytest -p tests.cpu_times -n auto --dist worksteal

clients:
	@$(PYTHON) -m tests.agents.clients $(CLIENTS)

test-agents: CLIENTS ?= claude-code codex
test-agents: $(VENV)/.dev clients
	@WISEN_TEST_REQUIRE=claude-code,codex $(BIN)/pytest tests/agents -k live -rs -n auto --dist loadfile

test-agents-all: $(VENV)/.dev
	@-$(PYTHON) -m tests.agents.clients
	@WISEN_TEST_AGENTS=all $(BIN)/pytest tests/agents -k live -rs -n 2 --dist loadfile

test-long: $(VENV)/.dev
	@$(BIN)/python -m tests.battery --full
	@WISEN_TEST_LONG=1 $(BIN)/pytest -m sized -n auto --dist worksteal

lock: $(VENV)/.dev
	@$(BIN)/python -m tests.supply_chain.lock

audit: $(VENV)/.dev
	@$(BIN)/python -m tests.supply_chain.audit

sbom: $(VENV)/.dev
	@$(BIN)/python -m tests.supply_chain.sbom

format: $(VENV)/.dev
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: $(VENV)/.dev
	@$(BIN)/python -m benchmarks --list

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .hypothesis .pytest_cache
