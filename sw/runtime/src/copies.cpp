// SPDX-License-Identifier: Apache-2.0
// Copies under way between the host and tiles.
#include <fmt/format.h>

#include <algorithm>

#include "copy.h"

namespace ow {
namespace {

// Cycles after which the packets of a copy under way have arrived, if anything moves: some packets
// per port.
constexpr uint64_t kHoldCycles = 100'000;

}  // namespace

Copy::Copy(Runtime::State* machine, std::vector<CopyStep> steps)
    : machine_(machine), bulk_(bulk()), steps_(std::move(steps)) {}

std::unique_ptr<Bulk> Copy::bulk() const {
  return std::make_unique<Bulk>(machine_->control_, machine_->info().sram_bytes, machine_->direct_);
}

void Copy::pump() {
  if (over()) return;
  try {
    while (bulk_->pump()) {
      if (next_ == steps_.size()) {
        done_ = true;
        cycle_ = machine_->device().cycle();
        return release();
      }
      bulk_ = bulk();
      steps_[next_++](bulk_.get());
    }
  } catch (const Error& refused) {
    failure_ = fmt::format("a copy has failed: {}", refused.what());
  }
}

void Copy::wait(uint64_t cycles) {
  if (work(cycles)) return;
  throw_late(fmt::format("not done within {} cycles", cycles));
  if (!done_) throw_failure();
}

void Copy::cancel() {
  if (over()) return;
  steps_.resize(next_);
  bulk_->hold(false);
  bulk_->cancel();
  wait(Event::kCycleLimit);
}

// False if it needs more cycles.
bool Copy::work(uint64_t cycles) {
  if (!over()) {
    const RunStatus status = machine_->work(cycles, [this] { return over(); });
    if (!over() && status != RunStatus::Quiet) return false;
    if (!over()) throw_late("nothing moves any more");
  }
  if (!done_) throw_failure();
  return true;
}

void Copy::throw_failure() {
  if (bulk_) abandon();
  throw DeviceFault(failure_);
}

void Copy::release() {
  bulk_.reset();
  steps_.clear();
}

// The report reads the tiles through the control plane, which the copy uses: first the copy's
// packets under way must arrive. Then the copy can go on when somebody waits for it again. If they
// do not arrive, it never can.
void Copy::throw_late(const std::string& how) {
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

// Removes the copy from the machine and keeps the report.
void Copy::abandon() {
  release();
  const std::shared_ptr<Copy> self = machine_->copy_;  // lives until this is over
  machine_->copy_.reset();
  failure_ += "\n" + fault_text(*machine_, false);
}

void Runtime::State::written(const Rect& rect) {
  if (std::find(unfenced_.begin(), unfenced_.end(), rect) == unfenced_.end()) {
    unfenced_.push_back(rect);
  }
}

std::shared_ptr<Event::State> Runtime::State::copy(std::vector<CopyStep> steps) {
  // After earlier requests of the control plane and earlier copies.
  ControlPlane& control = this->control();
  for (const Rect& rect : unfenced_) control.fence(rect);
  settled();
  copy_ = std::make_shared<Copy>(this, std::move(steps));
  copy_->pump();
  return copy_;
}

ControlPlane& Runtime::State::control() {
  if (copy_) copy_->wait(Event::kCycleLimit);
  copy_.reset();
  return control_;
}

}  // namespace ow
