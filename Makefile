# SPDX-License-Identifier: Apache-2.0
# What people type. `make help` lists it; CMakeLists.txt is what builds.
BUILD ?= build
CONFIG ?= configs/digits.yaml
TRAIN ?= configs/digits-train.yaml
WAFER ?= configs/wafer-2x2.yaml
DEFECTS ?= configs/defects-2x2.yaml
JOBS ?= $(shell nproc)
TEST_ARGS ?=
BOARD ?= ulx3s
GRID ?=
CLOCK ?=

.DEFAULT_GOAL := help
.PHONY: mutants renumber help sim train test test-all test-nightly build bootstrap profile lint wave synth formal fpga fpga-sim fpga-check fpga-load timing gates bench coverage fuzz clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile
	@echo "  Variables: CONFIG=$(CONFIG) TRAIN=$(TRAIN) WAFER=$(WAFER) DEFECTS=$(DEFECTS) BOARD=$(BOARD) BUILD=$(BUILD) JOBS=$(JOBS)"

bootstrap:  ## install the tools that are missing (or say how)
	@scripts/bootstrap

$(BUILD)/build.ninja: | bootstrap
	@cmake -S . -B $(BUILD) -G Ninja >$(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@rm -f $(BUILD).log

build: bootstrap $(BUILD)/build.ninja  ## build everything, the tests of every day and of the night too
	@cmake --build $(BUILD) -j $(JOBS) --target all programs everyday nightly

sim: bootstrap $(BUILD)/build.ninja  ## bring up a wafer with defects, stream a real sparse network through it
	@cmake --build $(BUILD) -j $(JOBS) --target ow
	@$(BUILD)/ow run --params $(CONFIG) --mode eval --json $(BUILD)/digits.json \
	  $(if $(WAFER),--wafer $(WAFER) $(if $(DEFECTS),--defects $(DEFECTS)) --svg $(BUILD)/wafer.svg)

train: bootstrap $(BUILD)/build.ninja  ## train the digits network on a 4x4 grid of RTL tiles (minutes); every weight compared with golden after every step
	@cmake --build $(BUILD) -j $(JOBS) --target ow
	@$(BUILD)/ow run $(TRAIN) --mode train_and_eval --metrics $(BUILD)/train.jsonl \
	  --json $(BUILD)/train.json $(TRAIN_ARGS)

test: bootstrap $(BUILD)/build.ninja  ## the everyday tests: minutes
	@scripts/bootstrap test
	@cmake --build $(BUILD) -j $(JOBS) --target everyday
	@ctest --test-dir $(BUILD) -j $(JOBS) --output-on-failure -LE nightly $(TEST_ARGS)

test-all: test test-nightly  ## every test: hours

# A part is a label of CTest and a target of the build: rtl, sw, fpga, long, campaigns, documents, bench, fuzz.
test-nightly: bootstrap $(BUILD)/build.ninja  ## the tests that only the night runs (PART=NAME: a part, .ci/run --list)
	@scripts/bootstrap test
	@scripts/bootstrap packages
	@cmake --build $(BUILD) -j $(JOBS) --target nightly$(addprefix -,$(PART))
	@ctest --test-dir $(BUILD) -j $(JOBS) --output-on-failure -L '^nightly$$' $(if $(PART),-L '^$(PART)$$') $(TEST_ARGS)

profile: bootstrap  ## the simulator once more, compiled by what a short run of it counts: for long runs
	@BUILD=$(BUILD) JOBS=$(JOBS) scripts/profile $(PROFILE_ARGS)

bench: profile  ## measure the machine against its targets, area by area (hours; build/ow bench tile: seconds)
	@scripts/bootstrap bench
	@cmake --build $(BUILD) -j $(JOBS) --target ow ow-bench
	@$(BUILD)/ow bench all --json $(BUILD)/bench.json $(BENCH_ARGS)

lint: bootstrap $(BUILD)/build.ninja  ## Verilator lint, formatting, rules, clang-tidy (LINT_ARGS=--changed: of what changed; --no-tidy; --tidy)
	@BUILD=$(BUILD) JOBS=$(JOBS) scripts/lint $(LINT_ARGS)

coverage: bootstrap  ## lines of rtl/tile that the tests execute (a build tree of its own)
	@scripts/bootstrap test
	@mkdir -p $(BUILD)
	@scripts/coverage --build $(BUILD)-coverage --jobs $(JOBS) --json $(BUILD)/coverage.json $(COVERAGE_ARGS)

fuzz: bootstrap $(BUILD)/build.ninja  ## mutants of valid files against every parser, with sanitizers
	@cmake --build $(BUILD) -j $(JOBS) --target fuzz

wave: bootstrap $(BUILD)/build.ninja  ## waves (FST) of a small run, or of what RECORD=FILE holds (WAVE_ARGS="--from .. --to ..")
	@BUILD=$(BUILD) scripts/wave $(RECORD) $(WAVE_ARGS)

synth:  ## check the full tile with Yosys, map the mini tile for ECP5, cells by block
	@scripts/bootstrap synth
	@BUILD=$(BUILD) scripts/flows/timing/synth $(SYNTH_ARGS)

fpga:  ## bitstream for BOARD, or the reason why there is none (GRID=1x2: other rows and columns of tiles; CLOCK=16.6667: MHz; FPGA_ARGS=--wires: no tiles)
	@scripts/bootstrap fpga
	@BUILD=$(BUILD) scripts/flows/fpga/fpga build $(BOARD) $(if $(GRID),--grid $(GRID)) $(if $(CLOCK),--clock $(CLOCK)) $(FPGA_ARGS)

fpga-sim: bootstrap $(BUILD)/build.ninja  ## the simulated board, for `ow run --device fpga-sim`
	@cmake --build $(BUILD) -j $(JOBS) --target ow-fpga-sim

fpga-check:  ## the bridge's tests on its netlist (GRID=1x2: the whole design's netlist beside its RTL)
	@scripts/bootstrap fpga
	@BUILD=$(BUILD) scripts/flows/fpga/fpga check $(if $(GRID),--grid $(GRID))

fpga-load:  ## the bitstream into BOARD
	@BUILD=$(BUILD) scripts/flows/fpga/fpga load $(BOARD)

timing:  ## area and longest paths of tile, link, station, muxes in FO4 (BLOCKS="ow_router ...": of modules; LIB=file.lib)
	@scripts/bootstrap timing
	@mkdir -p $(BUILD)
	@BUILD=$(BUILD) scripts/flows/timing/timing $(if $(BLOCKS),--blocks "$(BLOCKS)") $(if $(LIB),--lib $(LIB)) \
	  --json $(BUILD)/timing.json $(TIMING_ARGS)

gates:  ## the same without paths
	@$(MAKE) --no-print-directory timing TIMING_ARGS="--area $(TIMING_ARGS)"

formal:  ## prove small blocks with Yosys and abc, each property shown to fail on a seeded bug
	@scripts/bootstrap formal
	@BUILD=$(BUILD) scripts/flows/formal/formal

SEED ?= $(shell date +%Y%m%d)
COUNT ?= 16

mutants: bootstrap  ## COUNT faults of the RTL, drawn by SEED, which the tests must find (default: 16, the day's)
	@mkdir -p $(BUILD)
	@BUILD=$(BUILD) scripts/flows/faults/rtl-mutants --seed $(SEED) --count $(COUNT) --jobs $(JOBS) --json $(BUILD)/mutants.json

renumber: bootstrap  ## the tests with other numbers of the machine, drawn by SEED
	@BUILD=$(BUILD) scripts/renumber --seed $(SEED) --jobs $(JOBS)

clean:  ## remove what was built
	rm -rf $(BUILD) $(BUILD)-coverage
