// SPDX-License-Identifier: Apache-2.0
#include "ow/device/test_chain.h"

#include <fmt/format.h>

#include "ow/base/error.h"

namespace ow::wafer {
namespace {

using Frame = isa::ChainFrame;

constexpr int kFrameBits = Frame::kBits;
constexpr int kOverlap = 80;  // + 2 x stations: cycles from one command to the next, overlapping

}  // namespace

uint16_t chain_crc(uint64_t bits48) {
  uint16_t crc = 0xFFFF;
  for (int i = 47; i >= 0; --i) {
    const bool bit = (bits48 >> i & 1) != 0;
    const bool top = (crc >> 15) != 0;
    crc = static_cast<uint16_t>((crc << 1) ^ (top != bit ? isa::kCrcPolynomial : 0));
  }
  return crc;
}

void ChainEnd::begin(const ChainCommand& command, int stations, bool overlap,
                     std::optional<uint32_t>* answer) {
  const uint64_t head = Frame::Column::put(command.column) | Frame::Write::put(command.write) |
                        Frame::Register::put(command.reg) | Frame::Data::put(command.data);
  out_[0] = head | chain_crc(head >> Frame::Crc::kWidth);
  out_[1] = 1;  // the start bit
  sending_ = kFrameBits + 1;
  answer->reset();
  if (command.column == kEveryColumn) {
    // Not answered: the next one may follow at once.
    gap_ = 4 + stations;
    return;
  }
  // An answer is complete at most 134 + 2 x stations cycles after its command has begun.
  // Overlapping, it is before that of the next command can begin.
  Pending& p = pendings_[pending_++];
  p.head = head;
  p.age = 0;
  p.limit =
      overlap ? kOverlap + 2 * stations + kFrameBits + 1 : kFrameBits + 1 + 140 + 4 * stations;
  p.answer = answer;
  gap_ = overlap ? kOverlap + 2 * stations - kFrameBits - 1 : 0;
}

// True if it was the answer to the oldest command.
bool ChainEnd::listen(Ear* ear, bool bit) {
  if (ear->left == 0) {
    if (bit) ear->left = kFrameBits;
    return false;
  }
  ear->bits = ear->bits << 1 | static_cast<uint64_t>(bit);
  if (--ear->left > 0) return false;
  const uint64_t frame = ear->bits;
  constexpr uint64_t kCommandPart =
      Frame::Column::kMask | Frame::Write::kMask | Frame::Register::kMask;
  if (chain_crc(frame >> Frame::Crc::kWidth) != Frame::Crc::get(frame) ||
      !Frame::Answer::get(frame) || (frame & kCommandPart) != (pendings_[0].head & kCommandPart)) {
    return false;
  }
  *pendings_[0].answer = static_cast<uint32_t>(Frame::Data::get(frame));
  return true;
}

void ChainEnd::drop_first() {
  pendings_[0] = pendings_[1];
  --pending_;
}

void ChainEnd::hear(bool near, bool skip) {
  if (sending_ > 0) {
    --sending_;
  } else if (gap_ > 0) {
    --gap_;
  }
  for (int i = 0; i < pending_; ++i) ++pendings_[i].age;
  if (pending_ == 0) return;
  // Nothing that came before the end of the command is its answer.
  if (pendings_[0].age <= kFrameBits + 1) {
    ears_[0] = ears_[1] = Ear();
    return;
  }
  const bool near_answers = listen(&ears_[0], near);
  const bool skip_answers = listen(&ears_[1], skip);
  if (near_answers || skip_answers || pendings_[0].age >= pendings_[0].limit) drop_first();
}

void drive_chains(const Shape& shape, std::vector<ChainPins>* pins,
                  const std::function<void()>& step, std::vector<ChainJob>* jobs) {
  struct Running {
    ChainJob* job;
    ChainPins* pins;
    ChainEnd end;
    size_t next;
    int tries;  // of the command before
  };
  std::vector<Running> running;
  for (ChainJob& job : *jobs) {
    const ChainRow& w = job.where;
    if (w.reticle < 0 || w.reticle >= shape.reticles() || w.row < 0 ||
        w.row >= shape.physical_rows()) {
      throw BadInput(
          fmt::format("chain of row {} of reticle {}: the wafer has none", w.row, w.reticle));
    }
    job.answers.assign(job.commands.size(), std::nullopt);
    const auto index =
        static_cast<size_t>(w.reticle * shape.physical_rows() + w.row) * 2 + (w.from_east ? 1 : 0);
    running.push_back({&job, &pins->at(index), ChainEnd(), 0, 0});
  }
  for (;;) {
    bool any = false;
    for (Running& r : running) {
      const bool insists = r.next > 0 && r.job->commands[r.next - 1].insist;
      if (r.end.ready() && ((r.job->overlap && !insists) || !r.end.busy())) {
        if (insists && !r.job->answers[r.next - 1] && r.tries < kChainTries) {
          --r.next;
        } else {
          r.tries = 0;
        }
        if (r.next < r.job->commands.size()) {
          r.end.begin(r.job->commands[r.next], shape.physical_cols(), r.job->overlap,
                      &r.job->answers[r.next]);
          ++r.next;
          ++r.tries;
        }
      }
      if (!r.end.busy()) continue;
      any = true;
      r.pins->in = r.end.drive();
    }
    if (!any) return;
    step();
    for (Running& r : running) {
      if (!r.end.busy()) continue;
      r.end.hear(r.pins->near, r.pins->skip);
      r.pins->in = false;
    }
  }
}

}  // namespace ow::wafer
