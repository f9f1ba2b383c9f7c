// SPDX-License-Identifier: Apache-2.0
// A grid of one tile whose retired instructions can be watched (the tile's retire port).
#ifndef OW_SINGLE_TILE_H_
#define OW_SINGLE_TILE_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "ow/base/retire.h"
#include "ow/device/device.h"

namespace ow {

constexpr uint32_t kTileSramBytes = isa::kFull.sram_bytes;
constexpr uint32_t kBigTileSramBytes = 2048u << 10;

// Called for every retired instruction; `cycle` is the one in which it was executed.
using RetireObserver = std::function<void(const Retire& retire, uint64_t cycle)>;

class ObservedTile {
 public:
  virtual ~ObservedTile() = default;
  virtual Device& device() = 0;
  virtual void observe(RetireObserver observer) = 0;
  virtual uint32_t sram_bytes() const = 0;
};

// `big`: the configuration with 2,048 kB of SRAM instead of 48; everything else is the same.
// BadInput if this program has none (has_big_tile()).
std::unique_ptr<ObservedTile> make_observed_tile(bool big);

// Whether this program links ow_big_tile.
bool has_big_tile();

}  // namespace ow

#endif  // OW_SINGLE_TILE_H_
