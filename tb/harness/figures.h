// SPDX-License-Identifier: Apache-2.0
// Figures of tests, for rows of `ow bench` (scripts/test-report).
#ifndef OW_TB_FIGURES_H_
#define OW_TB_FIGURES_H_

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

namespace ow {

// A property of the test that runs and, where OW_FIGURES names a file, a line "NAME VALUE" at its
// end, by one write: tests that run side by side share it.
inline void record_figure(const std::string& name, double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  testing::Test::RecordProperty(name, text);
  const char* path = std::getenv("OW_FIGURES");
  if (path == nullptr) return;
  std::ofstream file(path, std::ios::app);
  file << name + " " + text + "\n" << std::flush;
  EXPECT_TRUE(file) << path;
}

}  // namespace ow

#endif  // OW_TB_FIGURES_H_
