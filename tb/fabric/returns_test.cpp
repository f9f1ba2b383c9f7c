// SPDX-License-Identifier: Apache-2.0
// ow_ctl_returns: which of the control plane's credits goes back in which cycle.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include "Vow_ctl_returns.h"
#include "verilated.h"

namespace {

constexpr int kLinks = 4;

// One link of the unit; nothing happens on the others.
class Returns {
 public:
  explicit Returns(int link) : link_(link) {
    unit_->rst_i = 1;
    cycle(0, 0, false);
    unit_->rst_i = 0;
  }

  // One cycle: a slot of a request is freed, a slot of a response, and data credits wait. Returns
  // the credit that goes back: 'q', 's', or '-' for data; '.' if none is due.
  char cycle(bool request, bool response, bool wait) {
    unit_->freed_i =
        static_cast<uint8_t>((request ? 1 << link_ : 0) | (response ? 16 << link_ : 0));
    unit_->waits_i = static_cast<uint8_t>(wait ? 1 << link_ : 0);
    unit_->clk_i = 0;
    unit_->eval();
    const bool goes = unit_->return_o == 1 << link_, is_response = unit_->response_o != 0;
    EXPECT_EQ(unit_->return_o != 0, goes) << "on another link";
    EXPECT_TRUE(unit_->due_o || !goes);
    const char said = goes ? (is_response ? 's' : 'q') : unit_->due_o ? '-' : '.';
    unit_->clk_i = 1;
    unit_->eval();
    return said;
  }
  bool owed() const { return unit_->owed_o != 0; }

 private:
  int link_;
  std::unique_ptr<VerilatedContext> context_ = std::make_unique<VerilatedContext>();
  std::unique_ptr<Vow_ctl_returns> unit_ = std::make_unique<Vow_ctl_returns>(context_.get());
};

TEST(ControlReturns, GoAtOnceAndTakeTurnsRequestsFirst) {
  for (int link = 0; link < kLinks; ++link) {
    Returns unit(link);
    std::string said;
    for (int i = 0; i < 2; ++i) said += unit.cycle(true, true, false);
    EXPECT_TRUE(unit.owed());
    for (int i = 0; i < 3; ++i) said += unit.cycle(false, false, false);
    EXPECT_EQ(said, "qsqs.");
    EXPECT_FALSE(unit.owed());
    // A single credit goes back in its cycle. If two wait, the other network's then goes first.
    said = unit.cycle(true, false, false);
    said += unit.cycle(true, true, false);
    said += unit.cycle(false, true, false);
    said += unit.cycle(false, false, false);
    said += unit.cycle(false, false, false);
    EXPECT_EQ(said, "qsqs.");
  }
}

TEST(ControlReturns, LeaveDataOneOfFourSlotsThatTheyWaitFor) {
  for (int link = 0; link < kLinks; ++link) {
    Returns unit(link);
    std::string said;
    // A slot is freed in each cycle in which one has gone back.
    char last = 'q';
    for (int i = 0; i < 12; ++i) said += last = unit.cycle(last != '-', false, true);
    EXPECT_EQ(said, "qqq-qqq-qqq-");
  }
}

}  // namespace
