# make train: environment, model, training, evaluation, from nothing.   make install: every world.   make test: what CI runs.
#
# PYTHON           which python3 (>= 3.11) makes the virtual environment .venv
# TORCH_INDEX_URL  an index with CPU builds of torch; without it PyPI's Linux build brings gigabytes of CUDA
# CONFIG, ARGS     what `make train` trains: make train CONFIG=configs/tiny.yaml ARGS="run.seed=1"

PYTHON ?= python3
TORCH_INDEX_URL ?=
CONFIG ?= configs/quickstart.yaml
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
TRAINS := $(VENV)/.installed-train
INSTALLED := $(VENV)/.installed-all
TRAIN_EXTRAS := train,babyai,serve,lora,openai,tensorboard
ALL_EXTRAS := $(TRAIN_EXTRAS),sciworld,search,dense,web,dev
INSTALL := $(BIN)/python -m pip install --quiet $(if $(TORCH_INDEX_URL),--extra-index-url $(TORCH_INDEX_URL)) -c constraints.txt

.DEFAULT_GOAL := help
.PHONY: help install system train test test-fast lint format docs clean

help:
	@echo "make train   train the quickstart (CONFIG=configs/..., ARGS='key=value ...')"
	@echo "make install every world and the tools to work on the code, into .venv"
	@echo "make test    lint, fast tests, slow tests"
	@echo "make lint    ruff, mypy, import layers"
	@echo "make docs    build the documentation into site/"
	@echo "make clean   remove .venv and caches (runs/ stays)"

install: $(INSTALLED)

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "error: Python 3.11 or newer is needed: make PYTHON=python3.12 ..." >&2; exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "error: Python's venv module is missing: apt-get install python3-venv" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(TRAINS): $(VENV)/bin/python pyproject.toml constraints.txt
	$(INSTALL) -e '.[$(TRAIN_EXTRAS)]'
	@touch $@

$(INSTALLED): $(VENV)/bin/python pyproject.toml constraints.txt
	$(INSTALL) -e '.[$(ALL_EXTRAS)]'
	@touch $@ $(TRAINS)

# What some worlds need beyond pip: Java (sciworld) and Chromium (miniwob, webarena). Training the default needs neither.
system:
	@sh scripts/system.sh

train: $(TRAINS)
	$(BIN)/agentgym-rl train $(CONFIG) $(ARGS)

test: system lint test-fast
	$(BIN)/python -m pytest -m slow

test-fast: system $(INSTALLED)
	$(BIN)/python -m pytest -m "not slow"

lint: $(INSTALLED)
	$(BIN)/ruff check src tests scripts benchmarks examples
	$(BIN)/ruff format --check src tests scripts benchmarks examples
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(INSTALLED)
	$(BIN)/ruff check --fix src tests scripts benchmarks examples
	$(BIN)/ruff format src tests scripts benchmarks examples

docs: $(INSTALLED)
	$(INSTALL) -e '.[docs]'
	$(BIN)/python scripts/settings_page.py
	$(BIN)/mkdocs build --strict

clean:
	rm -rf $(VENV) build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
