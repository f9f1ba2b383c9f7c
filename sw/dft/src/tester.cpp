// SPDX-License-Identifier: Apache-2.0
#include "ow/dft/tester.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>

#include "ow/base/error.h"
#include "ow/device/tile_map.h"
#include "ow/firmware/selftest.h"

namespace ow::faults {
namespace {

namespace reg = isa::reg;

constexpr uint32_t kToEdge =
    isa::PacketHeader::Negative::put(1) | isa::PacketHeader::ToEdge::put(1);
constexpr uint32_t kTag = 5;
constexpr int kWordCycles = 8;  // between two words of the station
constexpr int kResetCycles = 4;
constexpr uint32_t kPhases = offsetof(ow_selftest_result, phases);
const char* const kSides = "nesw";

const Port* need(const Netlist& n, const std::string& name, size_t bits) {
  const Port* p = n.port(name);
  if (p == nullptr || p->bits.size() != bits) {
    throw BadInput(fmt::format("the netlist has no port {} of {} bits", name, bits));
  }
  return p;
}

// A word as all machines see it.
struct Seen {
  std::array<Word, 32> bits;
  uint32_t fault_free() const { return of(0); }
  uint32_t of(int machine) const {
    uint32_t value = 0;
    for (int i = 0; i < 32; ++i) value |= static_cast<uint32_t>(bit_of(bits[i], machine)) << i;
    return value;
  }
  // Machines in which the bits of the mask differ from those of `value`.
  Word differs(uint32_t value, uint32_t mask) const {
    Word out = all_machines(false);
    for (int i = 0; i < 32; ++i) {
      if ((mask >> i & 1) != 0) out |= bits[i] ^ all_machines((value >> i & 1) != 0);
    }
    return out;
  }
};

// One or two tiles, each between its station and the other.
class Bench {
 public:
  // `pair`: a second tile, without faults, is the neighbour of the first on all four sides.
  Bench(const Plan& plan, const std::vector<Fault>& faults, uint64_t power_up, bool pair) {
    tiles_.push_back(std::make_unique<TileUnderTest>(plan, faults, power_up));
    if (pair) {
      tiles_.push_back(
          std::make_unique<TileUnderTest>(plan, std::vector<Fault>(), power_up + 1000000));
    }
    for (auto& t : tiles_) t->quiet_links();
  }

  size_t tiles() const { return tiles_.size(); }
  TileUnderTest& tile(size_t i) { return *tiles_[i]; }
  uint64_t cycles() const { return cycles_; }
  void connect(bool on) { connected_ = on; }

  void run(uint64_t cycles) {
    for (uint64_t i = 0; i < cycles; ++i) cycle();
  }
  void cycle() {
    ++cycles_;
    for (auto& t : tiles_) t->settle();
    for (auto& t : tiles_) t->clock();
    if (tiles_.size() < 2) return;
    for (int side = 0; side < 4; ++side) {
      for (int bit = 0; bit < kLinkBits; ++bit) {
        const Word none = all_machines(false);
        tiles_[0]->set_link(side, bit, connected_ ? tiles_[1]->sent(side ^ 2, bit) : none);
        tiles_[1]->set_link(side, bit, connected_ ? tiles_[0]->sent(side ^ 2, bit) : none);
      }
    }
  }
  void set_reset(bool on) {
    for (auto& t : tiles_) t->set_reset(on);
  }
  void reset() {
    set_reset(true);
    run(kResetCycles);
    set_reset(false);
    run(kResetCycles);
  }
  void push(uint32_t word, bool last) {
    for (auto& t : tiles_) t->push(word, last);
    run(kWordCycles);
  }
  // Writes to all tiles alike.
  void write(uint32_t addr, const std::vector<uint32_t>& words) {
    push(isa::PacketCommand::Operation::put(isa::PacketOp::Write) |
             isa::PacketCommand::Count::put(words.size()),
         false);
    push(addr, false);
    for (size_t i = 0; i < words.size(); ++i) push(words[i], i + 1 == words.size());
  }
  // The status and the words, of each tile.
  std::vector<std::vector<Seen>> read(uint32_t addr, int count) {
    push(isa::PacketCommand::Operation::put(isa::PacketOp::Read) |
             isa::PacketCommand::Tag::put(kTag) | isa::PacketCommand::Count::put(count),
         false);
    push(addr, false);
    push(kToEdge, false);
    push(kToEdge, true);
    std::vector<std::vector<Seen>> out(tiles_.size());
    for (int i = 0; i < count + 3; ++i) {
      run(kWordCycles);
      for (size_t t = 0; t < tiles_.size(); ++t) {
        tiles_[t]->settle();
        if (i >= 2) out[t].push_back({tiles_[t]->endpoint_word()});
        tiles_[t]->take_endpoint_word();
      }
    }
    return out;
  }

