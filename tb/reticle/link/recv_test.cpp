// SPDX-License-Identifier: Apache-2.0
// The receiver's count of wrong frames, which asks for a training.
#include <gtest/gtest.h>

#include "Vow_link_recv.h"

namespace {

// The training may take its time: the request stays, however many wrong frames come meanwhile.
TEST(LinkRecv, ARequestForATrainingStaysWhileFramesAreWrong) {
  Vow_link_recv top;
  const auto clock = [&] {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  };
  top.rst_i = 1;
  clock();
  top.rst_i = 0;
  top.active_i = 1;
  top.check_i = 1;
  top.good_i = 0;
  int asked = 0;
  for (int frame = 0; frame < 200; ++frame) {
    clock();
    if (asked != 0) {
      EXPECT_TRUE(top.retrain_o) << "frame " << frame;
    }
    asked += top.retrain_o;
  }
  EXPECT_GT(asked, 180);
}

}  // namespace
