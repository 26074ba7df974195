# Every target sets up .venv by itself, from the locked and hashed dependencies.
# GNU make 3.81 is enough. Start with: make help

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet
SOURCES := judge reference generator tests benchmarks noxfile.py
FAST   := not isolation and not web and not exports and not cluster and not torch
PYTEST := $(BIN)/python -m pytest

.DEFAULT_GOAL := help
.PHONY: help judge run watch generate-tests verify statement serve test test-isolation test-web \
        test-exports test-cluster test-all lint format bench doctor lock clean

help: ## this list
	@echo "Judge your own solution:"
	@echo "  make judge SUBMISSION=my_solution.py"
	@echo
	@echo "Targets:"
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -e 's/:.*## /\t/' | awk -F'\t' '{printf "  make %-16s %s\n", $$1, $$2}'

# --- for learners ---------------------------------------------------------------------------------

judge: $(VENV)/.judge ## judge SUBMISSION=file.py on every case
	@$(call need_submission,judge)
	@$(BIN)/judge run $(ARGS) "$(SUBMISSION)"

run: $(VENV)/.judge ## judge SUBMISSION=file.py on the samples alone
	@$(call need_submission,run)
	@$(BIN)/judge run --group sample $(ARGS) "$(SUBMISSION)"

watch: $(VENV)/.test ## judge SUBMISSION=file.py again on every save
	@$(call need_submission,watch)
	@$(BIN)/judge watch $(ARGS) "$(SUBMISSION)"

statement: $(VENV)/.test ## render the problem to build/statement.html and open it
	@$(BIN)/judge statement $(ARGS)

serve: $(VENV)/.all ## start the web page
	@$(BIN)/judge serve $(ARGS)

doctor: $(VENV)/.judge ## show and prove what isolates submissions here
	@$(BIN)/judge doctor $(ARGS)

# --- for problem setters --------------------------------------------------------------------------

generate-tests: $(VENV)/.test ## make the test cases again (ARGS=--check: are they up to date?)
	@$(BIN)/judge generate $(ARGS)

verify: $(VENV)/.test ## check that every mistake is rejected and no right solution is
	@$(BIN)/judge verify $(ARGS)

# --- for developers -------------------------------------------------------------------------------

test: $(VENV)/.test ## the tests that need Python alone
	@$(PYTEST) -m "$(FAST)" $(ARGS)

test-isolation: $(VENV)/.test ## attacks in a real jail, as root and as a user
	@$(PYTEST) -m isolation $(ARGS)

test-web: $(VENV)/.all ## pages and reports in a real browser (needs chromium and node)
	@$(PYTEST) -m web $(ARGS)

test-exports: $(VENV)/.all ## packages, checked by the target systems' own tools
	@$(PYTEST) -m exports $(ARGS)

test-cluster: $(VENV)/.all ## batch judging on a real scheduler with worker processes
	@$(PYTEST) -m cluster $(ARGS)

test-all: test test-isolation test-web test-exports test-cluster ## all of these

lint: $(VENV)/.all ## ruff and mypy
	@$(BIN)/ruff check $(SOURCES)
	@$(BIN)/ruff format --check $(SOURCES)
	@$(BIN)/mypy

format: $(VENV)/.test ## rewrite the sources as ruff formats them
	@$(BIN)/ruff check --fix $(SOURCES)
	@$(BIN)/ruff format $(SOURCES)

bench: $(VENV)/.all ## measure, and write docs/performance.md
	@$(BIN)/python -m benchmarks $(ARGS)

COMPILE := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header pyproject.toml --group build
lock: ## choose the newest allowed dependencies again (needs uv)
	$(COMPILE) --upgrade -o requirements.lock
	$(COMPILE) --upgrade --extra authoring --extra watch --group test -c requirements.lock -o requirements-test.lock
	$(COMPILE) --upgrade --all-extras --group test --group browser --group api --group sessions -c requirements-test.lock -o requirements-all.lock

clean: ## remove .venv, build/ and caches of tools
	rm -rf $(VENV) build .mypy_cache .ruff_cache .hypothesis .nox

# --- setting up -----------------------------------------------------------------------------------

define need_submission
test -n "$(SUBMISSION)" || { echo "Which file? Say: make $(1) SUBMISSION=my_solution.py" >&2; exit 2; }
endef

$(VENV)/bin/python:
	@command -v "$(PYTHON)" >/dev/null 2>&1 || { \
	  echo "No $(PYTHON) here. Install Python 3.11 or later, or name one: make … PYTHON=/path/to/python3" >&2; exit 2; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "$$("$(PYTHON)" --version) is too old: this needs Python 3.11 or later. If you have one, name it: make … PYTHON=python3.11" >&2; exit 2; }
	@"$(PYTHON)" -c 'import venv, ensurepip' 2>/dev/null || { \
	  echo "This Python has no venv module (Debian and Ubuntu: apt install python3-venv)." >&2; exit 2; }
	@echo "Setting up $(VENV) with $$("$(PYTHON)" --version) …" >&2
	@rm -rf $(VENV)
	@"$(PYTHON)" -m venv $(VENV)

# One stamp a set of dependencies: a set is installed when its lock, or the project file, is newer.
$(VENV)/.judge: requirements.lock pyproject.toml | $(VENV)/bin/python
	$(call install,requirements.lock)

$(VENV)/.test: requirements-test.lock pyproject.toml | $(VENV)/.judge
	$(call install,requirements-test.lock)

$(VENV)/.all: requirements-all.lock pyproject.toml | $(VENV)/.test
	$(call install,requirements-all.lock)

define install
@echo "Installing $(1) …" >&2
@$(PIP) install --require-hashes -r $(1) || { \
  echo "Installing failed. Is there a network, and does this Python have wheels for all of $(1)?" >&2; exit 2; }
@$(PIP) install --no-deps --no-build-isolation --editable .
@# Where PYTHONDONTWRITEBYTECODE is set, every start would compile the judge anew.
@$(BIN)/python -m compileall -q judge
@touch $@
endef
