// SPDX-License-Identifier: Apache-2.0
// The device of one Verilated tile. `Tile` is the class that Verilator generated.
#ifndef OW_SIM_SRC_TILE_DEVICE_H_
#define OW_SIM_SRC_TILE_DEVICE_H_

#include <string>
#include <utility>

#include "model.h"
#include "ow/sim/sim_device.h"
#include "ow/sim/single_tile.h"

namespace ow {

template <typename Tile>
class TileDevice : public SimDevice, public ObservedTile {
 public:
  TileDevice(uint32_t sram_bytes, std::string name)
      : SimDevice(GridShape{1, 1}),
        sram_bytes_(sram_bytes),
        name_(std::move(name)),
        model_(&context_, "tile") {
    sim::start_tile(&model_);
  }

  Device& device() override { return *this; }
  void observe(RetireObserver observer) override { observer_ = std::move(observer); }
  uint32_t sram_bytes() const override { return sram_bytes_; }
  std::string description() const override { return name_; }
  uint64_t evaluations() const override { return evaluations_; }

 protected:
  void clock_grid(uint64_t cycle, const uint64_t* in, uint64_t* out) override {
    if (model_->idle_o && (in[0] | in[1] | in[2] | in[3]) == 0) {
      // Nothing changes; what the tile sent in the last cycle has been taken.
      for (int p = 0; p < 4; ++p) out[p] = 0;
      return;
    }
    model_->link_n_i = in[0];
    model_->link_e_i = in[1];
    model_->link_s_i = in[2];
    model_->link_w_i = in[3];
    model_->cycle_i = cycle;
    model_.clock_both_edges();
    ++evaluations_;
    out[0] = model_->link_n_o;
    out[1] = model_->link_e_o;
    out[2] = model_->link_s_o;
    out[3] = model_->link_w_o;
    // The port shows what has left memory access, the stage after execution, in the cycle that
    // ended with this clock edge. The registers in the model are those of the cycle before.
    if (observer_ && (bits(168, 1) != 0)) observer_(retired(), cycle - 2);
  }
  bool grid_quiet() const override { return model_->idle_o; }

 private:
  // Field of the retire port (retire_t in ow_pkg.sv), `low` counted from its
  // last bit.
  uint32_t bits(unsigned low, unsigned width) const {
    const uint64_t word = low / 32 + 1 < 6 ? model_->retire_o[low / 32 + 1] : 0;
    const uint64_t both = word << 32 | model_->retire_o[low / 32];
    return static_cast<uint32_t>(both >> (low % 32) & ((uint64_t{1} << width) - 1));
  }
  Retire retired() const {
    Retire r;
    r.mem_wdata = bits(0, 32);
    r.mem_addr = bits(32, 32);
    r.mem_we = bits(64, 1) != 0;
    r.rd_data = bits(65, 32);
    r.rd = bits(97, 5);
    r.rd_we = bits(102, 1) != 0;
    r.insn = bits(103, 32);
    r.pc = bits(135, 32);
    r.trap = bits(167, 1) != 0;
    return r;
  }

  uint32_t sram_bytes_;
  std::string name_;
  sim::Context context_;
  sim::Model<Tile> model_;
  RetireObserver observer_;
  uint64_t evaluations_ = 0;
};

}  // namespace ow

#endif  // OW_SIM_SRC_TILE_DEVICE_H_
