# SPDX-License-Identifier: Apache-2.0
# What people type. `make help` lists it; CMakeLists.txt is what builds.
BUILD ?= build
CONFIG ?= configs/digits.yaml
TRAIN ?= configs/digits-train.yaml
LM ?= configs/novel-train.yaml
MODEL ?= data/models/carroll
PROMPT ?= Alice was beginning to
WAFER ?= configs/wafer-2x2.yaml
DEFECTS ?= configs/defects-2x2.yaml
JOBS ?= $(shell nproc)
TEST_ARGS ?=
BOARD ?= ulx3s
GRID ?=
CLOCK ?=

# $(call q,WORD): one word of the shell, whatever stands in it. Lists of words (.._ARGS) are as they are.
q = '$(subst ','\'',$(1))'
tree = $(call q,$(BUILD))
# Nothing is written beside sources that cannot be written: packages of PyPI go below BUILD then.
export OW_VENV ?= $(shell [ -e .venv ] || [ -w . ] && echo .venv || echo $(tree)/venv)
export PYTHONDONTWRITEBYTECODE = 1

.DEFAULT_GOAL := help
.PHONY: mutants conform-mutants renumber wide help sim train train-lm generate serve test test-all test-nightly build bootstrap profile lint wave synth formal fpga fpga-sim fpga-check fpga-load timing gates bench coverage fuzz clean claim configure

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile
	@echo '  Variables:' $(foreach name,CONFIG TRAIN LM MODEL PROMPT WAFER DEFECTS BOARD BUILD JOBS,$(call q,$(name)=$($(name))))

# All that is written is written below BUILD, if that may be a folder of builds.
claim:
	@scripts/build-tree claim $(tree)

bootstrap: claim  ## install the tools that are missing (or say how)
	@BUILD=$(tree) scripts/bootstrap

configure: bootstrap
	@[ -f $(tree)/build.ninja ] || cmake -S . -B $(tree) -G Ninja >$(tree)/configure.log 2>&1 || \
	  { cat $(tree)/configure.log; exit 1; }

# Configures again, to find what a later bootstrap has brought.
again = cmake $(tree) >$(tree)/configure.log 2>&1 || { cat $(tree)/configure.log; exit 1; }

build: configure  ## build everything, the tests of every day and of the night too
	@cmake --build $(tree) -j $(call q,$(JOBS)) --target all programs everyday nightly

sim: configure  ## bring up a wafer with defects, stream a real sparse network through it
	@cmake --build $(tree) -j $(call q,$(JOBS)) --target ow
	@$(tree)/ow run --params $(call q,$(CONFIG)) --mode eval --json $(tree)/digits.json \
	  $(if $(WAFER),--wafer $(call q,$(WAFER)) $(if $(DEFECTS),--defects $(call q,$(DEFECTS))) --svg $(tree)/wafer.svg)

train: configure  ## train the digits network on a 4x4 grid of RTL tiles (minutes); every weight compared with golden after every step
	@cmake --build $(tree) -j $(call q,$(JOBS)) --target ow
	@$(tree)/ow run $(call q,$(TRAIN)) --mode train_and_eval --metrics $(tree)/train.jsonl \
	  --json $(tree)/train.json $(TRAIN_ARGS)

train-lm: configure  ## train a small language model on a novel, character by character, on a 4x4 grid of RTL tiles (minutes); every weight compared with golden; its curve (build/train-lm.svg)
	@BUILD=$(tree) scripts/bootstrap text
	@$(again)
	@cmake --build $(tree) -j $(call q,$(JOBS)) --target ow ow-text ow-generate
	@rm -rf $(tree)/train-lm $(tree)/train-lm-model
	@$(tree)/ow run $(call q,$(LM)) --mode train_and_eval --model-dir $(tree)/train-lm \
	  --json $(tree)/train-lm.json $(TRAIN_ARGS)
	@$(tree)/ow plot $(tree)/train-lm/metrics.jsonl --svg $(tree)/train-lm.svg
	@$(tree)/ow export $(tree)/train-lm $(tree)/train-lm-model --family llama
	@cp data/novel/tokenizer.json $(tree)/train-lm-model
	@$(tree)/ow generate --model $(tree)/train-lm-model --prompt 'It is a truth' --max-tokens 100 --temperature 0.7

