// SPDX-License-Identifier: Apache-2.0
// Who may start the memory self-test, and when; what registers hold after a reset.
#include <gtest/gtest.h>

#include "Vow_regs.h"
#include "ow/isa/isa.h"

namespace {

namespace reg = ow::isa::reg;
using Mbist = reg::Mbist;

class Regs {
 public:
  Regs() { reset(); }

  void reset() {
    top_.rst_i = 1;
    clock();
    top_.rst_i = 0;
    clock();
    clock();
  }
  Vow_regs& top() { return top_; }

  // The host writes a start; whether the self-test starts.
  bool start() {
    const bool started = access(Mbist::kAddress, true, Mbist::Start::put(1));
    for (int k = 0; k < 4; k++) clock();
    return started;
  }

  void write(uint32_t address, uint32_t value) { access(address, true, value); }
  uint32_t read(uint32_t address) {
    access(address, false, 0);
    return top_.rdata_o;
  }

 private:
  // An access of the host, to the cycle after its grant; whether the self-test starts.
  bool access(uint32_t address, bool write, uint32_t value) {
    top_.ctl_req_i = 1;
    top_.ctl_we_i = write;
    top_.ctl_addr_i = address & 0xFFFF;
    top_.ctl_wdata_i = value;
    bool started = false;
    for (bool granted = false; !granted;) {
      top_.clk_i = 0;
      top_.eval();
      granted = top_.ctl_gnt_o != 0;
      started |= top_.mbist_start_o != 0;
      clock();
    }
    top_.ctl_req_i = 0;
    return started;
  }

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

TEST(TileRegs, AResetClearsThem) {
  struct Register {
    const char* name;
    uint32_t address, after;
    bool set;  // before the reset
  };
  const Register registers[] = {
      {"CORE_CTRL", reg::CoreCtrl::kAddress, reg::CoreCtrl::kReset, true},
      {"ERROR", reg::Error::kAddress, reg::Error::kReset, true},
      {"ERROR_ADDR", reg::ErrorAddr::kAddress, reg::ErrorAddr::kReset, false},
      {"ERROR_PC", reg::ErrorPc::kAddress, reg::ErrorPc::kReset, false},
      {"STACK_LIMIT", reg::StackLimit::kAddress, reg::StackLimit::kReset, true},
      {"TEXT_LIMIT", reg::TextLimit::kAddress, reg::TextLimit::kReset, true},
      {"ROW", reg::Row::kAddress, reg::Row::kReset, true},
      {"COL", reg::Col::kAddress, reg::Col::kReset, true},
      {"COUNTER_HIGH", reg::CounterHigh::kAddress, 0, false},  // nothing is latched
  };
  Regs regs;
  for (const Register& r : registers) {
    if (r.set) regs.write(r.address, reg::CoreCtrl::Run::put(1));
  }
  regs.top().unit_busy_i = 1;
  regs.start();  // an error of the tile
  regs.top().unit_busy_i = 0;
  for (const Register& r : registers) {
    if (r.set) {
      EXPECT_NE(regs.read(r.address), r.after) << r.name << " before the reset";
    }
  }
  regs.reset();
  for (const Register& r : registers) EXPECT_EQ(regs.read(r.address), r.after) << r.name;
}

}  // namespace
