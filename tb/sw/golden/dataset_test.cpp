// SPDX-License-Identifier: Apache-2.0
#include "ow/golden/dataset.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "ow/error.h"

namespace ow::golden {
namespace {

const char kFile[] = OW_SOURCE_DIR "/data/optdigits/digits.csv.gz";

std::string write(const std::string& name, const std::string& contents) {
  const std::string path = testing::TempDir() + "/ow_dataset_" + name;
  std::ofstream(path, std::ios::binary) << contents;
  return path;
}

std::string row(const std::string& first = "0", const std::string& label = "7") {
  std::string text = first;
  for (int i = 1; i < kDigitPixels; ++i) text += ",16";
  return text + "," + label + "\n";
}

// What load_digits says about a bad file.
std::string complaint(const std::string& path, size_t rows) {
  try {
    load_digits(path, rows);
  } catch (const BadInput& e) {
    return e.what();
  }
  return "";
}

TEST(Dataset, ReadsTheDigitsOfTheRepository) {
  const std::vector<Digit> digits = load_digits(kFile, 1797);
  ASSERT_EQ(digits.size(), 1797u);
  EXPECT_EQ(digits[0].label, 0);
  EXPECT_EQ(digits[0].pixels[2], 5);
  size_t held_out = 0;
  for (size_t i = 0; i < digits.size(); ++i) held_out += i % 4 == 3 ? 1 : 0;
  EXPECT_EQ(held_out, 449u);
}

TEST(Dataset, ReadsPlainText) {
  const std::vector<Digit> digits = load_digits(write("plain", row() + row("3", "9")), 2);
  ASSERT_EQ(digits.size(), 2u);
  EXPECT_EQ(digits[1].pixels[0], 3);
  EXPECT_EQ(digits[1].label, 9);
}

TEST(Dataset, NamesFileLineAndLimitOfBadInput) {
  const std::string missing = testing::TempDir() + "/ow_no_such_file";
  std::remove(missing.c_str());
  EXPECT_NE(complaint(missing, 1).find(missing + ": cannot be opened"), std::string::npos);

  std::ifstream file(kFile, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_NE(complaint(write("cut.gz", whole.substr(0, whole.size() / 2)), 1797).find("truncated"),
            std::string::npos);
  std::string damaged = whole;
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x55);
  EXPECT_NE(complaint(write("damaged.gz", damaged), 1797), "");

  EXPECT_NE(complaint(write("short", row()), 2).find("1 rows, not 2: the file is truncated"),
            std::string::npos);
  EXPECT_NE(complaint(write("long", row() + row()), 1).find("more than 1 rows"), std::string::npos);
  const std::string good = row();
  EXPECT_NE(complaint(write("no_end", good.substr(0, good.size() - 1)), 1).find("truncated"),
            std::string::npos);
  EXPECT_NE(complaint(write("columns", row() + "1,2,3\n"), 2).find(":2: 3 columns, not 65"),
            std::string::npos);
  EXPECT_NE(complaint(write("more", good.substr(0, good.size() - 1) + ",1\n"), 1)
                .find(":1: more than 65 columns"),
            std::string::npos);
  EXPECT_NE(complaint(write("pixel", row("17")), 1).find("pixel 17 in column 1 is not in 0..16"),
            std::string::npos);
  EXPECT_NE(complaint(write("label", row("0", "10")), 1).find("label 10 is not in 0..9"),
            std::string::npos);
  EXPECT_NE(complaint(write("text", row("x")), 1).find(":1: column 1 is not a whole number"),
            std::string::npos);
  EXPECT_NE(complaint(write("gap", row("")), 1).find(":1: column 1 is not a whole number"),
            std::string::npos);
}

}  // namespace
}  // namespace ow::golden
