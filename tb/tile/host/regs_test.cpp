// SPDX-License-Identifier: Apache-2.0
// Who may start the memory self-test, and when.
#include <gtest/gtest.h>

#include "Vow_regs.h"
#include "ow/isa/isa.h"

namespace {

using Mbist = ow::isa::reg::Mbist;

class Regs {
 public:
  Regs() {
    top_.rst_i = 1;
    clock();
    top_.rst_i = 0;
    clock();
    clock();
  }
  Vow_regs& top() { return top_; }

  // The host writes a start; whether the self-test starts.
  bool start() {
    top_.ctl_req_i = 1;
    top_.ctl_we_i = 1;
    top_.ctl_addr_i = Mbist::kAddress & 0xFFFF;
    top_.ctl_wdata_i = Mbist::Start::put(1);
    bool started = false;
    for (bool granted = false; !granted;) {
      top_.clk_i = 0;
      top_.eval();
      granted = top_.ctl_gnt_o != 0;
      started |= top_.mbist_start_o != 0;
      clock();
    }
    top_.ctl_req_i = 0;
    for (int k = 0; k < 4; k++) clock();
    return started;
  }

 private:
  void clock() {
    top_.clk_i = 0;
    top_.eval();
    top_.clk_i = 1;
    top_.eval();
  }
  Vow_regs top_;
};

TEST(TileRegs, TheSelfTestDoesNotStartWhileAUnitRuns) {
  Regs rest;
  EXPECT_TRUE(rest.start());
  EXPECT_FALSE(rest.top().halt_o);
  Regs busy;
  busy.top().unit_busy_i = 1;
  EXPECT_FALSE(busy.start());
  EXPECT_TRUE(busy.top().halt_o) << "an error of the tile";
}

}  // namespace
