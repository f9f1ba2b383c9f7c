// SPDX-License-Identifier: Apache-2.0
// The UART against an adapter whose clock is fast or slow, bytes back to back both ways.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "Vow_uart.h"
#include "ow/base/rng.h"
#include "ow/fpga/adapter.h"
#include "verilated.h"

namespace ow::fpga {
namespace {

// As the model is built: 16 2/3 cycles a bit.
constexpr double kBitsACycle = 3e6 / 50e6;

class UartTest : public testing::TestWithParam<int> {};

TEST_P(UartTest, PassesBytesBothWays) {
  const double step = kBitsACycle * (1 + GetParam() * 1e-3);
  VerilatedContext context;
  Vow_uart uart(&context, "uart");
  Transmitter transmitter(step);
  Receiver receiver(step);
  Rng rng(static_cast<uint64_t>(GetParam() + 100));
  std::vector<uint8_t> down, down_seen, up, up_seen;
  constexpr size_t kBytes = 2000;
  uart.rst_i = 1;
  uart.rx_i = 1;
  for (uint64_t cycle = 0; cycle < 200 * kBytes + 1000; ++cycle) {
    if (cycle == 4) uart.rst_i = 0;
    if (cycle > 10 && transmitter.idle() && down.size() < kBytes) {
      down.push_back(static_cast<uint8_t>(rng.below(256)));
      transmitter.send(down.back());
    }
    uart.rx_i = transmitter.clock();
    uart.tx_valid_i = cycle > 10 && up.size() < kBytes;
    uart.tx_data_i = static_cast<uint8_t>(up.size() * 37 + 5);
    uart.clk_i = 0;
    uart.eval();
    if (uart.tx_valid_i != 0 && uart.tx_ready_o != 0) up.push_back(uart.tx_data_i);
    if (uart.rx_valid_o != 0) down_seen.push_back(uart.rx_data_o);
    uint8_t byte = 0;
    if (cycle > 8 && receiver.clock(uart.tx_o != 0, &byte)) up_seen.push_back(byte);
    uart.clk_i = 1;
    uart.eval();
  }
  uart.final();
  EXPECT_EQ(down.size(), kBytes);
  EXPECT_EQ(down_seen, down);
  EXPECT_EQ(up.size(), kBytes);
  EXPECT_EQ(up_seen, up);
}

// Thousandths by which the adapter's clock is fast. The sampling point may be off by half a bit at
// the end of ten, less a cycle at either end.
INSTANTIATE_TEST_SUITE_P(Clocks, UartTest, testing::Values(-25, -10, 0, 1, 10, 25),
                         [](const auto& info) {
                           return fmt::format("{}{}", info.param < 0 ? "Slow" : "Fast",
                                              std::abs(info.param));
                         });

}  // namespace
}  // namespace ow::fpga
