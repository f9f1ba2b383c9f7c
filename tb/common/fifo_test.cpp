// SPDX-License-Identifier: Apache-2.0
// ow_fifo against std::deque under random pushes and pops.

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <random>
#include <string>

#include "../harness/seed.h"
#include "Vow_fifo.h"
#include "verilated.h"

TEST(Fifo, KeepsOrderAndReportsItsLevel) {
  auto ctx = std::make_unique<VerilatedContext>();
  auto m = std::make_unique<Vow_fifo>(ctx.get());
  auto clock = [&] {
    m->clk_i = 0;
    m->eval();
    m->clk_i = 1;
    m->eval();
  };
  m->rst_i = 1;
  clock();
  m->rst_i = 0;
  const auto seed = static_cast<uint32_t>(ow::test_seed(1));
  SCOPED_TRACE("OW_SEED=" + std::to_string(seed));
  std::mt19937 rng(seed);
  std::deque<uint32_t> model;
  int full = 0, empty = 0;
  for (int i = 0; i < 20000; ++i) {
    m->push_i = m->pop_i = 0;
    m->eval();
    ASSERT_EQ(m->empty_o, model.empty());
    ASSERT_EQ(m->full_o, model.size() == 5u);
    ASSERT_EQ(m->level_o, model.size());
    if (!model.empty()) {
      ASSERT_EQ(m->data_o, model.front());
    }
    full += m->full_o;
    empty += m->empty_o;
    int bias = i / 500 % 3;  // fill, drain, even
    m->push_i = !m->full_o && int(rng() % 4) > bias;
    m->pop_i = !m->empty_o && int(rng() % 4) > 2 - bias;
    m->data_i = rng();
    m->eval();
    if (m->pop_i) model.pop_front();
    if (m->push_i) model.push_back(m->data_i);
    clock();
  }
  EXPECT_GT(full, 100);
  EXPECT_GT(empty, 100);
}