generate: configure  ## a public language model on 8x12 RTL tiles: its text as it comes, every logit compared with golden (minutes)
	@BUILD=$(tree) scripts/bootstrap text
	@$(again)
	@cmake --build $(tree) -j $(call q,$(JOBS)) --target ow-generate
	@$(tree)/ow-generate generate --model $(call q,$(MODEL)) --prompt $(call q,$(PROMPT)) --max-tokens 100 \
	  --device sim:8x12 --json $(tree)/generate.json $(GENERATE_ARGS)

serve: configure  ## a language model over HTTP, with a chat page, until Ctrl+C
	@BUILD=$(tree) scripts/bootstrap serve
	@$(again)
	@cmake --build $(tree) -j $(call q,$(JOBS)) --target ow-serve
	@$(tree)/ow-serve serve --model $(call q,$(MODEL)) $(SERVE_ARGS)

test: configure  ## the everyday tests: minutes
	@BUILD=$(tree) scripts/bootstrap test
	@$(again)
	@cmake --build $(tree) -j $(call q,$(JOBS)) --target everyday
	@ctest --test-dir $(tree) -j $(call q,$(JOBS)) --output-on-failure -LE nightly $(TEST_ARGS)

test-all: test test-nightly  ## every test: hours

# A part is a label of CTest and a target of the build: rtl, sw, fpga, long, campaigns, documents, bench, fuzz.
test-nightly: configure  ## the tests that only the night runs (PART=NAME: a part, .ci/run --list)
	@BUILD=$(tree) scripts/bootstrap test
	@BUILD=$(tree) scripts/bootstrap packages
	@BUILD=$(tree) scripts/bootstrap clients || echo "test-nightly: without clients of ow serve" >&2
	@$(again)
	@cmake --build $(tree) -j $(call q,$(JOBS)) --target $(call q,nightly$(addprefix -,$(PART)))
	@ctest --test-dir $(tree) -j $(call q,$(JOBS)) --output-on-failure -L '^nightly$$' $(if $(PART),-L $(call q,^$(PART)$$)) $(TEST_ARGS)

profile: bootstrap  ## the simulator once more, compiled by what a short run of it counts: for long runs
	@BUILD=$(tree) JOBS=$(call q,$(JOBS)) scripts/profile $(PROFILE_ARGS)

bench: profile  ## measure the machine against its targets, area by area (hours; build/ow bench tile: seconds)
	@BUILD=$(tree) scripts/bootstrap bench
	@cmake --build $(tree) -j $(call q,$(JOBS)) --target ow ow-bench
	@$(tree)/ow bench all --json $(tree)/bench.json $(BENCH_ARGS)

lint: configure  ## Verilator lint, formatting, rules, clang-tidy (LINT_ARGS=--changed: of what changed; --no-tidy; --tidy)
	@BUILD=$(tree) JOBS=$(call q,$(JOBS)) scripts/lint $(LINT_ARGS)

coverage: bootstrap  ## lines of rtl/tile that the tests execute (a build tree of its own)
	@BUILD=$(tree) scripts/bootstrap test
	@scripts/coverage --build $(tree)-coverage --jobs $(call q,$(JOBS)) --json $(tree)/coverage.json $(COVERAGE_ARGS)

fuzz: configure  ## mutants of valid files against every parser, with sanitizers
	@BUILD=$(tree) scripts/bootstrap serve || echo "fuzz: without texts and requests" >&2
	@$(again)
	@cmake --build $(tree) -j $(call q,$(JOBS)) --target fuzz

