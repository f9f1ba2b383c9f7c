// SPDX-License-Identifier: Apache-2.0
// The golden model of a language model, in the place of a ring of regions.
#ifndef OW_CHECK_GOLDEN_RING_H_
#define OW_CHECK_GOLDEN_RING_H_

#include <deque>
#include <vector>

#include "ow/golden/decode.h"
#include "ow/serve/ring_slots.h"
#include "ow/serve/token_ring.h"

namespace ow::golden {

// Computes a packet when it is asked for. Has no cycles.
class GoldenRing : public serve::TokenRing {
 public:
  // Of regions of rows x columns tiles; BadInput as Decoder. Memory for `slots` whole contexts.
  GoldenRing(const LanguageModel& model, int rows, int columns, int slots);

  const serve::RingShape& shape() const override { return shape_; }
  bool open(int slot, int positions) override;
  void close(int slot) override;
  void send(const serve::Packet& packet) override;
  serve::Pass receive() override;

 private:
  Decoder decoder_;
  serve::RingShape shape_;
  serve::RingSlots rules_;
  std::vector<DecodeCache> caches_;    // of each slot
  std::deque<serve::Packet> packets_;  // inside, in ring order
};

}  // namespace ow::golden

#endif  // OW_CHECK_GOLDEN_RING_H_
