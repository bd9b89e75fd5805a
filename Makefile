# Everything that people, hooks and CI run. `make help` lists the targets.
# A fresh machine needs Python 3.10 or newer, a C linker and cargo; the rest is installed into .venv as wheels.

PYTHON ?= python3
GROUP ?= dev
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
PY := $(BIN)/python
BENCH_VENV := .cache/bench-venv
BENCH_PY := $(BENCH_VENV)/bin/python
SITE_VENV := .cache/site-venv
SITE_PY := $(SITE_VENV)/bin/python
PAGES_VENV := .cache/pages-venv
PAGES_PY := $(PAGES_VENV)/bin/python

INSTALLED := $(VENV)/.installed
BUILT := $(VENV)/.built
BENCH_INSTALLED := $(BENCH_VENV)/.installed
SITE_INSTALLED := $(SITE_VENV)/.installed
PAGES_INSTALLED := $(PAGES_VENV)/.installed
LAB_INSTALLED := $(VENV)/.lab-installed
RAY_INSTALLED := .cache/ray-venv/.installed
SPARK_INSTALLED := .cache/spark-venv/.installed
READERS := $(foreach library,megatron datatrove streaming litdata,.cache/readers/$(library)/.installed)

RUST := $(shell find crates -name target -prune -o \( -name '*.rs' -o -name Cargo.toml \) -print) Cargo.toml Cargo.lock

# What maturin tells pyo3; told otherwise, each of clippy and maturin would compile pyo3 anew after the other.
PYO3_CONFIG = $(firstword $(wildcard $(CURDIR)/target/maturin/pyo3-config-*.txt))
PYO3 = PYO3_BUILD_EXTENSION_MODULE=1 $(if $(PYO3_CONFIG),PYO3_CONFIG_FILE=$(PYO3_CONFIG))

export PIP_ONLY_BINARY := :all:
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_QUIET := 1
export PYO3_PYTHON := $(abspath $(PY))
# Examples and tests start hundreds of processes; without bytecode each would compile the package anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help run lab test test-python test-rust test-deep compat parity pages soak lint format bench bench-kernel bench-training bench-shards bench-shards-long docs site fuzz crash readers engines build clean

help: ## Show this list.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: $(BUILT) ## Set up, build, and encode a paragraph with the embedded default tokenizer.
	@$(PY) -m anypiece.demo

lab: $(LAB_INSTALLED) ## Open the lab in the browser: every step of tokenizing a text. ARGS are passed on, such as -t FILE.
	@$(PY) -m anypiece serve --open $(ARGS)

test: lint test-rust test-python ## What must pass: lint, Rust tests, Python tests, every example in the documents.

test-rust: $(BUILT) ## The kernel's own tests.
	cargo test --release --quiet --workspace --exclude anypiece-native --exclude anypiece-bench

test-python: $(BUILT) ## The Python tests but the slow tier.
	$(PY) -m pytest -n auto --dist worksteal -m "not deep" $(ARGS)

test-deep: $(BUILT) ## The slow tier: the longest laws, and with ../shared/data beside the checkout a sample of all real files.
	$(PY) -m pytest -n auto --dist worksteal -m deep $(ARGS)

parity: $(BUILT) ## The full comparison with sentencepiece, llama.cpp and others; resumable. ARGS are passed on.
	$(PY) -m tests.property.streams
	$(PY) -m tests.property.steps
	$(PY) -m tests.parity.full $(ARGS)

compat: $(BUILT) ## The originals' test suites, against them and against anypiece.compat. ARGS are passed on.
	$(PY) -m tests.compat.run $(ARGS)

pages: $(BUILT) $(PAGES_INSTALLED) ## Open reports and the lab in Chromium, narrow and wide, light and dark; as root it is installed (Debian).
	@command -v chromium > /dev/null || command -v google-chrome > /dev/null || if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; \
	then apt-get -q update && apt-get -q install -y --no-install-recommends chromium fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji; \
	else echo 'Chromium is missing; install it (Debian: sudo apt-get install chromium).' >&2; exit 1; fi
	$(PY) -m tests.pages $(ARGS)
	PYTHONPATH=python $(PAGES_PY) -m tests.pages.lab

soak: $(LAB_INSTALLED) ## A server under load on this machine: errors, memory, and how long short texts wait beside long ones. ARGS are passed on.
	$(PY) -m tests.soak $(ARGS)

lint: $(BUILT) ## Check style, types, stubs and Rust lints. Changes nothing.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(PY) -m mypy.stubtest anypiece._native
	cargo fmt --all --check
	$(PYO3) cargo clippy --release --workspace --all-targets --quiet -- -D warnings

format: $(INSTALLED) ## Rewrite files in the house style.
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	cargo fmt --all

bench: $(BUILT) $(BENCH_INSTALLED) ## Compare speed with the peers; ARGS=--record keeps the result. Python 3.11+.
	PYTHONPATH=python $(BENCH_PY) -m benchmarks.run $(ARGS)

bench-kernel: $(BUILT) ## Time the kernel's stages without Python, by criterion. ARGS are passed on.
	$(PY) -m benchmarks.kernel $(ARGS)

bench-training: $(BUILT) $(BENCH_INSTALLED) ## Compare training with the peers: time, memory, results. Python 3.11+.
	PYTHONPATH=python $(BENCH_PY) -m benchmarks.training $(ARGS)

bench-shards: $(BUILT) $(READERS) ## From files to shards by the clock, beside encode_batch, the disk and two peers. ARGS are passed on. Python 3.11+.
	$(PY) -m benchmarks.shards $(ARGS)

