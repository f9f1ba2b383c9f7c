// SPDX-License-Identifier: Apache-2.0
#include "ow/measure/datapath.h"

#include <algorithm>
#include <array>
#include <string>

#include "Vow_datapath2.h"
#include "Vow_datapath4.h"
#include "Vow_datapath8.h"
#include "Vow_fp_add.h"
#include "ow/base/error.h"
#include "ow/golden/tile_ops.h"
#include "verilated.h"

namespace ow::fp {
namespace {

// Lanes of a port: Verilator passes up to 64 bits as an integer.
template <typename Port>
void put(Port& port, const uint32_t* words, int lanes) {
  for (int l = 0; l < lanes; ++l) port[l] = words[l];
}
void put(QData& port, const uint32_t* words, int /*lanes*/) {
  port = words[0] | static_cast<uint64_t>(words[1]) << 32;
}
template <typename Port>
void get(const Port& port, uint32_t* words, int lanes) {
  for (int l = 0; l < lanes; ++l) words[l] = port[l];
}
void get(const QData& port, uint32_t* words, int /*lanes*/) {
  words[0] = static_cast<uint32_t>(port);
  words[1] = static_cast<uint32_t>(port >> 32);
}

bool is_wide(DpOp op, DpFmt src) {
  return (op == DpOp::kMul || op == DpOp::kFma || op == DpOp::kDot) &&
         (src == DpFmt::kF32 || src == DpFmt::kI32);
}

}  // namespace

int bits_of(DpFmt fmt) {
  switch (fmt) {
    case DpFmt::kI8:
      return 8;
    case DpFmt::kF32:
    case DpFmt::kI32:
      return 32;
    default:
      return 16;
  }
}

struct Datapath::Model {
  virtual ~Model() = default;
  virtual void cycle(const Beat& beat, const uint32_t* c) = 0;
  virtual bool late(uint32_t* value) const = 0;
  virtual void write_prng(int word, uint32_t value) = 0;
  virtual uint32_t read_prng(int word) = 0;

  int lanes = 8;
  uint32_t results[8] = {};
};

namespace {

template <typename Top, int kLanes>
struct ModelOf final : Datapath::Model {
  VerilatedContext context;
  Top top{&context};

  ModelOf() {
    lanes = kLanes;
    top.valid_i = 0;
    top.prng_we_i = 0;
    top.rst_i = 1;
    for (int i = 0; i < 4; ++i) edge();
    top.rst_i = 0;
    top.clk_i = 0;
    top.eval();
  }
  // A model unregisters itself from its thread's current context: make that its own.
  ~ModelOf() override {
    Verilated::threadContextp(&context);
    top.final();
  }

  void edge() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  }

  void cycle(const Beat& beat, const uint32_t* c) override {
    top.clk_i = 0;
    top.valid_i = beat.valid;
    if (beat.valid) {
      top.op_i = static_cast<uint8_t>(beat.op);
      top.src_i = static_cast<uint8_t>(beat.src);
      top.dst_i = static_cast<uint8_t>(beat.dst);
      top.stoch_i = beat.stochastic;
      top.mask_i = beat.mask;
      top.i8_hi_i = beat.i8_hi;
      top.red_first_i = beat.first;
      top.red_last_i = beat.last;
      top.red_base_i = beat.base;
      top.back_i = beat.back;
      put(top.a_i, beat.a, kLanes);
      put(top.b_i, beat.b, kLanes);
    }
    put(top.c_i, c, kLanes);
    top.eval();
    get(top.result_o, results, kLanes);
    top.clk_i = 1;
    top.eval();
  }
  bool late(uint32_t* value) const override {
    *value = top.late_o;
    return top.late_valid_o;
  }
  void write_prng(int word, uint32_t value) override {
    top.valid_i = 0;
    top.prng_we_i = 1;
    top.prng_sel_i = word;
    top.prng_wdata_i = value;
    edge();
    top.prng_we_i = 0;
  }
  uint32_t read_prng(int word) override {
    top.valid_i = 0;
    top.prng_sel_i = word;
    top.eval();
    return top.prng_rdata_o;
  }
};

std::unique_ptr<Datapath::Model> make_model(int lanes) {
  switch (lanes) {
    case 8:
      return std::make_unique<ModelOf<Vow_datapath8, 8>>();
    case 4:
      return std::make_unique<ModelOf<Vow_datapath4, 4>>();
    case 2:
      return std::make_unique<ModelOf<Vow_datapath2, 2>>();
    default:
      throw BadInput("a datapath has 2, 4 or 8 lanes, not " + std::to_string(lanes));
  }
}

}  // namespace

Datapath::Datapath(int lanes) : model_(make_model(lanes)) {}
Datapath::~Datapath() = default;

int Datapath::lanes() const { return model_->lanes; }

const uint32_t* Datapath::cycle(const Beat& beat, const uint32_t* c) {
  model_->cycle(beat, c);
  return model_->results;
}

bool Datapath::late(uint32_t* value) const { return model_->late(value); }

void Datapath::seed(const uint32_t state[4]) {
  for (int i = 0; i < 4; ++i) model_->write_prng(i, state[i]);
}
void Datapath::state(uint32_t state[4]) {
  for (int i = 0; i < 4; ++i) state[i] = model_->read_prng(i);
}

