// SPDX-License-Identifier: Apache-2.0
// The checker of the order between the write buffer and the gather port (ow_order_check): it
// reports a gather that gets at the last line of a complete instruction before its write, and
// nothing else.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include "Vow_order.h"
#include "openwafer/error.h"
#include "verilated.h"

namespace {

constexpr int kBanks = 8, kLine = 16;  // bytes

// A line of 16 bytes at any multiple of 2 bytes, and the gather port at one word of the memory.
class Order : public testing::Test {
 protected:
  Order() { restart(); }

  void restart() {
    m_ = std::make_unique<Vow_order>(&context_);
    m_->rst_i = 1;
    EXPECT_EQ(clock(), "");
    m_->rst_i = 0;
  }

  // One cycle: what the checker says.
  std::string clock() {
    try {
      for (const int level : {0, 1}) {
        m_->clk_i = level;
        m_->eval();
      }
    } catch (const ow::DeviceFault& e) {
      return e.what();
    }
    return "";
  }

  // An instruction completes; its last line, with these bytes, asks for the memory from now on.
  void complete(uint32_t addr, uint32_t bytes) {
    m_->end_mem_i = 1;
    m_->head_i = 0;
    m_->wr_req_i = 0;
    gather(0, false);
    EXPECT_EQ(clock(), "");
    m_->end_mem_i = 0;
    m_->head_i = 1;
    m_->wr_req_i = 1;
    m_->wr_gnt_i = 0;
    m_->wr_addr_i = addr;
    m_->wr_be_i = bytes;
  }

  void gather(uint32_t addr, bool gets) {
    const uint32_t word = addr / 8, bank = word % kBanks;
    m_->gth_req_i = 1u << bank;
    m_->gth_gnt_i = gets ? 1u << bank : 0;
    for (int b = 0; b < kBanks; ++b) set_row(b, 0x1FFFF);  // the others ask for nothing
    set_row(static_cast<int>(bank), word / kBanks);
  }

  static bool reported(const std::string& said) {
    return said.find("before its write") != std::string::npos;
  }

  VerilatedContext context_;
  std::unique_ptr<Vow_order> m_;

 private:
  static constexpr int kRowBits = 17;
  void set_row(int bank, uint32_t row) {
    for (int i = 0; i < kRowBits; ++i) {
      const int at = kRowBits * bank + i;
      uint32_t& word = m_->gth_row_i[at / 32];
      word = (word & ~(1u << at % 32)) | (row >> i & 1) << at % 32;
    }
  }
};

TEST_F(Order, AGatherThatOvertakesTheLastLineOfACompleteInstructionIsReported) {
  for (uint32_t addr = 1024; addr < 1024 + 64; addr += 8) {
    for (uint32_t at = addr - 16; at < addr + 32; at += 8) {
      restart();  // after a report a model is in the middle of an edge
      complete(addr, 0xFFFF);
      gather(at, true);
      EXPECT_EQ(reported(clock()), at >= addr && at < addr + kLine) << addr << " " << at;
    }
  }
}

TEST_F(Order, AGatherOfOtherWordsOrLaterOrWithoutAGrantIsNotReported) {
  complete(1024, 0x00FF);  // only its first word is written
  gather(1032, true);
  EXPECT_EQ(clock(), "");
  gather(1024 + 64, true);  // the same bank
  EXPECT_EQ(clock(), "");
  gather(1024, false);  // asks, and gets nothing
  EXPECT_EQ(clock(), "");
  m_->wr_gnt_i = 1;  // written
  gather(1032, true);
  EXPECT_EQ(clock(), "");
  m_->wr_gnt_i = 0;  // what comes then is of an instruction that is not complete
  gather(1024, true);
  EXPECT_EQ(clock(), "");
}

// It stays until the line is written, however long that takes.
TEST_F(Order, ALineThatWaitsIsWatchedUntilItIsWritten) {
  complete(2048, 0xFFFF);
  for (int i = 0; i < 20; ++i) {
    gather(4096, true);
    EXPECT_EQ(clock(), "") << i;
  }
  gather(2056, true);
  EXPECT_TRUE(reported(clock()));
}

}  // namespace
