// SPDX-License-Identifier: Apache-2.0
#include "openwafer/runtime.h"

#include <fmt/format.h>

#include <algorithm>

#include "ow/device/tile_map.h"
#include "ow/diagnose/hang_report.h"
#include "ow/diagnose/tile_error.h"
#include "ow/runtime/machine.h"
#include "runtime_state.h"

namespace ow {
namespace {

// Cycles between checks for tile errors while the machine works.
constexpr uint64_t kLookCycles = 1'000'000;
// The same if the device cannot tell that nothing moves.
constexpr uint64_t kPollCycles = 10'000;
// Cycles after which the packets of a copy under way have arrived, if anything moves: some packets
// per port.
constexpr uint64_t kHoldCycles = 100'000;

}  // namespace

std::vector<StreamPort> ports_of(const std::map<std::string, std::vector<StreamPort>>& streams) {
  std::vector<StreamPort> all;
  for (const auto& named : streams) {
    all.insert(all.end(), named.second.begin(), named.second.end());
  }
  return all;
}

// -------------------------------------------------------------------------------------- copies --
class Runtime::State::Copy : public Event::State {
 public:
  Copy(Runtime::State* machine, std::unique_ptr<Bulk> bulk, std::function<void()> finished)
      : machine_(machine), bulk_(std::move(bulk)), finished_(std::move(finished)) {}

  // Call it when the device has something to tell.
  void pump() {
    if (over()) return;
    try {
      if (!bulk_->pump()) return;
    } catch (const Error& refused) {
      failure_ = fmt::format("a copy has failed: {}", refused.what());
      return;
    }
    done_ = true;
    if (finished_) finished_();
    release();
  }
  bool done() const override { return done_; }
  void wait(uint64_t cycles) override {
    if (!over()) {
      const RunStatus status = machine_->work(cycles, [this] { return over(); });
      if (!over()) {
        throw_late(status == RunStatus::Quiet ? "nothing moves any more"
                                              : fmt::format("not done within {} cycles", cycles));
      }
    }
    if (done_) return;
    if (bulk_) abandon();
    throw DeviceFault(failure_);
  }

 private:
  bool over() const { return done_ || !failure_.empty(); }
  void release() {
    bulk_.reset();
    finished_ = nullptr;
  }

  // The report reads the tiles through the control plane, which the copy uses: first the copy's
  // packets under way must arrive. Then the copy can go on when somebody waits for it again. If
  // they do not arrive, it never can.
  void throw_late(const std::string& how) {
    std::string text = fmt::format("a copy waits for {}: {}", bulk_->waiting_for(), how);
    bulk_->hold(true);
    machine_->work(kHoldCycles, [this] { return over() || bulk_->idle(); });
    if (over()) return;
    if (!bulk_->idle()) {
      failure_ = std::move(text);
      return;
    }
    const std::shared_ptr<Copy> self = machine_->copy_;
    machine_->copy_.reset();
    text += "\n" + fault_text(*machine_, true);
    machine_->copy_ = self;
    bulk_->hold(false);
    throw DeviceFault(text);
  }

  // Removes the copy from the machine, with everything under way, and keeps the report.
  void abandon() {
    release();
    const std::shared_ptr<Copy> self = machine_->copy_;  // lives until this is over
    machine_->copy_.reset();
    Device& device = machine_->device();
    const GridShape grid = device.shape();
    for (const Side side : {Side::North, Side::East, Side::South, Side::West}) {
      const bool by_row = side == Side::West || side == Side::East;
      for (int i = 0; device.has_side(side) && i < (by_row ? grid.rows : grid.cols); ++i) {
        device.take_arrivals(side, i, kColourRsp);
      }
    }
    failure_ += "\n" + fault_text(*machine_, false);
  }

