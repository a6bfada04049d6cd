# SPDX-License-Identifier: Apache-2.0
# The words people know; CMake and ctest do the work. `make help` lists them.

BUILD := build
PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc)
CMD ?=
CTEST := ctest --output-on-failure --no-tests=error --parallel $(JOBS)

.DEFAULT_GOAL := help
.PHONY: help build all run test test-slow test-long test-asan test-tsan test-vm test-nightly test-fresh bench install \
        lint format deb clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' Makefile

build: ## build the numatch command at build/numatch, with all that belongs to it
	@scripts/install-deps build
	@cmake --preset release
	@cmake --build $(BUILD) --target product --parallel $(JOBS)

all:
	@scripts/install-deps build test
	@cmake --preset release -DNUMATCH_PYTHON=ON
	@cmake --build $(BUILD) --parallel $(JOBS)

run: build ## capture two real programs, show who shares what, simulate mechanisms; CMD="program args" for your own
	@scripts/install-deps run
	@scripts/run-demo $(BUILD) out $(CMD)

test: all ## run the tests (under 15 minutes)
	@scripts/install-deps run
	@$(CTEST) --test-dir $(BUILD) --label-exclude slow

test-slow: test-long test-vm test-asan test-tsan ## run the longer tests, and the tests under the sanitizers

test-long: all
	@scripts/install-deps run package
	@$(CTEST) --test-dir $(BUILD) --label-regex slow --label-exclude vm

test-asan test-tsan: test-%:
	@scripts/install-deps build run
	@cmake --preset $*
	@cmake --build build-$* --parallel $(JOBS)
	@$(CTEST) --test-dir build-$* --label-exclude 'slow|lint|native'

test-vm: all ## run the tests on stock kernels in a virtual machine with several NUMA nodes
	@scripts/install-deps test
	@$(CTEST) --test-dir $(BUILD) --label-regex vm --label-exclude nightly

test-nightly: all ## run the hours-long tests of the kernel module in the virtual machine; builds a debug kernel
	@scripts/install-deps test nightly
	@$(CTEST) --test-dir $(BUILD) --label-regex nightly

test-fresh: ## run `make test` and `make run` on a fresh Debian 12 made in a folder (needs root)
	@scripts/install-deps fresh
	@scripts/test-fresh

bench: all ## measure speed, beside cachegrind on the same program
	@scripts/install-deps run bench
	@cmake --build $(BUILD) --target run-bench

install: build ## install to PREFIX (/usr/local unless said), below DESTDIR
	@DESTDIR=$(DESTDIR) cmake --install $(BUILD) --prefix $(PREFIX)

lint: all ## run the linters only
	@$(CTEST) --test-dir $(BUILD) --label-regex lint

format: ## lay out all C and C++ files
	@scripts/install-deps test
	@scripts/check-format --fix

deb: build ## build the Debian packages in build/: numatch, and numatch-dkms where its module is for the processor
	@scripts/install-deps package
	@cd $(BUILD) && cpack -G DEB
	@cd $(BUILD) && if test -e CPackModule.cmake; then cpack -G DEB --config CPackModule.cmake; fi

clean: ## remove everything built
	rm -rf $(BUILD) build-asan build-tsan build-debug out
