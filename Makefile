# make demo   set up, convert the bundled example, build it, run it, compare
# make test   set up what the tests need, and run them all
# make check  format, lint, types and the quick tests, for every commit
# make docs   write the generated pages again

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
JOBS ?= $(shell n=$$(nproc 2>/dev/null || echo 2); echo $$n)
DEMO ?= build/demo

.PHONY: demo test check format docs wheel clean

demo: $(VENV)/.runtime
	scripts/demo.sh $(BIN) $(DEMO)

test: $(VENV)/.dev
	scripts/debian-packages.sh
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n $(JOBS) -m "not slow"

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.dev
	$(BIN)/python scripts/make_docs.py

wheel: $(VENV)/.dev
	$(BIN)/python -m build --wheel --outdir build/dist

$(VENV)/.runtime: pyproject.toml scripts/venv.sh
	scripts/venv.sh $(PYTHON) $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.dev: pyproject.toml scripts/venv.sh
	scripts/venv.sh $(PYTHON) $(VENV)
	$(BIN)/python -m pip install --quiet --editable ".[dev,oracles]"
	touch $@ $(VENV)/.runtime

clean:
	rm -rf $(VENV) build dist
