# Copying Tensors in PyTorch. `make` alone lists the targets. A fresh machine needs Python >= 3.10 and GNU make.

PYTHON  ?= python3
# A worker and its kernel take some 0.4 GB: four keep `make test` well under 4 GB.
WORKERS ?= $(shell n=$$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN); [ "$$n" -lt 4 ] && echo "$$n" || echo 4)
PORT    ?= 8000
# Another release of torch than the pinned one, in an environment of its own beside .venv.
TORCH   ?=

VENV := .venv$(if $(TORCH),-torch-$(TORCH))
BIN  := $(VENV)/bin
# The pins that VENV is to hold: requirements.txt, with TORCH in the place of its torch.
WANTED := sed -E '$(if $(TORCH),s/^torch==.*/torch==$(TORCH)/)' requirements.txt
# Tests that have a target of their own.
APART := $(addprefix --ignore=tests/,site browser properties mutants verify)
# A copy of the pins that are installed, written last: without it VENV is half made and is made anew.
PINS := $(VENV)/requirements.txt
SITE := _build/html
NEEDS_SITE := [ -f $(SITE)/index.html ] || { echo 'error: there is no site yet: run make book first' >&2; exit 1; }

.DEFAULT_GOAL := help
.PHONY: help setup book test test-verify properties search-properties test-gpu record record-gpu run run-gpu benchmarks benchmarks-gpu check-site test-site lighthouse check-links browser pdf serve lint mutants differential operations chains bench-suite clean

help: ## list the targets
	@echo 'Copying Tensors in PyTorch'
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' Makefile
	@echo 'PYTHON=python3.12 chooses the Python of .venv, WORKERS=1 the processes of make test, PORT=8000 that of make serve.'
	@echo 'TORCH=2.15.0 runs a target with another release of torch, in an environment beside .venv: make test TORCH=2.15.0'

setup: ## create .venv and install requirements.txt (every target does it when needed)
	@fail() { echo "error: $$1" >&2; exit 1; }; \
	case '$(TORCH)' in *[!0-9a-z.+]*|[!0-9]*) fail 'TORCH=$(TORCH) is no release of torch. Name one: make test TORCH=2.15.0';; esac; \
	$(WANTED) | cmp -s - $(PINS) && exit 0; \
	[ ! -L $(VENV) ] || fail "$(VENV) is a link to an environment with other pins, which is not changed. Remove the link, and make creates an environment of its own"; \
	command -v '$(PYTHON)' >/dev/null || fail "there is no '$(PYTHON)'. Install Python 3.10 or newer, or name one: make PYTHON=/path/to/python3"; \
	'$(PYTHON)' -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  fail "$$('$(PYTHON)' --version 2>&1) ($(PYTHON)) is too old: 3.10 or newer is needed. Name one: make PYTHON=python3.12"; \
	'$(PYTHON)' -c 'import ensurepip, venv' 2>/dev/null || \
	  fail "$(PYTHON) cannot create virtual environments. On Debian and Ubuntu: apt install python3-venv"; \
	clear=--clear; [ -f $(PINS) ] && clear=; rm -f $(PINS); \
	echo "==> Setting up $(VENV) with $$('$(PYTHON)' --version 2>&1): once, some minutes, most of them for torch"; \
	'$(PYTHON)' -m venv $$clear $(VENV) && \
	$(WANTED) >$(PINS).new && \
	$(BIN)/python -m pip install --disable-pip-version-check -r $(PINS).new && \
	mv $(PINS).new $(PINS) || { rm -rf $(VENV); \
	  fail "the set-up failed, its reason stands above; $(VENV) is removed. Is there a network and room on the disk? Then run make again."; }; \
	echo "==> $(VENV) is ready"

book: setup ## build the site into _build/html
	@echo '==> Building the site (only the pages that changed)'
	@$(BIN)/jupyter-book build book --config _config.yml --toc $(CURDIR)/_toc.yml --path-output . -W -n --keep-going
	@echo '==> The site is in $(CURDIR)/$(SITE)'
	@$(BIN)/python -c 'import pathlib; print("   ", pathlib.Path("$(SITE)/index.html").resolve().as_uri())'

test: setup ## run every cell again, compare with the stored outputs, and check the pages
	@echo '==> Validating the notebooks and checking the pages, $(WORKERS) at a time'
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile $(APART) --record _build/record.json

test-verify: setup ## test what checks the book: the rules, the kernels, the records, make run
	@echo '==> Testing verify/, $(WORKERS) at a time'
	@$(BIN)/python -m pytest -o addopts='-ra --tb=short' tests/verify -n $(WORKERS) --dist worksteal

properties: setup ## try the claims on tensors of many kinds (Hypothesis), and sweep over PyTorch's operators
	@echo '==> Trying the claims on tensors of many kinds, $(WORKERS) at a time'
	@$(BIN)/python -m pytest -o addopts='-ra --tb=short' tests/properties -n $(WORKERS) --dist worksteal

search-properties: setup ## the same with 5000 examples for each, drawn anew each time
	@echo '==> Searching for counterexamples, $(WORKERS) at a time'
	@HYPOTHESIS_PROFILE=search $(BIN)/python -m pytest -o addopts='-ra --tb=short' tests/properties -n $(WORKERS) --dist worksteal

test-gpu: setup ## the same with the cells that need CUDA, one notebook at a time; an error without CUDA
	@echo '==> Validating the notebooks on CUDA, one at a time'
	@$(BIN)/python -m pytest -n 0 --require-cuda $(APART) --record _build/record.json

record: setup ## run the notebooks and the properties and write evidence/<RUNNER, or cpu>-torch-<release>.json
	@echo '==> Running the notebooks and recording the result of every claim, $(WORKERS) at a time'
	@$(BIN)/python -m pytest book tests/properties -n $(WORKERS) --dist loadfile --record evidence/ $(if $(RUNNER),--runner '$(RUNNER)')

