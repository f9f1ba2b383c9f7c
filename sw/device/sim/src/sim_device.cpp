// SPDX-License-Identifier: Apache-2.0
#include "ow/sim/sim_device.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/base/file.h"

namespace ow {
namespace {

GridShape checked_shape(GridShape shape) {
  // Hops have 12 bits.
  if (shape.rows < 1 || shape.cols < 1 || shape.rows > 4096 || shape.cols > 4096) {
    throw BadInput(fmt::format("grid of {} x {} tiles: rows and columns must be 1 to 4096",
                               shape.rows, shape.cols));
  }
  return shape;
}

bool any_word(const std::vector<uint64_t>& words) {
  return std::any_of(words.begin(), words.end(), [](uint64_t w) { return w != 0; });
}

}  // namespace

void SimControl::write_memory(int, int, uint32_t, const uint32_t*, size_t) {
  throw InternalError("this simulator has no memories to write to");
}

SimDevice::SimDevice(GridShape shape)
    : shape_(checked_shape(shape)),
      ports_(shape_),
      in_(static_cast<size_t>(ports_.count()), 0),
      out_(static_cast<size_t>(ports_.count()), 0) {}

void SimDevice::write_memory(int row, int col, uint32_t addr, const uint32_t* words, size_t count) {
  if (recorder_ || log_) {
    throw BadInput(
        "a run that is recorded, saved or restored writes to memories only by words at its edges");
  }
  put_memory(row, col, addr, words, count);
}
void SimDevice::put_memory(int row, int col, uint32_t addr, const uint32_t* words, size_t count) {
  SimControl::write_memory(row, col, addr, words, count);
}

int SimDevice::checked_colour(int colour) {
  if (colour < 0 || colour >= kMaxColours) {
    throw BadInput(fmt::format("colour {}: must be 0 to {}", colour, kMaxColours - 1));
  }
  return colour;
}

size_t SimDevice::offer(Side side, int index, const Wavelet* wavelets, size_t count) {
  return ports_.send(ports_.port(side, index), wavelets, count);
}
size_t SimDevice::queued(Side side, int index, int colour) const {
  return ports_.pending(ports_.port(side, index), checked_colour(colour));
}
size_t SimDevice::queued(Side side, int index) const {
  return ports_.pending(ports_.port(side, index));
}
int SimDevice::send_credits(Side side, int index, int colour) const {
  return ports_.credits(ports_.port(side, index), checked_colour(colour));
}
std::vector<Arrival> SimDevice::take_arrivals(Side side, int index, int colour) {
  return ports_.take_arrivals(ports_.port(side, index), checked_colour(colour));
}
size_t SimDevice::available(Side side, int index, int colour) const {
  return ports_.available(ports_.port(side, index), checked_colour(colour));
}
void SimDevice::hold_credits(Side side, int index, int colour, bool held) {
  ports_.hold(ports_.port(side, index), checked_colour(colour), held);
}

void SimDevice::set_link(Side side, int index, int colour,
                         const std::optional<EdgeLinkOptions>& options) {
  ports_.set_link(ports_.port(side, index), checked_colour(colour), options);
}

void SimDevice::set_exit(Side side, int index, int colour,
                         const std::optional<EdgeExitOptions>& options) {
  ports_.set_exit(ports_.port(side, index), checked_colour(colour), options);
}

void SimDevice::step() {
  offer_waiting();
  clock();
}

void SimDevice::clock() {
  ports_.drive(cycle_, in_.data());
  ports_.receive(cycle_, out_.data());
  left_ = any_word(out_);
  if (recorder_) recorder_->clock(in_.data(), out_.data());
  if (repeats()) {
    log_->take_in(cycle_, in_.data(), restored_file_);
    repeated_quiet_ = log_->take_out(++cycle_, out_.data());
    return;
  }
  if (save_every_ == 0) return clock_tiles();
  log_->add_in(cycle_, in_.data());
  clock_tiles();
  log_->add_out(cycle_, out_.data(), grid_quiet() && !left_);
  if (cycle_ % save_every_ != 0) return;
  write_run(save_file_, shape_, cycle_, *log_, state_layout(),
            [this](size_t tile, TileState* state) { read_tile(tile, state); });
}

// What fails in a tile is reported with the cycle.
void SimDevice::clock_tiles() {
  try {
    clock_grid(cycle_, in_.data(), out_.data());
  } catch (const DeviceFault& fault) {
    throw DeviceFault(fmt::format("{}, cycle {}", fault.what(), cycle_));
  }
  ++cycle_;
}

const StateLayout& SimDevice::state_layout() const {
  throw InternalError("this simulator does not give the state of its tiles");
}
void SimDevice::read_tile(size_t, TileState*) { state_layout(); }
void SimDevice::write_tiles(const std::function<void(size_t, TileState*)>&) { state_layout(); }

void SimDevice::save_run(const std::string& path, uint64_t every) {
  if (cycle_ != 0) throw InternalError("a run is saved from its first cycle on");
  check_writable(path);
  save_file_ = path;
  save_every_ = every;
  if (!log_) log_.emplace(ports_.count());
}

void SimDevice::load(SavedRun* saved) {
  if (cycle_ != 0) throw InternalError("a run is restored before its first cycle");
  write_tiles([saved](size_t, TileState* state) { saved->next_tile(state); });
  saved->close();
}

void SimDevice::restore_run(const std::string& path) {
  SavedRun saved(path, shape_, state_layout());
  load(&saved);
  restored_file_ = path;
  repeat_until_ = saved.cycle();
  log_ = saved.take_log();
}

void SimDevice::restore_tiles(const std::string& path) {
  SavedRun saved(path, shape_, state_layout());
  load(&saved);
  restored_file_ = path;
  cycle_ = saved.cycle();
  saved.take_log().skip(cycle_, out_.data(), &digest_);
}

void SimDevice::record_run(const std::string& path) {
  if (cycle_ != 0) throw InternalError("a recording begins at the first cycle");
  recorder_ = std::make_unique<Recorder>(path, shape_, ports_.count());
}

void SimDevice::end_recording() {
  const std::unique_ptr<Recorder> recorder = std::move(recorder_);
  if (recorder) recorder->end();
}

void SimDevice::replay(const Recording& recording) {
  if (replay_until(recording, recording.cycles) != recording.digest) {
    throw DeviceFault(recording.path +
                      ": other words went out than when it was made: it is of another machine");
  }
}

uint64_t SimDevice::replay_until(const Recording& recording, uint64_t end) {
  if (recording.shape.rows != shape_.rows || recording.shape.cols != shape_.cols) {
    throw BadInput(fmt::format("{}: a grid of {} x {} tiles, here are {} x {}", recording.path,
                               recording.shape.rows, recording.shape.cols, shape_.rows,
                               shape_.cols));
  }
  if (!restored_file_.empty() && cycle_ >= recording.cycles) {
    throw BadInput(fmt::format("{}: saved in cycle {}, the recording ({}) ends in cycle {}",
                               restored_file_, cycle_, recording.path, recording.cycles));
  }
  auto word = recording.words.begin();
  while (word != recording.words.end() && word->cycle < cycle_) ++word;
  while (cycle_ < end) {
    std::fill(in_.begin(), in_.end(), 0);
    for (; word != recording.words.end() && word->cycle == cycle_; ++word) {
      in_[word->port] = word->word;
    }
    for (int p = 0; p < ports_.count(); ++p) {
      if (out_[static_cast<size_t>(p)] != 0) {
        digest_ = digest_word(digest_, cycle_, p, out_[static_cast<size_t>(p)]);
      }
    }
    clock_tiles();
  }
  return digest_;
}

bool SimDevice::quiet() const {
  return ports_.quiet() && (repeats() ? repeated_quiet_ : grid_quiet() && !left_) &&
         !any_word(out_);
}

Pause SimDevice::advance(uint64_t max_cycles) {
  ports_.take_event();
  for (uint64_t n = 0; n < max_cycles; ++n) {
    if (quiet()) return Pause::Quiet;
    clock();
    if (ports_.take_event()) return Pause::Event;
  }
  return Pause::Limit;
}

RunStatus SimDevice::run_each(uint64_t max_cycles, const std::function<bool()>& done) {
  for (uint64_t n = 0;; ++n) {
    offer_waiting();
    if (done()) return RunStatus::Done;
    if (n == max_cycles) return RunStatus::CycleLimit;
    if (quiet()) return RunStatus::Quiet;
    clock();
  }
}

}  // namespace ow
