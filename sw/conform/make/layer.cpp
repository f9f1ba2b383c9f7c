// SPDX-License-Identifier: Apache-2.0
// A streamed layer on a column of two tiles, as docs/numerics.md defines it (N7, N52 to N54):
// weights come as wavelets, each tile adds them up with axpyw, and the reducers pass sums to the
// owner.
#include <fmt/format.h>

#include "maker.h"
#include "ow/conform/program.h"
#include "ow/golden/network.h"

namespace ow::conform {
namespace {

using isa::RedAction;
using isa::reg::Route;
using Ctl = isa::TensorCtl;
namespace reg = isa::reg;

constexpr uint32_t kCode = 0x40, kTable = 0x400, kBias = 0x600, kInputs = 0x800, kOutputs = 0x1000;
constexpr int kCycles = 400000, kSamples = 8, kInputsOfAll = 12, kOutputsOfAll = 8;
constexpr int kWeights = 0, kDown = 1, kUp = 2;  // colours
constexpr uint32_t kNorth = 0, kEast = 1, kSouth = 2, kWest = 3, kRamp = 4;

struct Shape {
  const char* name;
  const char* about;
  HalfType type;
  bool relu, bias;
  int rows;
  bool dense;
  Rules rules;
};

uint32_t route(uint32_t in, uint32_t outs) {
  return Route::Enable::put(1) |
         Route::Position::put(isa::Position::InPort::put(in) | isa::Position::OutMask::put(outs));
}

// What a row does with the sums that it owns, and with those of the other row.
uint32_t owned(const Shape& s) {
  const bool b16 = s.type == HalfType::Bfloat16;
  return RedAction::Enable::put(1) | RedAction::Memory::put(1) | RedAction::In0::put(s.rows > 1) |
         RedAction::In0Q::put(1) | RedAction::Bias::put(s.bias) | RedAction::F16::put(1) |
         RedAction::Bf16::put(b16) | RedAction::Relu::put(s.relu);
}
uint32_t passed_on() { return RedAction::Enable::put(1) | RedAction::OutQ::put(0); }

void load_tile(Maker* m, const Shape& s, int row, const std::vector<uint32_t>& inputs,
               const std::vector<uint32_t>& biases) {
  const isa::TensorType half =
      s.type == HalfType::Binary16 ? isa::TensorType::F16 : isa::TensorType::BF16;
  const isa::TensorType mixed =
      s.type == HalfType::Binary16 ? isa::TensorType::Mixed : isa::TensorType::MixedB;
  Descriptor x = Descriptor::memory(half, kInputs, kSamples, 2);
  x.words[3] = isa::DsrDim::Step::put(2 * kSamples);  // from one index to the next
  Descriptor sums = Descriptor::memory(isa::TensorType::F32, 1u << isa::kAccAddrBit, kSamples, 4);
  sums.words[3] = isa::DsrDim::Length::put(4);  // rows in the ring
  std::vector<uint32_t> table;
  for (const Descriptor& d : {sums, x, Descriptor::fabric_in(half, 0, 0)}) {
    table.insert(table.end(), d.words, d.words + isa::kNumDsrWords);
  }
  Program p;
  for (int dsr = 0; dsr < 3; ++dsr)
    p.descriptor(dsr, kTable + static_cast<uint32_t>(dsr) * 4 * isa::kNumDsrWords);
  p.store_word(reg::RedAcc::kAddress,
               reg::RedAcc::Samples::put(kSamples) | reg::RedAcc::Ring::put(4));
  p.store_word(reg::RedCount::kAddress, kOutputsOfAll);
  const int own_first = row == 0 ? 0 : 1;  // outputs of row 0 come first
  const int pivot = s.rows == 1 ? kOutputsOfAll : kOutputsOfAll / 2;
  p.store_word(reg::RedPhase::kAddress,
               reg::RedPhase::Period::put(kOutputsOfAll) | reg::RedPhase::Pivot::put(pivot));
  p.store_word(reg::RedStart::kAddress, reg::RedStart::More::put(kOutputsOfAll));
  p.store_word(reg::RedActLt::kAddress, own_first == 0 ? owned(s) : passed_on());
  p.store_word(reg::RedActEq::kAddress, own_first == 0 ? passed_on() : owned(s));
  p.store_word(reg::RedBias::kAddress, kBias);
  p.store_word(reg::RedDst::kAddress, kOutputs);
  p.store_word(reg::RedPitch::kAddress, 2 * kSamples);
  p.tensor(isa::TensorOp::Drain, isa::TensorType::F32,
           Ctl::Thread::put(1) | Ctl::Done::put(isa::Done::Activate) | Ctl::Task::put(16));
  p.tensor(isa::TensorOp::Axpyw, mixed, Ctl::Dst::put(0) | Ctl::A::put(1) | Ctl::B::put(2));
  p.stop();
  m->ask(write_line(row, 0, kCode, p.words()));
  m->ask(write_line(row, 0, kTable, table));
  m->ask(write_line(row, 0, kInputs, inputs));
  m->ask(write_line(row, 0, kBias, biases));
  m->ask(write_line(row, 0, reg::Inq::address(0),
                    {reg::Inq::Enable::put(1) | reg::Inq::Colour::put(kWeights)}));
  const int in = row == 0 ? kUp : kDown, out = row == 0 ? kDown : kUp;
  m->ask(write_line(row, 0, reg::Inq::address(1),
                    {reg::Inq::Enable::put(1) | reg::Inq::Colour::put(in)}));
  m->ask(write_line(row, 0, reg::Outq::address(0),
                    {reg::Outq::Enable::put(1) | reg::Outq::Colour::put(out)}));
  const uint32_t other = row == 0 ? kSouth : kNorth;
  m->ask(write_line(row, 0, Route::address(kWeights), {route(kWest, 1u << kRamp)}));
  m->ask(write_line(row, 0, Route::address(in), {route(other, 1u << kRamp)}));
  m->ask(write_line(row, 0, Route::address(out), {route(kRamp, 1u << other)}));
  m->ask(write_line(row, 0, reg::CorePc::kAddress, {kCode}));
  m->ask(write_line(row, 0, reg::CoreCtrl::kAddress,
                    {reg::CoreCtrl::Reset::put(1) | reg::CoreCtrl::Run::put(1)}));
}

// Words of two 16-bit values each, of the features that a row owns.
std::vector<uint32_t> rows_of(const Activations& x, int row, int rows) {
  std::vector<uint32_t> words;
  for (int f = row; f < x.features; f += rows) {
    for (int s = 0; s < x.samples; s += 2)
      words.push_back(x.at(f, s) | static_cast<uint32_t>(x.at(f, s + 1)) << 16);
  }
  return words;
}

std::string hexed(const std::vector<uint32_t>& words) {
  std::string text;
  for (const uint32_t word : words) text += fmt::format("{}{:x}", text.empty() ? "" : " ", word);
  return text;
}

void make_layer(Maker* m, const Shape& s) {
  Needs needs;
  needs.features = {"tile", "fabric", "rows", s.type == HalfType::Binary16 ? "f16" : "bf16",
                    "mixed"};
  needs.rows = s.rows;
  needs.colours = 3;
  needs.queues = 2;
  needs.sram = 8192;
  m->begin(std::string("layers.") + s.name, s.about, needs, s.rules);
  m->ask(fmt::format("reset {} 1", s.rows));
  LayerShape shape{kInputsOfAll, kOutputsOfAll, s.relu ? "relu" : kNoActivation, s.bias, ""};
  Network network = random_network(m->word(), s.type, {shape}, s.dense ? 1.0 : 0.4);
  Layer& layer = network.layers[0];
  const Activations x = random_activations(m->word(), s.type, kInputsOfAll, kSamples, -2, 2);
  for (int row = 0; row < s.rows; ++row) {
    std::vector<uint32_t> biases(kOutputsOfAll, 0);
    for (size_t k = 0; s.bias && static_cast<int>(k) * s.rows + row < kOutputsOfAll; ++k) {
      const float b = layer.bias_values[k * static_cast<size_t>(s.rows) + static_cast<size_t>(row)];
      std::copy_n(reinterpret_cast<const char*>(&b), sizeof b, reinterpret_cast<char*>(&biases[k]));
    }
    load_tile(m, s, row, rows_of(x, row, s.rows), biases);
  }
  for (int row = 0; row < s.rows; ++row) {
    std::vector<Word> words;
    for (const golden::StreamWavelet& w : golden::weight_stream(layer, row, s.rows))
      words.push_back({w.control, w.data});
    m->ask(send_line('w', row, kWeights, words));
  }
  m->ask(fmt::format("run {}", kCycles));
  // Golden's layer says what is right; the tiles of the model must agree.
  const Activations y = golden::run_layer(s.type, layer, x, s.rows);
  for (int row = 0; row < s.rows; ++row) {
    const std::vector<uint32_t> right = rows_of(y, row, s.rows);
    m->expect(read_line(row, 0, kOutputs, right.size()), hexed(right), s.rules);
  }
}

}  // namespace

void make_layers(Maker* m) {
  const Rules machine = {"I14", "I15", "I62", "I64", "I65", "I70", "I130", "I131", "N105", "I61"};
  const auto with = [&](Rules rules) {
    rules.insert(rules.end(), machine.begin(), machine.end());
    return rules;
  };
  using T = HalfType;
  make_layer(m, {"one_row", "A sparse layer in one tile.", T::Binary16, false, true, 1, false,
                 with({"N52", "N54", "N55", "N8", "N12"})});
  make_layer(m,
             {"two_rows", "A sparse layer whose sums go round a column of two tiles.", T::Binary16,
              false, true, 2, false, with({"N7", "N52", "N53", "N54", "N63", "I63"})});
  make_layer(
      m, {"relu", "The same, then ReLU.", T::Binary16, true, true, 2, false, with({"N57", "N54"})});
  make_layer(m, {"without_bias", "A layer without a bias adds nothing.", T::Binary16, false, false,
                 2, false, with({"N54", "I70"})});
  make_layer(m, {"dense", "A layer of which no weight is zero.", T::Binary16, false, true, 2, true,
                 with({"N52", "N53"})});
  make_layer(m, {"bfloat16", "A layer in bfloat16.", T::Bfloat16, false, true, 2, false,
                 with({"N55", "N56", "N53"})});
  make_layer(m, {"bfloat16_one_row", "A layer in bfloat16 in one tile, with ReLU.", T::Bfloat16,
                 true, true, 1, false, with({"N55", "N57"})});
}

}  // namespace ow::conform
