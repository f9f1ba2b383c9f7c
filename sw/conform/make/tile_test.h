// SPDX-License-Identifier: Apache-2.0
// What tests of one tile are made with: a program that loads descriptors, starts tensor
// instructions and stops; queues between the ramp and the west and east edges.
#ifndef OW_CONFORM_MAKE_TILE_TEST_H_
#define OW_CONFORM_MAKE_TILE_TEST_H_

#include <fmt/format.h>

#include <string>
#include <vector>

#include "maker.h"
#include "ow/conform/program.h"

namespace ow::conform {

class TileTest {
 public:
  using Ctl = isa::TensorCtl;
  using Op = isa::TensorOp;
  using Type = isa::TensorType;
  // Where things are: code, descriptors, results of the core, data up to 8 kB.
  static constexpr uint32_t kCode = 0x40, kTable = 0x600, kResult = 0x900, kData = 0xA00;
  static constexpr uint32_t kCache = 1u << isa::kAccAddrBit;
  static constexpr int kNone = static_cast<int>(isa::kNumDsrs) - 1, kCycles = 200000;
  // Colour q leads from the west to input queue q, colour kOut + q from output queue q to the east.
  static constexpr int kOut = 2;

  explicit TileTest(Maker* m) : m_(m) {}

  void begin(const std::string& name, const std::string& about, std::vector<std::string> features,
             const Rules& rules) {
    Needs needs = needs_of(std::move(features));
    m_->begin(name, about, needs, rules);
    reset();
  }
  void begin_timing(const std::string& name, const std::string& about,
                    std::vector<std::string> features, const Rules& rules) {
    m_->begin_timing(name, about, needs_of(std::move(features)), rules);
    reset();
  }

  // A descriptor that the program loads here; its number.
  int add(const Descriptor& d) {
    const auto at = kTable + static_cast<uint32_t>(table_.size()) * 4;
    table_.insert(table_.end(), d.words, d.words + isa::kNumDsrWords);
    p.descriptor(next_, at);
    return next_++;
  }
  int memory(Type type, uint32_t at, int length, int step) {
    return add(Descriptor::memory(type, at, length, step));
  }
  // With an outer dimension.
  int memory(Type type, uint32_t at, int length, int step, int outer, int outer_step) {
    Descriptor d = Descriptor::memory(type, at, length, step);
    d.words[3] = isa::DsrDim::Length::put(outer) | isa::DsrDim::Step::put(outer_step);
    return add(d);
  }
  // A circular buffer of FIFO register n.
  int fifo(Type type, int n, uint32_t base, int capacity) {
    Descriptor d = Descriptor::memory(type, base, capacity, 0);
    d.words[0] = isa::Dsr0::Kind::put(isa::DsrKind::Fifo) | isa::Dsr0::Type::put(type) |
                 isa::Dsr0::Queue::put(n);
    return add(d);
  }
  void tensor(Op op, Type type, int dst, int a, int b = kNone, uint32_t more = 0,
              uint32_t scalar = 0) {
    p.tensor(op, type, Ctl::Dst::put(dst) | Ctl::A::put(a) | Ctl::B::put(b) | more, scalar);
  }
  // An instruction whose control word is loaded here, into x14, and that `p.word` issues later.
  uint32_t prepared(Op op, Type type, int dst, int a, int b = kNone, uint32_t more = 0) {
    p.load_immediate(14, Ctl::Dst::put(dst) | Ctl::A::put(a) | Ctl::B::put(b) | more);
    return static_cast<uint32_t>(op) << 25 | 14u << 15 | static_cast<uint32_t>(type) << 12 |
           isa::kOpcodeTensor;
  }
  static uint32_t thread(int t) { return Ctl::Thread::put(t); }

  // The cycle count into a register; the difference of two of them into word `at` of the results.
  void read_cycle(int rd) {
    p.word(static_cast<uint32_t>(isa::Csr::Cycle) << 20 | 2u << 12 |
           static_cast<uint32_t>(rd) << 7 | 0x73);
  }
  void store_difference(int before, int after, int at) {
    p.word(0x40000033u | static_cast<uint32_t>(before) << 20 | static_cast<uint32_t>(after) << 15 |
           22u << 7);
    p.load_immediate(9, kResult);
    p.store(22, 9, 4 * at);
  }

