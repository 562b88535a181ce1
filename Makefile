# Needs only Python 3.11+, make, git, and Node 20 with npm. `make help` lists the targets.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
LOGDIR ?=
PORT ?= 6006
# The release that the tests record with. The demo needs no PyTorch.
TORCH ?= torch==2.13.0
STOCK_TAB ?= torch-tb-profiler>=0.4.3
CHROMIUM ?= /usr/bin/chromium

VENV := .venv
DEMO_VENV := .venv-demo
# What `make bench` compares, each as its users install it, and the real trace that its large files are made of.
BENCH_OURS := .venv-bench-ours
BENCH_STOCK := .venv-bench-stock
BENCH_HTA := .venv-bench-hta
SHARED ?= ../shared
SOURCE ?= $(SHARED)/traces/hta__negative_queue_length_values_check_rank0.json.gz
SCALE ?= $(SHARED)/tools/scale_trace.py
BENCH_DIR ?= .bench
PIP_FLAGS := --quiet --disable-pip-version-check
PACKAGING := pyproject.toml setup.py tb_plugin_explain/__init__.py $(wildcard tb_plugin_explain/trace/scan_c/*)

.PHONY: help bench demo test test-python test-typescript test-browser check build clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1|\2/' \
	  | while IFS='|' read -r target text; do printf '  make %-16s %s\n' "$$target" "$$text"; done

demo: $(DEMO_VENV)/.installed ## TensorBoard with both tabs on the sample runs; LOGDIR=runs PORT=6006
	@$(DEMO_VENV)/bin/python -m tb_plugin_explain.demo --port $(PORT) $(if $(LOGDIR),"$(LOGDIR)")

test: test-python test-typescript test-browser ## every test: Python, TypeScript, browser
	@echo "make test: all tests passed"

test-python: $(VENV)/.installed ## the Python tests
	$(VENV)/bin/python -m pytest --ignore=tests/browser --numprocesses auto --dist loadfile

test-typescript: frontend/node_modules/.installed ## the TypeScript tests
	npm --prefix frontend run test

test-browser: $(VENV)/.installed frontend/node_modules/.installed | $(CHROMIUM) ## the tab in a real TensorBoard and a real browser
	CHROMIUM=$(CHROMIUM) $(VENV)/bin/python -m pytest tests/browser

check: $(VENV)/.installed frontend/node_modules/.installed ## linters, types, import order, committed bundle
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports
	@$(VENV)/bin/python scripts/generate_types.py --check \
	  || { echo "frontend/src/api/types.ts is not what the report's structs say: run make build"; exit 1; }
	npm --prefix frontend run check
	@before=$$(mktemp -d); trap 'rm -rf "$$before"' EXIT; \
	cp -r tb_plugin_explain/static "$$before"; \
	npm --prefix frontend run build; \
	diff -rq "$$before/static" tb_plugin_explain/static \
	  || { echo "tb_plugin_explain/static was not the build of frontend/: commit what is there now"; exit 1; }
	@echo "make check: all checks passed"

bench: $(VENV)/.installed $(BENCH_OURS)/.installed $(BENCH_STOCK)/.installed $(BENCH_HTA)/.installed ## ours beside the peers; SOURCE=trace.json.gz SCALE=script
	@[ -f "$(SCALE)" ] && [ -f "$(SOURCE)" ] || { echo "make bench needs a real trace, and a script that repeats one" \
	  "(make bench SOURCE=trace.json.gz SCALE=scale_trace.py): there is no $(SCALE) or no $(SOURCE)"; exit 1; }
	$(VENV)/bin/python -m benchmarks.bench $(SOURCE) --scale $(SCALE) --directory $(BENCH_DIR) \
	  --ours $(BENCH_OURS)/bin/tb-explain --stock $(BENCH_STOCK)/bin/python --hta $(BENCH_HTA)/bin/python

build: frontend/node_modules/.installed ## the page, from frontend/ into tb_plugin_explain/static/
	$(PYTHON) scripts/generate_types.py
	npm --prefix frontend run build

clean: ## remove environments, caches and build results
	rm -rf $(VENV) $(DEMO_VENV) $(BENCH_OURS) $(BENCH_STOCK) $(BENCH_HTA) $(BENCH_DIR) frontend/node_modules build dist *.egg-info test-results \
	  .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find tb_plugin_explain tests samples -name __pycache__ -prune -exec rm -rf {} +

$(VENV)/.installed: $(PACKAGING)
	@$(call new_venv,$(VENV))
	$(VENV)/bin/pip install $(PIP_FLAGS) --editable '.[dev]' '$(STOCK_TAB)' '$(TORCH)'
	@touch $@

$(DEMO_VENV)/.installed: $(PACKAGING)
	@$(call new_venv,$(DEMO_VENV))
	@echo "Installing the package and the stock profiler tab into $(DEMO_VENV) (once)"
	@$(DEMO_VENV)/bin/pip install $(PIP_FLAGS) --editable . '$(STOCK_TAB)'
	@touch $@

$(BENCH_OURS)/.installed: $(PACKAGING) $(shell find tb_plugin_explain -type f -not -name '*.pyc' -not -name '*.so')
	@$(call new_venv,$(BENCH_OURS))
	rm -rf build
	$(BENCH_OURS)/bin/pip install $(PIP_FLAGS) .
	rm -rf build
	@touch $@

$(BENCH_STOCK)/.installed:
	@$(call new_venv,$(BENCH_STOCK))
	$(BENCH_STOCK)/bin/pip install $(PIP_FLAGS) torch-tb-profiler==0.4.3 '$(TORCH)'
	@touch $@

$(BENCH_HTA)/.installed:
	@$(call new_venv,$(BENCH_HTA))
	$(BENCH_HTA)/bin/pip install $(PIP_FLAGS) HolisticTraceAnalysis==0.5.0
	@touch $@

frontend/node_modules/.installed: frontend/package.json frontend/package-lock.json
	npm --prefix frontend ci --no-audit --no-fund
	@touch $@

$(CHROMIUM):
	@command -v apt-get >/dev/null || { echo "No Chromium at $(CHROMIUM): install one and give its path, make test CHROMIUM=..."; exit 1; }
	@sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	$$sudo apt-get -qq -o DPkg::Lock::Timeout=300 update; \
	$$sudo apt-get -qq -o DPkg::Lock::Timeout=300 install -y --no-install-recommends chromium fonts-dejavu-core

define new_venv
$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
  || { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11"; exit 1; }; \
[ -x $(1)/bin/pip ] || $(PYTHON) -m venv $(1)
endef
