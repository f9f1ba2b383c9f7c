// SPDX-License-Identifier: Apache-2.0
// A language model on regions of tiles of one or several wafers, as a ring for the engine.
#ifndef OW_SERVE_GRID_RING_H_
#define OW_SERVE_GRID_RING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ow/compile/language_grid.h"
#include "ow/serve/ring_slots.h"
#include "ow/serve/token_ring.h"

namespace ow::serve {

// Belongs to the thread of its machines.
class GridRing : public TokenRing {
 public:
  // Loads the model; BadInput as LanguageGrid. `firmware`: the directory of the programs.
  GridRing(const std::vector<Runtime>& wafers, const LanguageModel& model,
           const jobs::LanguageOptions& options, const std::string& firmware);

  const RingShape& shape() const override { return shape_; }
  const jobs::LanguagePlan& plan() const { return grid_.plan(); }
  bool open(int slot, int positions) override;
  void close(int slot) override;
  void send(const Packet& packet) override;
  Pass receive() override;

 private:
  jobs::LanguageGrid grid_;
  RingShape shape_;
  RingSlots rules_;
  std::vector<std::vector<uint16_t>> pages_;  // of each slot
  std::vector<uint16_t> free_;
  bool short_free_ = true;  // the page after the others; none has 0 places
};

}  // namespace ow::serve

#endif  // OW_SERVE_GRID_RING_H_
