// SPDX-License-Identifier: Apache-2.0
#include "ow/check/golden_ring.h"

#include "ow/base/error.h"
#include "ow/golden/sampling.h"

namespace ow::golden {
GoldenRing::GoldenRing(const LanguageModel& model, int rows, int columns, int slots)
    : decoder_(model, rows, columns),
      // A region for each block, and the head's.
      shape_{slots, model.shape.positions, model.shape.vocabulary, model.shape.layers + 1 + 2},
      rules_("golden ring", shape_),
      caches_(static_cast<size_t>(slots)) {}

bool GoldenRing::open(int slot, int positions) {
  rules_.open(slot, positions);
  caches_[static_cast<size_t>(slot)] = {};
  return true;
}

void GoldenRing::close(int slot) {
  rules_.close(slot);
  caches_[static_cast<size_t>(slot)] = {};
}

void GoldenRing::send(const serve::Packet& packet) {
  rules_.send(packet);
  packets_.push_back(packet);
}

serve::Pass GoldenRing::receive() {
  if (packets_.empty()) throw InternalError("golden ring: nothing is inside");
  serve::Packet packet = packets_.front();
  packets_.pop_front();
  DecodeCache& cache = caches_[static_cast<size_t>(packet.slot)];
  if (packet.position < cache.positions()) cache.truncate(packet.position);
  serve::Pass pass;
  pass.slot = packet.slot;
  pass.position = packet.position;
  if (packet.head == serve::HeadTask::None) {
    decoder_.extend(&cache, packet.token);
  } else {
    pass.logits = decoder_.step(&cache, packet.token);
  }
  const bool finds = packet.head != serve::HeadTask::None;
  const bool goes_on = finds && packet.position < packet.until;
  rules_.receive(packet.slot, packet.position, goes_on);
  if (finds) {
    pass.token = greedy_token(pass.logits);
    if (packet.head == serve::HeadTask::Token) pass.logits.clear();
  }
  if (goes_on) {
    // Out of the head it goes straight back into the first region, behind what is inside.
    ++packet.position;
    packet.token = pass.token;
    packets_.push_back(packet);
  }
  return pass;
}

}  // namespace ow::golden