  Runtime::State* machine_;
  std::unique_ptr<Bulk> bulk_;
  std::function<void()> finished_;
  bool done_ = false;
  std::string failure_;  // it will never be done
};

void Runtime::State::written(const Rect& rect) {
  if (std::find(unfenced_.begin(), unfenced_.end(), rect) == unfenced_.end()) {
    unfenced_.push_back(rect);
  }
}

std::shared_ptr<Event::State> Runtime::State::copy(std::unique_ptr<Bulk> bulk,
                                                   std::function<void()> finished) {
  // After earlier requests of the control plane and earlier copies.
  ControlPlane& control = this->control();
  for (const Rect& rect : unfenced_) control.fence(rect);
  settled();
  copy_ = std::make_shared<Copy>(this, std::move(bulk), std::move(finished));
  copy_->pump();
  return copy_;
}

// ------------------------------------------------------------------------------------- machine --
Runtime::State::State(std::unique_ptr<Device> device)
    : device_(std::move(device)), control_(*device_) {
  tile_ = read_tile_config(control_, 0, 0);
  const TileConfig& config = tile_;
  info_.description = device_->description();
  info_.grid = device_->shape();
  info_.lanes = config.lanes;
  info_.threads = config.threads;
  info_.colours = config.colours;
  info_.sram_bytes = config.sram_bytes;
  using Features = isa::reg::Features;
  const auto count = [&](uint32_t n) { return static_cast<int>(n); };
  info_.queues = count(Features::Queues::get(config.features));
  info_.descriptors = count(Features::Dsrs::get(config.features)) + 1;
  info_.tasks = count(Features::Tasks::get(config.features)) + 1;
  info_.positions = count(Features::Positions::get(config.features));
  info_.filters = count(Features::Filters::get(config.features));
  info_.fifos = count(Features::Fifos::get(config.features));
  info_.counters = Features::Counters::get(config.features) != 0;
}

ControlPlane& Runtime::State::control() {
  if (copy_) copy_->wait(Event::kCycleLimit);
  copy_.reset();
  return control_;
}

RunStatus Runtime::State::work(uint64_t cycles, const std::function<bool()>& done) {
  return device_->run(cycles, [&] {
    serve();
    return done && done();
  });
}

void Runtime::State::serve() {
  if (copy_) copy_->pump();
  for (auto source = sources_.begin(); source != sources_.end();) {
    const StreamPort& port = source->first;
    size_t room = device_->pending_sends(port.side, port.index, port.colour);
    room = room <= kPortRefill ? kPortRoom - room : 0;
    std::vector<Wavelet> wavelets;
    const auto send = [&] {
      if (!wavelets.empty()) device_->send(port.side, port.index, wavelets);
    };
    try {
      while (room > wavelets.size() && !source->second.empty()) {
        if (const std::optional<Word> word = source->second.front()()) {
          wavelets.push_back({static_cast<uint8_t>(port.colour), word->control, word->data});
        } else {
          source->second.erase(source->second.begin());
        }
      }
    } catch (...) {
      send();
      throw;
    }
    send();
    source = source->second.empty() ? sources_.erase(source) : std::next(source);
  }
  for (auto& [port, sink] : sinks_) fetch(port, &sink);
}

void Runtime::State::fetch(const StreamPort& port, Sink* sink) {
  if (device_->available(port.side, port.index, port.colour) != 0) {
    for (const Arrival& a : device_->take_arrivals(port.side, port.index, port.colour)) {
      sink->words.push_back({a.wavelet.data, a.wavelet.ctrl});
    }
  }
  if (!sink->take) return;
  // If it throws, the remaining words wait for the next call.
  while (sink->taken < sink->words.size()) sink->take(sink->words[sink->taken++]);
  sink->words.clear();
  sink->taken = 0;
}

void Runtime::State::produce(const StreamPort& port, std::function<std::optional<Word>()> next) {
  sources_[port].push_back(std::move(next));
}

void Runtime::State::consume(const StreamPort& port, std::function<void(Word)> take) {
  Sink& sink = sinks_[port];
  sink.take = std::move(take);
  fetch(port, &sink);
}

size_t Runtime::State::waiting(const StreamPort& port) const {
  const auto sink = sinks_.find(port);
  return (sink == sinks_.end() ? 0 : sink->second.words.size() - sink->second.taken) +
         device_->available(port.side, port.index, port.colour);
}

std::vector<Word> Runtime::State::take_words(const StreamPort& port, size_t most) {
  Sink& sink = sinks_[port];
  fetch(port, &sink);
  const size_t end = std::min(sink.words.size(), sink.taken + most);
  std::vector<Word> words(sink.words.begin() + static_cast<std::ptrdiff_t>(sink.taken),
                          sink.words.begin() + static_cast<std::ptrdiff_t>(end));
  sink.taken = end;
  if (sink.taken == sink.words.size()) {
    sink.words.clear();
    sink.taken = 0;
  }
  return words;
}

void Runtime::State::give_back(const StreamPort& port, const std::vector<uint32_t>& words) {
  Sink& sink = sinks_[port];
  std::vector<Word> all;
  for (const uint32_t word : words) all.push_back({word, false});
  all.insert(all.end(), sink.words.begin() + static_cast<std::ptrdiff_t>(sink.taken),
             sink.words.end());
  sink.words = std::move(all);
  sink.taken = 0;
}

bool Runtime::State::sends_left(const std::vector<StreamPort>& ports) const {
  return std::any_of(ports.begin(), ports.end(), [this](const StreamPort& port) {
    return sources_.count(port) != 0 ||
           device_->pending_sends(port.side, port.index, port.colour) != 0;
  });
}

void Runtime::State::end_callbacks(const Run::State& run) {
  if (run.replaced) return;  // its ports may be another program's
  for (const StreamPort& port : ports_of(run.streams_in)) sources_.erase(port);
  for (const StreamPort& port : ports_of(run.streams_out)) {
    const auto sink = sinks_.find(port);
    if (sink != sinks_.end()) sink->second.take = nullptr;
  }
}

void Runtime::State::drop_streams(const Run::State& run) {
  end_callbacks(run);
  for (const StreamPort& port : ports_of(run.streams_out)) {
    sinks_.erase(port);
    device_->take_arrivals(port.side, port.index, port.colour);
  }
}

// ---------------------------------------------------------------------------------------- rest --
bool at_rest(ControlPlane& control, const Rect& rect) {
  namespace reg = isa::reg;
  enum { kActive, kRunning, kCore, kThreads, kReducer, kReads };
  std::vector<ControlPlane::ReadRequest> reads;
  for (int r = rect.row; r < rect.row + rect.rows; ++r) {
    for (int c = rect.col; c < rect.col + rect.cols; ++c) {
      reads.push_back({r, c, kRegTaskActivate, 1});
      reads.push_back({r, c, kRegTaskRunning, 1});
      reads.push_back({r, c, kRegCoreStatus, 1});
      reads.push_back({r, c, kRegThread, reg::Thread::kCount});
      reads.push_back({r, c, kRegRedStatus, 1});
    }
  }
  const std::vector<std::vector<uint32_t>> words = control.read_many(reads);
  for (size_t i = 0; i < words.size(); i += kReads) {
    const bool task =
        words[i + kActive][0] != 0 || reg::TaskRunning::Running::get(words[i + kRunning][0]);
    const bool asleep = reg::CoreStatus::Asleep::get(words[i + kCore][0]);
    const bool thread = std::any_of(words[i + kThreads].begin(), words[i + kThreads].end(),
                                    [](uint32_t w) { return reg::Thread::Active::get(w); });
    const bool reducer = reg::RedStatus::Running::get(words[i + kReducer][0]);
    if (task || !asleep || thread || reducer) return false;
  }
  return true;
}

static HangReport hang_report(Runtime::State& machine) {
  constexpr uint64_t kSettleCycles = 1000;
  ControlPlane& control = machine.control();
  machine.work(kSettleCycles, nullptr);
  LoadedImages images;
  for (const std::shared_ptr<Run::State>& run : machine.runs) {
    for (const Run::State::LoadedPart& part : run->parts)
      images.push_back({part.rect, &part.image});
  }
  return make_hang_report(control, images);
}

static std::string lines(const HangReport& report) {
  std::string text = report.text();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::string hang_text(Runtime::State& machine) { return lines(hang_report(machine)); }

std::string fault_text(Runtime::State& machine, bool held) {
  try {
    for (const std::shared_ptr<Run::State>& run : machine.runs) {
      for (const Run::State::LoadedPart& part : run->parts) {
        check_errors(machine.control(), part.rect, &part.image);
      }
    }
    const HangReport report = hang_report(machine);
    if (held && report.diagnoses.empty()) return "no tile has stopped, and none waits";
    return lines(report);
  } catch (const Error& error) {
    return error.what();
  }
}

void wait_for_rest(Runtime::State& machine, const std::vector<const Run::State::LoadedPart*>& parts,
                   const std::string& what, uint64_t cycles, const std::vector<StreamPort>& sends) {
  ControlPlane& control = machine.control();
  Device& device = machine.device();
  const uint64_t begin = device.patience_cycle();
  const auto report = [&](const std::string& how) {
    for (const Run::State::LoadedPart* part : parts)
      check_errors(control, part->rect, &part->image);
    throw DeviceFault(fmt::format("{} {}\n{}", what, how, hang_text(machine)));
  };
  // If a device can tell that nothing moves, the tiles are at rest then. Otherwise, and while other
  // programs run, tiles count as at rest when they were so twice: words under way between them have
  // arrived by then. Short waits are checked early, long waits are rarely disturbed.
  const uint64_t longest = device.tells_quiet() ? kLookCycles : kPollCycles;
  uint64_t look = machine.runs.size() > 1 ? kPollCycles : longest;
  int rests = 0;
  for (;;) {
    const uint64_t passed = device.patience_cycle() - begin;
    const uint64_t left = cycles > passed ? cycles - passed : 0;
    const RunStatus status = machine.work(rests == 0 ? std::min(left, look) : kPollCycles, nullptr);
    look = std::min(2 * look, longest);
    const bool rest =
        std::all_of(parts.begin(), parts.end(), [&](const Run::State::LoadedPart* part) {
          check_errors(control, part->rect, &part->image);
          return at_rest(control, part->rect);
        });
    rests = rest && !machine.sends_left(sends) ? rests + 1 : 0;
    if (rests == 2 || (rests == 1 && status == RunStatus::Quiet)) break;
    if (status == RunStatus::Quiet) report("hangs:");
    if (rests == 0 && device.patience_cycle() - begin >= cycles) {
      report(fmt::format("did not end within {} cycles:", cycles));
    }
  }
  machine.settled();
}

// ---------------------------------------------------------------------------------- the public --
void Event::wait(uint64_t cycles) { state_->wait(cycles); }
bool Event::done() const { return state_->done(); }

Runtime make_runtime(std::unique_ptr<Device> device) {
  return Runtime(std::make_shared<Runtime::State>(std::move(device)));
}
const MachineInfo& Runtime::info() const { return state_->info(); }
uint64_t Runtime::cycle() const { return state_->device().cycle(); }

Run Runtime::load(const Program& program, std::optional<Rect> rect) {
  Rect at = whole(grid());
  if (rect) {
    at = *rect;
  } else if (program.state().layout) {
    at = whole(program.state().layout->shape());
  }
  return Run(ow::load(state_, program, at));
}

Rect Run::rect() const { return state_->rect; }

int Run::colours() const {
  std::set<int> colours;
  for (const auto& route : state_->routed) colours.insert(std::get<2>(route));
  return static_cast<int>(colours.size());
}

std::vector<Print> Run::prints() {
  state_->check_loaded();
  state_->machine->control();  // first finishes the copies under way
  std::vector<Print> all;
  for (PrintReader& printer : state_->printers) {
    for (Print& print : printer.take_prints()) all.push_back(std::move(print));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Print& a, const Print& b) { return a.cycle < b.cycle; });
  return all;
}

uint64_t Run::prints_lost() const {
  uint64_t lost = 0;
  for (const PrintReader& printer : state_->printers) lost += printer.lost();
  return lost;
}

Profile Run::profile() {
  Run::State& run = *state_;
  run.check_loaded();
  if (!run.machine->info().counters) throw BadInput("profile: these tiles have no counters");
  const std::vector<Counters> before = run.counters;
  const uint64_t since = run.counted_at;
  Profile profile;
  run.read_counters();
  profile.cycles = run.counted_at - since;
  for (size_t i = 0; i < run.counters.size(); ++i) {
    const auto of = [&](Counter k) {
      return run.counters[i][static_cast<size_t>(k)] - before[i][static_cast<size_t>(k)];
    };
    Activity a;
    a.beats = of(kCtrBeats);
    a.stall_input = of(kCtrStallInput);
    a.stall_output = of(kCtrStallOutput);
    a.stall_row = of(kCtrStallRow);
    a.stall_memory = of(kCtrStallMemory);
    a.no_work = of(kCtrNoWork);
    a.instructions = of(kCtrInstructions);
    a.asleep = of(kCtrAsleep);
    a.wavelets_in = of(kCtrWaveletsIn);
    a.wavelets_out = of(kCtrWaveletsOut);
    a.reducer_elements = of(kCtrReducerElements);
    a.reducer_waits = of(kCtrReducerWait);
    const auto add = [&](uint64_t Activity::*field) { profile.total.*field += a.*field; };
    for (uint64_t Activity::*field :
         {&Activity::beats, &Activity::stall_input, &Activity::stall_output, &Activity::stall_row,
          &Activity::stall_memory, &Activity::no_work, &Activity::instructions, &Activity::asleep,
          &Activity::wavelets_in, &Activity::wavelets_out, &Activity::reducer_elements,
          &Activity::reducer_waits}) {
      add(field);
    }
    profile.tiles.push_back(a);
  }
  return profile;
}

}  // namespace ow