wave: configure  ## waves (FST) of a small run, or of what RECORD=FILE holds (WAVE_ARGS="--from .. --to ..")
	@BUILD=$(tree) scripts/wave $(if $(RECORD),$(call q,$(RECORD))) $(WAVE_ARGS)

wide: configure  ## the wide engine of the simulator: hundreds of tiles at once (sim:64x64,engine=wide)
	@BUILD=$(tree) scripts/bootstrap wide
	@$(again)
	@cmake --build $(tree) -j $(call q,$(JOBS)) --target ow ow_wide_tile

synth: claim  ## check the full tile with Yosys, map the mini tile for ECP5, cells by block
	@BUILD=$(tree) scripts/bootstrap synth
	@BUILD=$(tree) scripts/flows/timing/synth $(SYNTH_ARGS)

fpga: claim  ## bitstream for BOARD, or the reason why there is none (GRID=1x2: other rows and columns of tiles; CLOCK=16.6667: MHz; FPGA_ARGS=--wires: no tiles)
	@BUILD=$(tree) scripts/bootstrap fpga
	@BUILD=$(tree) scripts/flows/fpga/fpga build $(call q,$(BOARD)) $(if $(GRID),--grid $(call q,$(GRID))) $(if $(CLOCK),--clock $(call q,$(CLOCK))) $(FPGA_ARGS)

fpga-sim: configure  ## the simulated board, for `ow run --device fpga-sim`
	@cmake --build $(tree) -j $(call q,$(JOBS)) --target ow-fpga-sim

fpga-check: claim  ## the bridge's tests on its netlist (GRID=1x2: the whole design's netlist beside its RTL)
	@BUILD=$(tree) scripts/bootstrap fpga
	@BUILD=$(tree) scripts/flows/fpga/fpga check $(if $(GRID),--grid $(call q,$(GRID)))

fpga-load: claim  ## the bitstream into BOARD
	@BUILD=$(tree) scripts/flows/fpga/fpga load $(call q,$(BOARD))

timing: claim  ## area and longest paths of tile, link, station, muxes in FO4 (BLOCKS="ow_router ...": of modules; LIB=file.lib)
	@BUILD=$(tree) scripts/bootstrap timing
	@BUILD=$(tree) scripts/flows/timing/timing $(if $(BLOCKS),--blocks $(call q,$(BLOCKS))) $(if $(LIB),--lib $(call q,$(LIB))) \
	  --json $(tree)/timing.json $(TIMING_ARGS)

gates:  ## the same without paths
	@$(MAKE) --no-print-directory timing TIMING_ARGS=$(call q,--area $(TIMING_ARGS))

formal: claim  ## prove small blocks with Yosys and abc, each property shown to fail on a seeded bug
	@BUILD=$(tree) scripts/bootstrap formal
	@BUILD=$(tree) scripts/flows/formal/formal

SEED ?= $(shell date +%Y%m%d)
COUNT ?= 16

mutants: bootstrap  ## COUNT faults of the RTL, drawn by SEED, which the tests must find (default: 16, the day's)
	@BUILD=$(tree) scripts/flows/faults/rtl-mutants --seed $(call q,$(SEED)) --count $(call q,$(COUNT)) --jobs $(call q,$(JOBS)) --json $(tree)/mutants.json

conform-mutants: bootstrap  ## 60 devices that are wrong in one thing each, drawn by SEED, which the conformance kit must fail
	@BUILD=$(tree) scripts/flows/faults/conform-mutants --seed $(call q,$(SEED)) --jobs $(call q,$(JOBS)) --json $(tree)/conform-mutants.json

renumber: bootstrap  ## the tests with other numbers of the machine, drawn by SEED
	@BUILD=$(tree) scripts/renumber --seed $(call q,$(SEED)) --jobs $(call q,$(JOBS))

clean:  ## remove what was built
	@scripts/build-tree remove $(tree) $(tree)-coverage $(tree)-profile
