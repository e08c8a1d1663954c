# The front door. CMake and Ninja do the work; `make help` lists what there is.
BUILD   ?= build
PREFIX  ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 60
SOAK_COUNT   ?= 5000
SOAK_SEED    ?= 1000
SOAK_FLAGS   ?=
CMAKE_FLAGS  ?=

cores     = $(shell getconf _NPROCESSORS_ONLN)
oracle_python = $(shell for p in python3 /usr/bin/python3; do $$p -c 'import scipy, yaml' 2>/dev/null && echo $$p && break; done)
configure = cmake -G Ninja -S . -DCOTREE_WERROR=ON $(CMAKE_FLAGS)

.PHONY: all help lib demo test soak bench golden asan gallery figures install fuzz format clean packages

all: $(BUILD)/build.ninja ## build the program, build/cotree
	@cmake --build $(BUILD) --target cotree_program

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 18

lib: $(BUILD)/build.ninja ## build the static library that the tests link
	@cmake --build $(BUILD) --target cotree_static

demo: packages ## simulate an example mechanism and plot it
	@$(MAKE) --no-print-directory all
	@tools/demo $(BUILD)

test: packages ## build and run all tests
	@$(MAKE) --no-print-directory $(BUILD)/build.ninja
	@cmake --build $(BUILD)
	@ctest --test-dir $(BUILD) --output-on-failure --no-tests=error --parallel $(cores)

soak: packages ## run the long tests with every case and optimised code, and SOAK_COUNT random mechanisms against the oracle
	@$(MAKE) --no-print-directory $(BUILD)/build.ninja
	@cmake --build $(BUILD)
	@COTREE_SOAK=1 ctest --test-dir $(BUILD) -L soak --output-on-failure --no-tests=error --timeout 3600 --parallel $(shell nproc)
	@$(oracle_python) tests/assemblies/run.py --cotree $(BUILD)/cotree --planar 200 --spatial 50 --seed $(SOAK_SEED)
	@$(oracle_python) tests/soak/run.py --cotree $(BUILD)/cotree --count $(SOAK_COUNT) --seed $(SOAK_SEED) --keep $(BUILD)/soak $(SOAK_FLAGS)

bench: ## build and run the measurements
	@tools/install-packages peers
	@$(MAKE) --no-print-directory all
	@cmake --build $(BUILD) --target bench_programs
	@tools/bench $(BUILD)

golden: all ## compare what is written for every model with what was recorded
	@tools/golden $(BUILD)

asan: packages ## run all tests under the address, undefined-behaviour and leak sanitizers
	@$(MAKE) --no-print-directory build-asan/build.ninja
	@cmake --build build-asan
	@ctest --test-dir build-asan --output-on-failure --no-tests=error --parallel $(cores)

gallery: all ## draw all models: build/gallery/index.html, docs/gallery.md
	@tools/gallery $(BUILD)/cotree models $(BUILD)/gallery
	@rm -rf docs/pictures/models
	@cp -r $(BUILD)/gallery/pictures docs/
	@cp $(BUILD)/gallery/gallery.md docs/gallery.md

figures: all ## draw the figures of the documentation anew
	@tools/figures $(BUILD)/cotree . docs/pictures/figures

install: all ## install to PREFIX (default /usr/local), below DESTDIR if given
	@cmake -S . -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) >$(BUILD)/install.log || { cat $(BUILD)/install.log; exit 1; }
	@cmake --build $(BUILD) --target cotree cotree_program
	@DESTDIR=$(DESTDIR) cmake --install $(BUILD)

fuzz: ## fuzz each reader of input for FUZZ_SECONDS (default 60)
	@tools/install-packages fuzz
	@$(configure) -B build-fuzz -DCMAKE_C_COMPILER=clang -DCOTREE_FUZZ=ON -DCOTREE_TESTS=OFF
	@cmake --build build-fuzz --target fuzz_programs
	@tools/fuzz build-fuzz $(FUZZ_SECONDS)

format: ## format all C sources with clang-format
	@find include src tests bench -name '*.[ch]' -print0 | xargs -0 clang-format -i

clean: ## remove everything that was built
	rm -rf build build-asan build-fuzz

packages:
	@tools/install-packages

$(BUILD)/build.ninja:
	@$(configure) -B $(BUILD)

build-asan/build.ninja:
	@$(configure) -B build-asan -DCOTREE_SANITIZE=ON
