# SPDX-License-Identifier: BSD-3-Clause
# From a bare Debian 12: `make demo` shows it, `make test` proves it. README.md says more.
SHELL := /bin/bash
PRESET ?= release
PREFIX ?= $(HOME)/.local
.DEFAULT_GOAL := all
.PHONY: all bootstrap build test test-quick test-long test-sanitizers lint format demo bench install uninstall wheel deb docs lock clean help

all: build                ## install what is missing, build

bootstrap:                ## system packages, two MPIs in .deps/, the Python part's .venv
	@scripts/bootstrap.sh

build: bootstrap          ## build into build/$(PRESET)
	@scripts/build.sh $(PRESET)

test: build               ## unit tests, then tests/ with the lab
	@scripts/test.sh full $(PRESET)

test-quick: build         ## the same without the lab and what takes long, under two minutes
	@scripts/test.sh quick $(PRESET)

test-long: build          ## everything, also what is marked long
	@scripts/test.sh long $(PRESET)

test-sanitizers: bootstrap ## unit tests, fuzzer and real programs under sanitizers, six minutes
	@scripts/sanitize.sh

lint: build               ## checks format, rules and types: clang-format, clang-tidy, ruff, mypy
	@scripts/lint.sh $(PRESET)

format: bootstrap         ## format all sources
	@scripts/format.sh

demo:                     ## install and build what it needs, measure an emulated network, draw it, run a program natively and with ECO
	@scripts/demo.sh $(PRESET)

bench: build              ## compare ECO and native on the lab's three-segments
	@scripts/bench.sh $(PRESET)

install: build            ## install under PREFIX (default ~/.local)
	@scripts/install.sh "$(PREFIX)" $(PRESET)

uninstall:                ## remove what install placed under PREFIX
	@scripts/uninstall.sh "$(PREFIX)"

wheel: build              ## a wheel in build/wheel
	@scripts/wheel.sh $(PRESET)

deb: build                ## a Debian package in build/deb
	@scripts/deb.sh $(PRESET)

docs: build               ## the documentation as a site in build/site
	@scripts/docs.sh

lock: bootstrap           ## write requirements.lock again from requirements-dev.txt
	@scripts/lock.sh

clean:                    ## remove what was built, keep .deps and .venv
	rm -rf build demo .mypy_cache .ruff_cache .pytest_cache .hypothesis

help:                     ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14
