# Two words for a newcomer: `make demo` and `make test`. Everything else is CMake (CMakePresets.json).
#
#   make            the library and the program, in build/
#   make demo       builds and shows what it does
#   make test       builds and runs all tests; LEAVE=REGEX leaves out those whose names match
#   make check      format, static analysis, dependency directions, symbols, documentation; with PART=N the slow analyses look
#                   at a sixth of the files and at those of the last commit
#   make format     lays the source out as make check wants it
#   make test-asan  the tests under the address and undefined-behaviour sanitizers, with plain loops and those of this
#                   machine; PART=N is every third test, from number N % 3 on; SLICES=27 with it: every 27th test of the library and
#                   of the command line, of which only the programs are built
#   make test-units the conformance suite on a build that holds all hot loops, and its hashes beside those of `make`;
#                   SETS=avx2 builds loops of this instruction set only (native: the best of this machine)
#   make test-gpu   the tests of the GPU backend alone
#   make test-arm   the arithmetic on 64-bit ARM (NEON), cross-compiled and run in qemu, with the bits of this machine
#   make new-kernel NAME=x   begins a kernel: file, table line, test; new-accumulator, new-integrator, new-model,
#                   new-format likewise
#   make check-abi OLD=commit NEW=HEAD   compares the binary interface of the libraries of two commits (abidiff)
#   make python     the Python package, in build/python
#   make fortran    the Fortran module, build/fortran/myriad.f90
#   make docs       the site of the documents, build/site/html: Sphinx, with a gallery of reports that it makes; in minutes
#   make bench      repeats the published measurements, every suite that needs no GPU; BENCH=fmm is one suite
#   make install PREFIX=/usr/local   with all hot loops, so that the installed Myriad needs no compiler
#   make clean
#
# JOBS=N sets how many compilers or tests run at once; MYR_OPTIONS adds options for CMake.

PREFIX ?= /usr/local
BENCH ?= all
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
# Ninja where it is there; a tree that has been configured keeps its generator. Evaluated after packages are installed.
generator = $(shell test -e $(1)/CMakeCache.txt || ! command -v ninja >/dev/null || echo -G Ninja)
configure = cmake --preset $(1) $(call generator,$(2)) $(MYR_OPTIONS) --log-level=WARNING
build = cmake --build $(1) --parallel $(JOBS)
comma = ,

.PHONY: all demo python fortran docs test check check-abi format test-asan test-units test-gpu test-arm bench install clean packages-build packages-test \
	packages-check packages-abi packages-arm packages-python packages-docs new-kernel new-accumulator new-integrator new-model new-format

all:
	@$(call configure,release,build)
	@$(call build,build)

packages-build packages-test packages-check packages-abi packages-arm packages-python packages-docs: packages-%:
	@sh tools/install_packages.sh $*

demo: packages-build
	@$(call configure,release,build)
	@$(call build,build) --target program
	@sh tools/demo.sh

python: packages-python
	@$(call configure,release,build)
	@$(call build,build) --target python
	@echo "The package is in build/python: PYTHONPATH=build/python python3, or python3 examples/hello.py"

fortran: packages-python
	@$(call configure,release,build)
	@$(call build,build) --target fortran myriad myriad_run

# Sphinx is Debian's, which another python3 of the path may not know.
docs: packages-docs
	@$(call configure,release,build)
	@$(call build,build) --target program fortran
	@/usr/bin/python3 docs/site/make_site.py build build/site

# One test more than there are cores: some wait, for browsers, for ranks, for runs that are to be killed.
test: packages-test
	@$(MAKE) --no-print-directory all
	ctest --test-dir build --output-on-failure --parallel $(shell expr $(JOBS) + 1) $(if $(LEAVE),-E '$(LEAVE)')

test-asan: packages-test
	@$(call configure,asan,build-asan)
ifdef SLICES
	bash tools/asan_slice.sh build-asan $(PART) $(SLICES) $(JOBS)
else
	@$(call build,build-asan)
	ctest --preset asan --parallel $(JOBS) $(if $(PART),-I $(shell expr $(PART) % 3 + 1)$(comma)$(comma)3)
endif

# The library with loops on demand is kept beside the build that then gets all of them: the core is compiled once. Loops
# on demand are those of the best instruction set, with which others share the hashes of portable arithmetic.
test-units: packages-test
	@$(MAKE) --no-print-directory all
	@mkdir -p build/demand && cp -P build/libmyriad.so* build/demand
	@cmake -DMYR_UNITS=all -DMYR_ONLY_ISAS="$(SETS)" --log-level=WARNING build
	@$(call build,build) --target all_loops myriad_cli
	ctest --test-dir build --output-on-failure --parallel $(JOBS) -R '^conformance[.]|^unit[.](direct|bad_input)$$'
	@export MYRIAD_CUDA_PLUGIN=none MYRIAD_CACHE=$(CURDIR)/build/test_cache \
		ARITHMETICS="$(if $(filter-out native,$(SETS)),portable)"; \
	LD_LIBRARY_PATH=$(CURDIR)/build/demand sh tools/eval_hashes.sh build/myriad > build/hashes_demand & demand=$$!; \
	sh tools/eval_hashes.sh build/myriad > build/hashes && wait $$demand
	@grep -v refused build/hashes | grep -q . && cmp build/hashes build/hashes_demand
	@echo "Loops on demand and loops of the build have the same hashes: $$(sort -u -k3 build/hashes | wc -l) different ones"

test-gpu: packages-test
	@$(MAKE) --no-print-directory all
	ctest --test-dir build --output-on-failure -L gpu

# Lane functions, sums, checkpoints and the conformance suite; then one hash over both machines.
ARM_UNITS = lane_math lane_across contraction shuffle accumulators accumulators_double kernels random checkpoint neighbour_bits
empty :=
test-arm: packages-arm
	@$(call configure,release,build)
	@$(call build,build) --target program
	@$(call configure,arm,build-arm)
	@$(call build,build-arm) --target myriad_cli conformance $(ARM_UNITS:%=test_unit_%)
	ctest --test-dir build-arm --output-on-failure --parallel $(JOBS) \
		-R '^(conformance\..*|unit\.($(subst $(empty) $(empty),|,$(ARM_UNITS))))$$'
	@MYRIAD_CACHE=$(CURDIR)/build-arm/test_cache MYRIAD_CUDA_PLUGIN=none \
		bash tools/same_bits.sh build/myriad build-arm/myriad

check: packages-check
	@$(MAKE) --no-print-directory all
	@sh tools/check.sh build $(JOBS) $(PART)

check-abi: packages-abi
	@test -n "$(OLD)" || { echo "usage: make check-abi OLD=commit [NEW=HEAD]"; exit 2; }
	@JOBS=$(JOBS) sh tools/check_abi.sh "$(OLD)" "$(or $(NEW),HEAD)"

format: packages-check
	git ls-files '*.c' '*.h' '*.cu' | xargs clang-format -i

bench: all
	build/myriad bench $(BENCH)

install:
	@$(call configure,install,build-install)
	@$(call build,build-install)
	cmake --install build-install --prefix $(PREFIX)

# Begins an extension; docs/howto has one page for each kind.
new-kernel new-accumulator new-integrator new-model new-format: new-%:
	@sh tools/new_thing.sh $* "$(NAME)"

clean:
	rm -rf build build-debug build-asan build-install build-arm build-python