 private:
  std::vector<std::unique_ptr<TileUnderTest>> tiles_;
  bool connected_ = false;
  uint64_t cycles_ = 0;
};

// One batch of faults in one step of the self-test.
struct Job {
  const Plan& plan;
  const std::vector<Fault>& faults;
  const SelftestOptions& options;
  uint64_t cycles = 0;
  std::vector<uint32_t> signatures;
  const ElfImage* program = nullptr;  // of the self-test
  uint32_t config(const std::string& key) const {
    const auto it = plan.netlist().config.find(key);
    if (it == plan.netlist().config.end()) throw BadInput("the netlist does not state its " + key);
    return static_cast<uint32_t>(it->second);
  }
  Word answer_missing(const std::vector<Seen>& words) const {
    return words[0].differs(isa::PacketResponse::Status::put(isa::PacketStatus::Done) |
                                isa::PacketResponse::Tag::put(kTag) |
                                isa::PacketResponse::Count::put(words.size() - 1),
                            ~0u);
  }
};

// Tiles are released with nothing to do, and a neighbour's station sees what they send.
Word idle_step(Job* job) {
  Bench b(job->plan, job->faults, job->options.power_up, false);
  b.reset();
  Word found = all_machines(false);
  for (int time = 0; time < 3; ++time) {
    b.run(200);
    b.tile(0).settle();
    for (int side = 0; side < 4; ++side) {
      for (int bit = 0; bit < kLinkBits; ++bit) found |= b.tile(0).sent(side, bit);
    }
  }
  job->cycles = b.cycles();
  return found;
}

Word memory_step(Job* job) {
  Bench b(job->plan, job->faults, job->options.power_up, false);
  b.reset();
  const uint32_t units = job->config("SramBytes") / isa::kConfigSramUnit;
  const auto config = b.read(kRegConfig, 1)[0];
  Word found = job->answer_missing(config) |
               config[1].differs(reg::Config::Sram::put(units), reg::Config::Sram::kMask);
  b.write(reg::Mbist::kAddress, {reg::Mbist::Start::put(1)});
  const uint32_t rows = job->config("SramBytes") / (isa::kBankWordBytes * job->config("SramBanks"));
  b.run(uint64_t{isa::kMbistWordCycles} * rows + 64);
  const auto state = b.read(reg::Mbist::kAddress, 4)[0];
  found |= job->answer_missing(state) |
           state[1].differs(reg::Mbist::Done::put(1),
                            reg::Mbist::Done::kMask | reg::Mbist::Failed::kMask);
  job->cycles = b.cycles();
  return found;
}

void load(Bench* b, const ElfImage& image) {
  for (const ElfSegment& segment : image.segments) {
    std::vector<uint32_t> words((segment.bytes.size() + 3) / 4, 0);
    for (size_t i = 0; i < segment.bytes.size(); ++i) {
      words[i / 4] |= static_cast<uint32_t>(segment.bytes[i]) << 8 * (i % 4);
    }
    if (!words.empty()) b->write(segment.addr, words);
  }
  b->write(kRegCorePc, {image.entry});
}

Word core_step(Job* job) {
  Bench b(job->plan, job->faults, job->options.power_up, false);
  const ElfImage& image = *job->program;
  const uint32_t result = image.symbol("ow_selftest_result");
  b.reset();
  load(&b, image);
  b.write(image.symbol("ow_selftest_order"), {OW_SELFTEST_CORE});
  b.write(result, {0});
  b.write(result + kPhases, std::vector<uint32_t>(1 + OW_SELFTEST_PHASES, 0));
  // The limit is the time of a good tile and an eighth more. The memory is read by the simulator,
  // so the tile is not disturbed. A machine can stop if it has ended other phases than the good
  // one, or has another signature.
  constexpr uint64_t kTurn = 500, kLimit = 2000000;
  uint64_t cycles = 0;
  Word found = all_machines(false);
  const auto compare = [&] {
    const Seen phases = {b.tile(0).memory_word(result + kPhases)};
    const uint32_t count = std::min(phases.fault_free(), OW_SELFTEST_PHASES);
    Word wrong = all_machines(false);
    for (uint32_t i = 0; i < count; ++i) {
      const Seen word = {b.tile(0).memory_word(result + kPhases + 4 + 4 * i)};
      wrong |= word.differs(word.fault_free(), ~0u);
    }
    // What is late has another count of cycles in its signature, if it comes at all.
    wrong |= phases.differs(phases.fault_free(), ~0u);
    wrong &= ~found;
    if (!any(wrong)) return;
    found |= wrong;
    b.tile(0).retire(wrong);
  };
  const auto done = [&] {
    const Seen word = {b.tile(0).memory_word(result)};
    return word.fault_free() == OW_SELFTEST_DONE + OW_SELFTEST_CORE;
  };
  b.write(kRegCoreCtrl, {kCoreRun | kCoreReset});
  while (!done()) {
    b.run(kTurn);
    cycles += kTurn;
    compare();
    if (cycles > kLimit) {
      throw DeviceFault(
          fmt::format("{}: the self-test of the good machine does not end", image.path));
    }
  }
  b.run(cycles / 8 + 1000);
  const auto words = b.read(result, 2)[0];
  const auto phases = b.read(result + kPhases, 1 + OW_SELFTEST_PHASES)[0];
  job->cycles = b.cycles();
  job->signatures.push_back(words[2].fault_free());
  found |= job->answer_missing(words) | job->answer_missing(phases) |
           words[1].differs(OW_SELFTEST_DONE + OW_SELFTEST_CORE, ~0u);
  for (size_t i = 2; i < words.size(); ++i) found |= words[i].differs(words[i].fault_free(), ~0u);
  for (size_t i = 1; i < phases.size(); ++i)
    found |= phases[i].differs(phases[i].fault_free(), ~0u);
  return found;
}

// Each tile sends to each side on all colours and hears from there; the other tile has no fault.
Word router_step(Job* job) {
  const uint32_t colours = job->config("NumColours") & ~1u;
  const uint32_t slot = ow_selftest_slot(job->config("SmallTile"));
  Bench b(job->plan, job->faults, job->options.power_up, true);
  const ElfImage& image = *job->program;
  const uint32_t result = image.symbol("ow_selftest_result");
  const uint32_t order = image.symbol("ow_selftest_order");
  b.reset();
  load(&b, image);
  b.connect(true);
  // Different names, and the colours of an even and an odd tile.
  constexpr uint32_t kNames[] = {0x5A3C69, 0xA5C396};
  for (uint32_t i = 0; i < 2; ++i) {
    const uint32_t words[] = {isa::PacketCommand::Operation::put(isa::PacketOp::Write) |
                                  isa::PacketCommand::Count::put(5),
                              order,
                              OW_SELFTEST_ROUTER,
                              kNames[i],
                              i,
                              colours,
                              slot};
    for (int w = 0; w < 7; ++w) {
      b.tile(i).push(words[w], w == 6);
      b.run(kWordCycles);
    }
  }
  b.write(result, std::vector<uint32_t>(6, 0));
  b.write(kRegCoreCtrl, {kCoreRun | kCoreReset});
  b.run(ow_selftest_router_cycles(colours, slot));
  const auto words = b.read(result, 6);
  Word found = all_machines(false);
  for (uint32_t t = 0; t < 2; ++t) {
    found |= job->answer_missing(words[t]) |
             words[t][1].differs(OW_SELFTEST_DONE + OW_SELFTEST_ROUTER, ~0u);
    for (uint32_t side = 0; side < 4; ++side) {
      found |= words[t][3 + side].differs(ow_selftest_heard(kNames[t ^ 1], side ^ 2, colours), ~0u);
    }
  }
  job->cycles = b.cycles();
  return found;
}

struct StepKind {
  std::string name;
  Word (*run)(Job*);
  const ElfImage* program;
};
// The thorough steps come first: they find most of what the others would find.
std::vector<StepKind> all_steps(const SelftestOptions& options) {
  std::vector<StepKind> steps;
  for (const ElfImage& p : options.thorough) {
    steps.push_back({"thorough " + std::to_string(steps.size() + 1), core_step, &p});
  }
  steps.push_back({"neighbours", router_step, &options.selftest});
  steps.push_back({"signature", core_step, &options.selftest});
  steps.push_back({"memory", memory_step, nullptr});
  steps.push_back({"idle", idle_step, nullptr});
  return steps;
}

}  // namespace

TileUnderTest::TileUnderTest(const Plan& plan, const std::vector<Fault>& faults, uint64_t power_up)
    : sim_(plan, faults, power_up) {
  const Netlist& n = plan.netlist();
  reset_ = need(n, "rst_i", 1);
  cycle_ = need(n, "cycle_i", 48);
  test_ = need(n, "test_i", 1);
  req_valid_ = need(n, "test_req_valid_i", 1);
  req_ = need(n, "test_req_i", 33);
  req_ready_ = need(n, "test_req_ready_o", 1);
  rsp_valid_ = need(n, "test_rsp_valid_o", 1);
  rsp_ = need(n, "test_rsp_o", 33);
  rsp_ready_ = need(n, "test_rsp_ready_i", 1);
  for (int side = 0; side < 4; ++side) {
    in_[side] = need(n, fmt::format("link_{}_i", kSides[side]), kLinkBits);
    out_[side] = need(n, fmt::format("link_{}_o", kSides[side]), kLinkBits);
  }
  sim_.set_port(*reset_, 1);
  sim_.set_port(*test_, 1);
  sim_.set_port(*req_valid_, 0);
  sim_.set_port(*rsp_ready_, 0);
}

void TileUnderTest::quiet_links() {
  for (const Port* p : in_) sim_.set_port(*p, 0);
}

void TileUnderTest::push(uint32_t word, bool last) {
  sim_.set_port(*req_, static_cast<uint64_t>(last) << 32 | word);
  pushed_ = all_machines(true);
}

void TileUnderTest::settle() {
  sim_.set_input(req_valid_->bits[0], pushed_);
  sim_.set_port(*rsp_ready_, take_ ? 1 : 0);
  sim_.settle();
}

void TileUnderTest::clock() {
  pushed_ &= ~sim_.value(req_ready_->bits[0]);
  take_ = false;
  sim_.clock();
  sim_.set_port(*cycle_, ++now_);
}

std::array<Word, 32> TileUnderTest::endpoint_word() const {
  std::array<Word, 32> out;
  for (size_t i = 0; i < 32; ++i) {
    out[i] = sim_.value(rsp_->bits[i]) & sim_.value(rsp_valid_->bits[0]);
  }
  return out;
}

std::array<Word, 32> TileUnderTest::memory_word(uint32_t addr) const {
  std::array<Word, 32> out;
  for (uint32_t i = 0; i < 32; ++i) {
    out[i] = sim_.bank_bit(addr >> 3 & 7, addr >> 6, 8 * (addr & 4) + i);
  }
  return out;
}

void TileUnderTest::retire(const Word& machines) {
  pushed_ ^= unlike_good(pushed_) & machines;
  sim_.retire(machines);
}

SelftestRun run_selftest(const Netlist& netlist, const std::vector<Fault>& faults,
                         const SelftestOptions& options) {
  const Plan plan(netlist);
  SelftestRun run;
  run.found_by.assign(faults.size(), -1);
  const std::vector<StepKind> steps = all_steps(options);
  for (size_t s = 0; s < steps.size(); ++s) {
    Step step = {steps[s].name, 0, 0};
    std::vector<size_t> left;
    for (size_t i = 0; i < faults.size(); ++i) {
      if (run.found_by[i] < 0) left.push_back(i);
    }
    constexpr size_t kBatch = kMachines - 1;
    const size_t batches = std::max<size_t>(1, (left.size() + kBatch - 1) / kBatch);
    std::atomic<size_t> next{0};
    std::mutex lock;
    std::exception_ptr error;
    uint64_t tried = 0;
    const auto work = [&] {
      for (size_t b = next++; b < batches; b = next++) {
        try {
          const size_t begin = b * kBatch, end = std::min(left.size(), begin + kBatch);
          std::vector<Fault> batch;
          for (size_t i = begin; i < end; ++i) batch.push_back(faults[left[i]]);
          Job job{plan, batch, options, 0, {}, steps[s].program};
          const Word found = steps[s].run(&job);
          const std::lock_guard<std::mutex> guard(lock);
          if (bit_of(found, 0)) {
            throw DeviceFault("the good machine fails in the step \"" + step.name + "\"");
          }
          for (size_t i = begin; i < end; ++i) {
            if (!bit_of(found, static_cast<int>(i - begin + 1))) continue;
            run.found_by[left[i]] = static_cast<int>(s);
            ++step.found;
          }
          tried += end - begin;
          step.cycles = job.cycles;
          if (b == 0) {
            run.signatures.insert(run.signatures.end(), job.signatures.begin(),
                                  job.signatures.end());
          }
          if (options.progress) options.progress(step.name, tried, step.found);
        } catch (...) {
          const std::lock_guard<std::mutex> guard(lock);
          error = std::current_exception();
          next = batches;
        }
      }
    };
    std::vector<std::thread> threads;
    for (int t = 1; t < options.threads; ++t) threads.emplace_back(work);
    work();
    for (std::thread& t : threads) t.join();
    if (error) std::rethrow_exception(error);
    run.steps.push_back(step);
  }
  return run;
}

}  // namespace ow::faults
