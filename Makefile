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
.PHONY: help sim train test test-all build bootstrap profile lint wave synth formal fpga fpga-check fpga-load timing gates bench coverage fuzz clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' Makefile
	@echo "  Variables: CONFIG=$(CONFIG) TRAIN=$(TRAIN) WAFER=$(WAFER) DEFECTS=$(DEFECTS) BOARD=$(BOARD) BUILD=$(BUILD) JOBS=$(JOBS)"

bootstrap:  ## install the tools that are missing (or say how)
	@scripts/bootstrap

$(BUILD)/build.ninja: | bootstrap
	@cmake -S . -B $(BUILD) -G Ninja >$(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@rm -f $(BUILD).log

build: bootstrap $(BUILD)/build.ninja  ## build everything, tests too
	@cmake --build $(BUILD) -j $(JOBS)

sim: bootstrap $(BUILD)/build.ninja  ## bring up a wafer with defects, stream a real sparse network through it
	@cmake --build $(BUILD) -j $(JOBS) --target ow
	@$(BUILD)/ow run --params $(CONFIG) --mode eval --json $(BUILD)/digits.json \
	  $(if $(WAFER),--wafer $(WAFER) $(if $(DEFECTS),--defects $(DEFECTS)) --svg $(BUILD)/wafer.svg)

train: bootstrap $(BUILD)/build.ninja  ## train the digits network on a 4x4 grid of RTL tiles (minutes); every weight compared with golden after every step
	@cmake --build $(BUILD) -j $(JOBS) --target ow
	@$(BUILD)/ow run $(TRAIN) --mode train_and_eval --metrics $(BUILD)/train.jsonl \
	  --json $(BUILD)/train.json $(TRAIN_ARGS)

test: build  ## the everyday tests
	@scripts/bootstrap test
	@ctest --test-dir $(BUILD) -j $(JOBS) --output-on-failure -LE slow $(TEST_ARGS)

test-all: build  ## every test
	@scripts/bootstrap test
	@ctest --test-dir $(BUILD) -j $(JOBS) --output-on-failure $(TEST_ARGS)

profile: bootstrap  ## the simulator once more, compiled by what a short run of it counts: for long runs
	@BUILD=$(BUILD) JOBS=$(JOBS) scripts/profile $(PROFILE_ARGS)

bench: profile  ## measure every row of docs/results.md, and write its tables (hours)
	@scripts/bootstrap bench
	@cmake --build $(BUILD) -j $(JOBS)
	@$(BUILD)/ow bench all --json $(BUILD)/bench.json $(BENCH_ARGS)

lint: build  ## Verilator lint, formatting, clang-tidy, shell syntax
	@BUILD=$(BUILD) scripts/lint

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

clean:  ## remove what was built
	rm -rf $(BUILD) $(BUILD)-coverage