record-gpu: setup ## the same on CUDA, one notebook at a time; an error without CUDA
	@echo '==> Running the notebooks on CUDA and recording the result of every claim, one at a time'
	@$(BIN)/python -m pytest book -n 0 --require-cuda --record evidence/ $(if $(RUNNER),--runner '$(RUNNER)')

run: setup ## run a chapter and store its outputs: make run CHAPTER=clone, or CHAPTER=all
	@[ -n '$(CHAPTER)' ] || { echo 'error: name a chapter: make $@ CHAPTER=clone, or CHAPTER=all' >&2; exit 2; }
	@echo '==> Running $(CHAPTER) and storing its outputs'
	@$(BIN)/python -m verify.run '$(CHAPTER)'

run-gpu: setup ## record the cells that need CUDA: make run-gpu CHAPTER=devices, or CHAPTER=all
	@[ -n '$(CHAPTER)' ] || { echo 'error: name a chapter: make $@ CHAPTER=devices, or CHAPTER=all' >&2; exit 2; }
	@echo '==> Recording the gpu cells of $(CHAPTER)'
	@$(BIN)/python -m verify.run '$(CHAPTER)' --gpu

benchmarks: setup ## measure the figures of the benchmarks anew, in full: CHAPTER=copy_methods, or all of them
	@echo '==> Measuring the benchmarks, one at a time: leave the machine alone meanwhile'
	@$(BIN)/python -m verify.run '$(or $(CHAPTER),all)' --measure

benchmarks-gpu: setup ## the same for the figures of cells that need CUDA
	@echo '==> Measuring the benchmarks on CUDA, one at a time'
	@$(BIN)/python -m verify.run '$(or $(CHAPTER),all)' --measure --gpu

check-site: setup ## check the site that make book built
	@$(NEEDS_SITE)
	@echo '==> Checking the site in $(SITE)'
	@$(BIN)/python -m pytest tests/site

browser: setup
	@$(BIN)/python -m tools.chromium >/dev/null
	@cmp -s tools/requirements.txt $(VENV)/requirements-browser.txt || \
	  { $(BIN)/python -m pip install --disable-pip-version-check -q -r tools/requirements.txt && \
	  cp tools/requirements.txt $(VENV)/requirements-browser.txt; }

test-site: browser ## drive Chromium through the site that make book built: axe, keyboard, phone, search
	@$(NEEDS_SITE)
	@echo '==> Reading the site in Chromium, $(WORKERS) at a time'
	@$(BIN)/python -m pytest -o addopts='-ra --tb=short' tests/browser -n $(WORKERS) --dist worksteal

lighthouse: setup ## score the speed and the accessibility of the site; needs Chromium, Node.js and npm
	@$(NEEDS_SITE)
	@echo '==> Measuring the site with Lighthouse (some minutes, on a quiet machine)'
	@$(BIN)/python -m tools.lighthouse

pdf: browser ## print the site that make book built as one PDF, _build/copying-tensors.pdf
	@$(NEEDS_SITE)
	@echo '==> Printing the site'
	@$(BIN)/python -m tools.pdf

check-links: setup ## check the links to other sites; needs the network
	@echo '==> Checking the links to other sites'
	@mkdir -p _build/links
	@$(BIN)/jupyter-book build book --config _config.yml --toc $(CURDIR)/_toc.yml --path-output _build/links --builder linkcheck

serve: setup ## show the built site on http://localhost:8000
	@$(NEEDS_SITE)
	@echo '==> Serving $(SITE) on http://localhost:$(PORT) (Ctrl-C ends it)'
	@$(BIN)/python -m tools.serve $(SITE) $(PORT)

lint: setup ## check the style of the code and of the notebooks
	@echo '==> Checking the style'
	@$(BIN)/ruff check verify tools tests book
	@$(BIN)/ruff format --check verify tools tests book/_ext book/_snippets book/_static/whoshares.py

mutants: setup ## change one behavior of PyTorch at a time: does every claim fail? CHAPTER=clone, NAMES=detach, ALL=1: every run
	@echo '==> $(if $(CHAPTER)$(NAMES),Running the claims under the mutants,Testing the mutants, then running the claims under them)'
	@$(if $(CHAPTER)$(NAMES),true,$(BIN)/python -m pytest -o addopts='-ra --tb=short' -n $(WORKERS) tests/mutants)
	@$(BIN)/python -m verify.mutants $(if $(CHAPTER),--chapter '$(CHAPTER)') $(if $(ALL),--all) $(if $(RECORD),--record '$(RECORD)') $(if $(NAMES),'$(NAMES)')

differential: setup ## compare plain and compiled code and write evidence/compiled/torch-<release>.json
	@echo '==> Running the expressions of the comparison plain and compiled (some minutes)'
	@$(BIN)/python -m verify.differential

operations: setup ## ask every operation whether it copies and write evidence/operations/torch-<release>.json
	@echo '==> Asking the operations, $(WORKERS) at a time (a minute or two)'
	@$(BIN)/python -m verify.operations --workers $(WORKERS)

chains: setup ## learn what chains of calls do and write evidence/chains/torch-<release>.json
	@echo '==> Trying each step in each state (a minute or two)'
	@$(BIN)/python -m verify.chains

bench-suite: setup ## measure the validation, its memory and the site build (some minutes)
	@echo '==> Measuring, side by side'
	@$(BIN)/python -m verify.bench_suite

clean: ## remove the built site and the caches (.venv stays)
	@echo '==> Removing _build and the caches'
	@rm -rf _build .pytest_cache .ruff_cache
	@find book tests tools verify -name __pycache__ -prune -exec rm -rf {} +
