// SPDX-License-Identifier: Apache-2.0
// A grid of tiles (ow/device/device.h) under the kit. What a tile computes is called by programs
// that this writes into tile (0, 0).
#ifndef OW_CONFORM_GRID_DEVICE_H_
#define OW_CONFORM_GRID_DEVICE_H_

#include <functional>
#include <memory>

#include "ow/conform/door.h"
#include "ow/device/control_plane.h"

namespace ow::conform {

class GridDevice : public Device {
 public:
  // `make` gives a new grid after its reset. BadInput if there is none of that shape.
  using Make = std::function<std::unique_ptr<ow::Device>(GridShape)>;
  explicit GridDevice(Make make) : make_(std::move(make)) {}

 protected:
  void reset(GridShape shape) override;
  void write(int row, int col, uint32_t address, const std::vector<uint32_t>& words) override;
  std::vector<uint32_t> read(int row, int col, uint32_t address, size_t count) override;
  void send(Side side, int index, int colour, const std::vector<Word>& words) override;
  std::vector<Word> take(Side side, int index, int colour) override;
  void hold(Side side, int index, int colour, bool held) override;
  uint64_t run(uint64_t cycles) override;
  std::vector<uint32_t> call(const Call& call) override;
  // A new grid.
  std::unique_ptr<ow::Device> make_grid(GridShape shape) const { return make_(shape); }

 private:
  ow::Device& grid();
  void run_program(const std::vector<uint32_t>& program);

  Make make_;
  std::unique_ptr<ow::Device> grid_;
  std::unique_ptr<ControlPlane> plane_;
  bool for_calls_ = false;  // the grid was made for calls
};

}  // namespace ow::conform

#endif  // OW_CONFORM_GRID_DEVICE_H_