std::vector<uint32_t> Datapath::run(DpOp op, DpFmt src, DpFmt dst,
                                    const std::vector<Operands>& vectors, int gap, int rotation,
                                    bool stochastic) {
  const int lanes = model_->lanes;
  const int width = is_wide(op, src) ? std::max(1, lanes / 4) : lanes;
  std::vector<uint32_t> results;
  results.reserve(vectors.size());
  Beat beat;
  beat.op = op;
  beat.src = src;
  beat.dst = dst;
  beat.stochastic = stochastic;
  // Beats on their way: addends until they are read, lanes until their results come.
  std::vector<std::array<uint32_t, 8>> addends(static_cast<size_t>(kAddend) + 1);
  std::vector<uint32_t> masks(static_cast<size_t>(kResult) + 1);
  size_t next = 0;
  int pause = 0;
  unsigned turn = static_cast<unsigned>(rotation);
  const auto busy = [&masks] {
    return std::any_of(masks.begin(), masks.end(), [](uint32_t mask) { return mask != 0; });
  };
  while (next < vectors.size() || busy()) {
    addends.insert(addends.begin(), std::array<uint32_t, 8>{});
    addends.pop_back();
    beat.valid = next < vectors.size() && pause == 0;
    beat.mask = 0;
    if (beat.valid) {
      // The group of lanes, and within it the lanes that are left out.
      const int base = static_cast<int>(turn % static_cast<unsigned>(lanes / width)) * width;
      for (int l = base; l < base + width && next < vectors.size(); ++l) {
        if (rotation != 0 && (turn * 2654435761u >> (8 + l) & 3) == 0 && l != base) continue;
        beat.mask |= 1u << l;
        beat.a[l] = vectors[next].a;
        beat.b[l] = vectors[next].b;
        addends[0][static_cast<size_t>(l)] = vectors[next].c;
        ++next;
      }
      ++turn;
      pause = gap;
    } else if (pause > 0) {
      --pause;
    }
    masks.insert(masks.begin(), beat.mask);
    masks.pop_back();
    const uint32_t* got = cycle(beat, addends.back().data());
    for (int l = 0; l < lanes; ++l) {
      if ((masks.back() >> l & 1) != 0) results.push_back(got[l]);
    }
  }
  return results;
}

uint32_t Datapath::reduce(DpOp op, DpFmt src, DpFmt dst, const std::vector<Operands>& vectors) {
  const int lanes = model_->lanes;
  const int width = is_wide(op, src) ? std::max(1, lanes / 4) : lanes;
  const bool pairs = op == DpOp::kDot && src == DpFmt::kI8;
  const uint32_t zero[8] = {};
  Beat beat;
  beat.op = op;
  beat.src = src;
  beat.dst = dst;
  size_t next = 0;
  size_t place = 0;  // counted in lanes
  uint32_t value = 0;
  while (next < vectors.size()) {
    beat.valid = true;
    beat.first = next == 0;
    beat.mask = 0;
    beat.i8_hi = 0;
    beat.base = static_cast<int>(place % golden::kPartials) / lanes * lanes;
    const size_t end = place + static_cast<size_t>(width);
    for (; place < end && next < vectors.size(); ++place) {
      const size_t l = place % static_cast<size_t>(lanes);
      beat.mask |= 1u << l;
      beat.a[l] = vectors[next].a;
      beat.b[l] = vectors[next].b;
      ++next;
      if (pairs && next < vectors.size()) {
        beat.i8_hi |= 1u << l;
        beat.a[l] = (beat.a[l] & 0xFF) | (vectors[next].a & 0xFF) << 8;
        beat.b[l] = (beat.b[l] & 0xFF) | (vectors[next].b & 0xFF) << 8;
        ++next;
      }
    }
    beat.last = next == vectors.size();
    cycle(beat, zero);
    if (late(&value)) throw InternalError("a reduction's result without a reduction");
  }
  beat.valid = false;
  for (int i = 1; i < kLate; ++i) {
    if (late(&value)) throw InternalError("a reduction's result comes early");
    cycle(beat, zero);
  }
  if (!late(&value)) throw InternalError("a reduction has no result");
  cycle(beat, zero);
  uint32_t after = 0;
  if (late(&after)) throw InternalError("a reduction has two results");
  return value;
}

std::vector<uint32_t> run_adder(const std::vector<Operands>& vectors) {
  VerilatedContext context;
  Vow_fp_add top{&context};
  std::vector<uint32_t> results;
  results.reserve(vectors.size());
  const auto edge = [&top] {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  };
  top.en_i = 1;
  top.valid_i = 0;
  top.rst_i = 1;
  for (int i = 0; i < 4; ++i) edge();
  top.rst_i = 0;
  for (size_t i = 0; i < vectors.size() + 4; ++i) {
    top.valid_i = i < vectors.size();
    if (top.valid_i) {
      top.a_i = vectors[i].a;
      top.b_i = vectors[i].b;
    }
    edge();
    if (top.valid_o) results.push_back(top.result_o);
  }
  Verilated::threadContextp(&context);
  top.final();
  if (results.size() != vectors.size()) throw InternalError("the adder lost sums");
  return results;
}

}  // namespace ow::fp
