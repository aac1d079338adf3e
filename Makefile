# `make demo` and `make test` set up everything they need; nothing but python3, make, node and npm
# has to be there before.

PYTHON ?= python3
# Another Python, or DEPENDENCIES=oldest or newest, has an environment of its own.
DEPENDENCIES ?= pinned
VENV := .venv$(addprefix -,$(notdir $(filter-out python3,$(PYTHON))))$(addprefix -,$(filter-out pinned,$(DEPENDENCIES)))
BIN := $(VENV)/bin
CONSTRAINTS_pinned := constraints.txt
CONSTRAINTS_oldest := $(VENV)/oldest.txt
CONSTRAINTS_newest := /dev/null
REFERENCE := .cache/reference
RELEASE := .cache/release
LINT := .cache/lint
DISTRIBUTIONS := -e '.[dev]'
# Many tests wait for other processes, so there are twice as many as cores. WORKERS=0: one process.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(max(4, 2 * (os.cpu_count() or 1)))')
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

# Hundreds of processes import the same modules, and each of pytest's rewrites all tests otherwise.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help install reference demo test test-agents test-agents-newest test-clients bench torture dist pictures check check-workflows format generate clean
.DEFAULT_GOAL := help

help: ## show this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-15s %s\n", $$1, $$2}'

install: $(VENV)/installed ## create .venv; afterwards .venv/bin/sessiond serves on stdio

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python dev/oldest.py > $(VENV)/oldest.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS_$(DEPENDENCIES)) $(DISTRIBUTIONS)
	@touch $@

reference: $(REFERENCE)/installed ## install npm's pi (newest, older), which the tests compare with, and a Node for it

$(REFERENCE)/installed: tests/reference/package.json tests/reference/install.py
	@$(PYTHON) tests/reference/install.py $(REFERENCE)

demo: install ## see what sessiond does, in less than a minute (FILE=path: read one of your own sessions)
	@$(BIN)/python dev/demo/demo.py $(if $(FILE),"$(FILE)",)

test: install reference ## every test that needs nothing beyond Python and Node (PYTHON=python3.13, DEPENDENCIES=oldest or newest)
	$(PYTEST)

test-agents: install reference ## real agents, against a model of ours: what they write, and use of MCP (opt-in)
	@$(PYTHON) tests/real_agents/install.py .cache/agents
	SESSIOND_AGENTS=.cache/agents $(BIN)/python -m pytest tests/real_agents

test-agents-newest: install reference ## the newest versions of other agents, with the same tests; only reports
	@$(PYTHON) tests/real_agents/install.py .cache/agents-newest newest
	-SESSIOND_AGENTS=.cache/agents-newest $(BIN)/python -m pytest tests/real_agents/test_totals.py

test-clients: install ## build and test each client whose toolchain is present
	@$(BIN)/python clients/run_tests.py

bench: install reference ## measure, as ratios against npm's pi and a bare asyncio echo
	@$(BIN)/python dev/bench/run.py

torture: install ## try to break every promise for some minutes (CAMPAIGN=name, ROUNDS=times as long, SEED=n)
	@PYTHONPATH=tests $(BIN)/python -m torture $(CAMPAIGN) --rounds $(or $(ROUNDS),1) $(if $(SEED),--seed $(SEED),)

dist: $(RELEASE)/installed ## build every artifact into dist/ and prove each by a conversation
	@$(RELEASE)/bin/python dev/release/dist.py

$(RELEASE)/installed: dev/release/requirements.txt
	$(PYTHON) -m venv $(RELEASE)
	$(RELEASE)/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

pictures: install ## draw the pictures of the README (needs Chromium)
	@$(BIN)/python dev/demo/pictures.py

check: install ## lint, types, generated files, and what the contract breaks since the last release
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python protocol/generate.py --check
	$(BIN)/python dev/release/man_page.py --check
	$(BIN)/python dev/release/versions.py --check
	$(BIN)/python dev/release/contract_changes.py

check-workflows: ## lint the workflows of the hosting site (needs Go)
	$(PYTHON) -m venv $(LINT)
	$(LINT)/bin/python -m pip install --quiet --disable-pip-version-check zizmor==1.32.0
	$(LINT)/bin/zizmor --offline --quiet .github
	go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.7

format: install ## let ruff put the code in order
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

generate: install ## write the files generated from the contract, the manual page, and the version of all clients
	$(BIN)/python protocol/generate.py
	$(BIN)/python dev/release/man_page.py
	$(BIN)/python dev/release/versions.py

clean: ## remove what the targets above made
	rm -rf .venv .venv-* .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis
