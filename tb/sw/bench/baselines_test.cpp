// SPDX-License-Identifier: Apache-2.0
#include "ow/bench/baselines.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace ow::bench {
namespace {

TEST(TileBaselines, AreReadBackAsWritten) {
  const Baselines baselines = {{"axpy f16, worst alignment", 1050}, {"dot i8", 1070}};
  const std::string path = ::testing::TempDir() + "baselines.yaml";
  write_baselines(path, "tile", baselines);
  EXPECT_EQ(load_baselines(path, "tile"), baselines);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace ow::bench