bench-shards-long: $(BUILT) ## 2 GB and 20 GB to shards: memory, time of processors, and what a kill costs. ARGS are passed on.
	$(PY) -m benchmarks.shards.long_run $(ARGS)

docs: $(BUILT) ## Run every example, check links, bring README's chart, docs/benchmarks.md and the help texts up to date.
	$(PY) -m scripts.docs $(ARGS)

site: $(SITE_INSTALLED) ## The documents and an API reference as static pages in .cache/site, links checked. Python 3.11+.
	$(SITE_PY) -m scripts.site

fuzz: $(BUILT) ## Mutate texts against the kernel, and files against the loaders. ARGS are passed on to both.
	cargo run --release --quiet -p anypiece-fuzz -- $(ARGS)
	$(PY) -m tests.fuzz $(ARGS)

crash: $(BUILT) $(RAY_INSTALLED) ## Kill runs of `anypiece shards` at random moments and run them again: the bytes must be the same. ARGS are passed on.
	$(PY) -m tests.crash $(ARGS)

readers: $(BUILT) $(READERS) ## Read shards of every format by the library that the format belongs to. ARGS are passed on. Python 3.11+.
	$(PY) -m tests.readers $(ARGS)

engines: $(BUILT) $(RAY_INSTALLED) $(SPARK_INSTALLED) ## Shards and words by Ray and Spark, workers killed meanwhile; as root, Java is installed (Debian).
	@command -v java > /dev/null || if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; \
	then apt-get -q update && apt-get -q install -y --no-install-recommends openjdk-17-jre-headless; \
	else echo 'Java is missing; install it (Debian: sudo apt-get install openjdk-17-jre-headless).' >&2; exit 1; fi
	$(PY) -m tests.engines $(ARGS)

build: $(INSTALLED) ## A wheel in dist/.
	$(BIN)/maturin build --release --out dist

clean: ## Remove everything that these targets make, except downloads in .cache.
	rm -rf $(VENV) target dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	rm -f python/anypiece/*.so python/anypiece/*.pyd
	find python tests benchmarks scripts -name __pycache__ -type d -prune -exec rm -rf {} +

$(INSTALLED): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' \
	    || { echo "$(PYTHON) is older than 3.10; say which to use: make PYTHON=python3.12 ..."; exit 1; }
	@command -v cargo > /dev/null || { echo "cargo was not found; install Rust 1.85 or newer"; exit 1; }
	@test -x $(PY) || $(PYTHON) -m venv $(VENV) \
	    || { rm -rf $(VENV); echo "python -m venv failed; on Debian and Ubuntu install python3-venv"; exit 1; }
	$(PY) -m pip install --quiet --upgrade 'pip>=25.1'
	$(PY) -m pip install --quiet --group $(GROUP)
	@touch $@

# The stable ABI does not exist for free-threaded Python: there the module is built for the one version.
$(BUILT): $(INSTALLED) $(RUST)
	VIRTUAL_ENV=$(abspath $(VENV)) $(BIN)/maturin develop --release \
	    $$($(PY) -c 'import sysconfig as s; print("--no-default-features" * bool(s.get_config_var("Py_GIL_DISABLED")))')
	@touch $@

$(BENCH_INSTALLED): benchmarks/requirements.txt benchmarks/requirements-built.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "make bench needs Python 3.11"; exit 1; }
	@test -x $(BENCH_PY) || $(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_PY) -m pip install --quiet -r benchmarks/requirements.txt
	AHOCORASICK_BYTES=1 $(BENCH_PY) -m pip install --quiet --no-cache-dir --no-build-isolation -r benchmarks/requirements-built.txt
	@touch $@

$(PAGES_INSTALLED): tests/pages/requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "make pages needs Python 3.11"; exit 1; }
	@test -x $(PAGES_PY) || $(PYTHON) -m venv $(PAGES_VENV)
	$(PAGES_PY) -m pip install --quiet -r tests/pages/requirements.txt
	@touch $@

# The extra [lab], which the group of the tests has as well.
$(LAB_INSTALLED): $(BUILT)
	@$(PY) -c 'import starlette, uvicorn' 2> /dev/null || $(PY) -m pip install --quiet 'starlette>=1.0,<2' 'uvicorn>=0.34,<1'
	@touch $@

$(SITE_INSTALLED): scripts/site/requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "make site needs Python 3.11"; exit 1; }
	@test -x $(SITE_PY) || $(PYTHON) -m venv $(SITE_VENV)
	$(SITE_PY) -m pip install --quiet -r scripts/site/requirements.txt
	@touch $@

.cache/readers/%/.installed: tests/readers/requirements/%.txt | $(INSTALLED)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "make readers needs Python 3.11"; exit 1; }
	@rm -rf $(@D)
	@$(PY) -m venv --without-pip $(@D)
	$(PY) -m pip --python $(@D)/bin/python install --quiet --no-deps -r $<
	@touch $@

$(RAY_INSTALLED): tests/engines/requirements/ray.txt | $(INSTALLED)
	@rm -rf $(@D)
	@$(PY) -m venv --without-pip $(@D)
	$(PY) -m pip --python $(@D)/bin/python install --quiet --no-deps -r $<
	@touch $@

$(SPARK_INSTALLED): tests/engines/requirements/spark.txt tests/engines/requirements/spark-built.txt | $(INSTALLED)
	@rm -rf $(@D)
	@$(PY) -m venv --without-pip $(@D)
	$(PY) -m pip --python $(@D)/bin/python install --quiet --no-deps -r $<
	$(PY) -m pip --python $(@D)/bin/python install --quiet --no-deps --no-build-isolation -r tests/engines/requirements/spark-built.txt
	@touch $@
