// SPDX-License-Identifier: Apache-2.0
// The netlist of the whole design against its RTL: the same job over the same wire, and the same
// levels at all pins at every edge of both clocks. Built by `make fpga-check`.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "Vow_fpga_netlist.h"
#include "board_job.h"
#include "ow/fpga/sim_board.h"
#include "ow/fpga/verilated_model.h"

namespace ow::fpga {
namespace {

// The pins from an edge of a clock on, until the next of these.
struct Levels {
  uint64_t edge;
  unsigned leds;
  bool rx, tx;
  bool operator==(const Levels& o) const {
    return edge == o.edge && leds == o.leds && rx == o.rx && tx == o.tx;
  }
};

class Recorder : public Model {
 public:
  Recorder(std::unique_ptr<Model> model, std::vector<Levels>* levels)
      : model_(std::move(model)), levels_(*levels) {}

  void eval() override {
    model_->clk_a = clk_a;
    model_->clk_b = clk_b;
    model_->rst = rst;
    model_->uart_rx = uart_rx;
    model_->eval();
    uart_tx = model_->uart_tx;
    leds = model_->leds;
    ++edge_;
    const Levels now{edge_, leds, uart_rx, uart_tx};
    if (!levels_.empty()) {
      Levels same = levels_.back();
      same.edge = edge_;
      if (now == same) return;
    }
    levels_.push_back(now);
  }

 private:
  std::unique_ptr<Model> model_;
  std::vector<Levels>& levels_;
  uint64_t edge_ = 0;
};

TEST(FpgaNetlist, HasTheLevelsOfTheRtlAtEveryEdge) {
  constexpr GridShape kGrid{OW_NETLIST_ROWS, OW_NETLIST_COLS};
  std::vector<Levels> rtl, netlist;
  const auto run = [&](std::unique_ptr<Model> model, std::vector<Levels>* levels) {
    auto recorder = std::make_unique<Recorder>(std::move(model), levels);
    return digits_on_board(kGrid, 2,
                           [&] { return std::make_unique<SimBoard>(std::move(recorder)); });
  };
  const jobs::RunReport one = run(make_model(kGrid), &rtl);
  const jobs::RunReport other = run(std::make_unique<VerilatedModel<Vow_fpga_netlist>>(), &netlist);
  EXPECT_GT(one.compared(), 0u);
  EXPECT_EQ(one.mismatches(), 0u);
  EXPECT_EQ(other.mismatches(), 0u);
  size_t different = std::max(rtl.size(), netlist.size()) - std::min(rtl.size(), netlist.size());
  for (size_t i = 0; i < std::min(rtl.size(), netlist.size()); ++i) {
    different += rtl[i] == netlist[i] ? 0 : 1;
  }
  const auto differ = std::mismatch(rtl.begin(), rtl.end(), netlist.begin(), netlist.end());
  EXPECT_TRUE(differ.first == rtl.end() && differ.second == netlist.end())
      << "the first difference is at edge "
      << (differ.first == rtl.end() ? netlist.back().edge : differ.first->edge);
  fmt::print("{} changes of level at the pins in {} steps of the clocks, {} differ\n", rtl.size(),
             rtl.back().edge, different);
}

}  // namespace
}  // namespace ow::fpga
