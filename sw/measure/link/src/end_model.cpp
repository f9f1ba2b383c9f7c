// SPDX-License-Identifier: Apache-2.0
#include "ow/measure/link/end_model.h"

#include "Vow_link_end.h"
#include "Vow_link_end_mini.h"
#include "verilated.h"

namespace ow::link {
namespace {

template <class Verilated>
class Built : public EndModel {
 public:
  explicit Built(VerilatedContext* context) : top_(context) {}
  ~Built() override { top_.final(); }

  void eval(bool clock) override {
    top_.clk_i = clock;
    top_.rst_i = in.reset;
    top_.enable_i = in.enable;
    top_.retrain_i = in.retrain;
    top_.cycle_i = in.cycle & 15;
    top_.tile_i = in.tile;
    top_.lane_a_i = in.lanes.group[0];
    top_.lane_b_i = in.lanes.group[1];
    top_.stat_re_i = in.status;
    top_.stat_addr_i = in.word;
    top_.eval();
    // What it has just heard is in the first stage of its synchroniser, which idle_o leaves out.
    if (clock) heard_ = (in.lanes.group[0] | in.lanes.group[1]) != 0;
    out.tile = top_.tile_o;
    out.lanes = {{top_.lane_a_o, top_.lane_b_o}};
    for (size_t i = 0; i < out.taps.size(); ++i) out.taps[i] = top_.tap_o[i];
    out.up = top_.up_o != 0;
    out.idle = top_.idle_o != 0 && !heard_;
    out.status = top_.stat_o;
  }

 private:
  Verilated top_;
  bool heard_ = false;  // something at the last edge
};

}  // namespace

std::unique_ptr<EndModel> EndModel::make(VerilatedContext* context, const Shape& shape) {
  if (shape.mini) return std::make_unique<Built<Vow_link_end_mini>>(context);
  return std::make_unique<Built<Vow_link_end>>(context);
}

}  // namespace ow::link