  void bind_input(int q) {
    using reg = isa::reg::Inq;
    m_->ask(write_line(0, 0, reg::address(q), {reg::Enable::put(1) | reg::Colour::put(q)}));
    route(q, kWest, kRamp);
  }
  void bind_output(int q) {
    using reg = isa::reg::Outq;
    m_->ask(write_line(0, 0, reg::address(q), {reg::Enable::put(1) | reg::Colour::put(q + kOut)}));
    route(q + kOut, kRamp, kEast);
  }
  void route(int colour, uint32_t in, uint32_t out) {
    m_->ask(write_line(0, 0, isa::reg::Route::address(colour),
                       {isa::reg::Route::Enable::put(1) |
                        isa::reg::Route::Position::put(isa::Position::InPort::put(in) |
                                                       isa::Position::OutMask::put(1u << out))}));
  }
  void fill(uint32_t at, const std::vector<uint32_t>& words) {
    m_->ask(write_line(0, 0, at, words));
  }
  std::vector<uint32_t> random(int count) {
    std::vector<uint32_t> words;
    for (int k = 0; k < count; ++k) words.push_back(m_->word());
    return words;
  }
  // Pairs of finite numbers of binary16 from 2^-4 to 2^4.
  std::vector<uint32_t> halves(int words) {
    const auto half = [&] { return (m_->word() & 0x83FF) | (m_->pick(8) + 11) << 10; };
    std::vector<uint32_t> out;
    for (int k = 0; k < words; ++k) {
      const uint32_t low = half();
      out.push_back(low | half() << 16);
    }
    return out;
  }
  void send(int q, const std::vector<Word>& words) { m_->ask(send_line('w', 0, q, words)); }
  void send(int q, const std::vector<uint32_t>& words) {
    std::vector<Word> data;
    for (const uint32_t word : words) data.push_back({false, word});
    send(q, data);
  }
  // Writes the program, which ends here, starts it and runs it.
  void start(int cycles = kCycles) {
    p.stop();
    load();
    run(cycles);
  }
  void load() {
    fill(kCode, p.words());
    if (!table_.empty()) fill(kTable, table_);
    fill(isa::reg::CorePc::kAddress, {kCode});
    fill(isa::reg::CoreCtrl::kAddress,
         {isa::reg::CoreCtrl::Reset::put(1) | isa::reg::CoreCtrl::Run::put(1)});
  }
  void run(int cycles = kCycles) { m_->ask(fmt::format("run {}", cycles)); }
  // What the model says is right, and what a document says.
  void read(uint32_t at, size_t count, const Rules& rules = {}) {
    m_->ask(read_line(0, 0, at, count), rules);
  }
  void expect(uint32_t at, size_t count, const std::string& right, const Rules& rules = {}) {
    m_->expect(read_line(0, 0, at, count), right, rules);
  }
  void take(int q, const Rules& rules = {}) { m_->ask(take_line('e', 0, q + kOut), rules); }

  Program p;
  int sram = 8192, colours = 4, queues = 2;  // that the tests need

  static constexpr uint32_t kNorth = 0, kEast = 1, kSouth = 2, kWest = 3, kRamp = 4;

 private:
  Needs needs_of(std::vector<std::string> features) const {
    Needs needs;
    needs.features = std::move(features);
    needs.features.emplace_back("tile");
    needs.colours = colours;
    needs.queues = queues;
    needs.sram = sram;
    return needs;
  }
  void reset() {
    p = Program();
    table_.clear();
    next_ = 0;
    m_->ask("reset 1 1");
  }

  Maker* const m_;
  std::vector<uint32_t> table_;
  int next_ = 0;
};

}  // namespace ow::conform

#endif  // OW_CONFORM_MAKE_TILE_TEST_H_
