// SPDX-License-Identifier: Apache-2.0
#include "ow/base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "ow/base/error.h"
#include "ow/base/rng.h"

namespace ow {
namespace {

std::string temporary(const std::string& name) {
  return testing::TempDir() + std::to_string(getpid()) + "_" + name;
}

std::string packed(const std::string& text) {
  const std::string path = temporary("packed.gz");
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return read_text(path);
}

std::string complaint(const std::string& contents, size_t limit = 1000000) {
  const std::string path = temporary("bad");
  write_file(path, contents);
  try {
    read_bytes(path, limit);
  } catch (const BadInput& e) {
    EXPECT_EQ(std::string(e.what()).find(path), 0u) << e.what();
    return e.what();
  }
  return "";
}

TEST(File, UnpacksWhatIsPackedAndLeavesTheRest) {
  Rng rng(1);
  std::string text;
  for (int k = 0; k < 300000; ++k) text += static_cast<char>(rng.below(20));
  const std::string path = temporary("bytes");
  for (const std::string& contents : {std::string(), std::string("\x1f"), text}) {
    write_file(path, contents);
    EXPECT_EQ(read_bytes(path, 1000000), contents);
    write_file(path, packed(contents));
    EXPECT_EQ(read_bytes(path, 1000000), contents);
  }
  write_file(path, packed("one, ") + packed("two"));  // members may follow one another
  EXPECT_EQ(read_bytes(path, 100), "one, two");
}

TEST(File, RefusesDamagedCutAndLongFiles) {
  const std::string good = packed(std::string(10000, 'x') + "end");
  EXPECT_NE(complaint(good.substr(0, good.size() - 3)).find("truncated"), std::string::npos);
  EXPECT_NE(complaint(good.substr(0, 4)).find("truncated"), std::string::npos);
  std::string damaged = good;
  damaged[damaged.size() - 6] ^= 1;  // the check sum
  EXPECT_NE(complaint(damaged).find("damaged"), std::string::npos);
  EXPECT_NE(complaint(good + "garbage").find("7 bytes behind the end"), std::string::npos);
  EXPECT_NE(complaint(good, 5000).find("more than 5000 bytes, the limit"), std::string::npos);
  EXPECT_NE(complaint(std::string(6000, 'y'), 5000).find("the limit"), std::string::npos);
}

TEST(File, SaysWhyAFileCannotBeReadOrWritten) {
  EXPECT_THROW(read_text(temporary("nowhere")), BadInput);
  EXPECT_THROW(read_text(testing::TempDir()), BadInput);
  EXPECT_THROW(write_file("/nonexistent/file", "x"), BadInput);
  EXPECT_THROW(check_writable("/nonexistent/file"), BadInput);
  EXPECT_NO_THROW(check_writable(""));
  EXPECT_NO_THROW(write_file("/dev/null", "x"));
}

TEST(File, IsReplacedAsAWhole) {
  const std::string path = temporary("whole");
  write_file(path, "old");
  std::ifstream reader(path);
  write_file(path, "new");
  std::string text;
  reader >> text;
  EXPECT_EQ(text, "old");
  EXPECT_EQ(read_text(path), "new");
}

TEST(File, ComesPieceByPieceAndHasItsNameWhenItIsWhole) {
  const std::string path = temporary("pieces");
  std::remove(path.c_str());
  Rng rng(2);
  std::string text;
  for (const FileWriter::Packing packing : {FileWriter::Packing::None, FileWriter::Packing::Gzip}) {
    for (const size_t pieces : {0, 1, 3000}) {
      text.clear();
      FileWriter file(path, packing);
      for (size_t k = 0; k < pieces; ++k) {
        std::string piece(rng.below(400), ' ');
        for (char& c : piece) c = static_cast<char>(rng.below(200));
        text += piece;
        file.append(piece.data(), piece.size());
      }
      EXPECT_FALSE(std::filesystem::exists(path));
      file.close();
      EXPECT_EQ(read_bytes(path, 1000000), text);
      EXPECT_EQ(read_text(path) == text, packing == FileWriter::Packing::None);
      std::remove(path.c_str());
    }
    { FileWriter(path, packing).append("x", 1); }
    const std::string name = std::filesystem::path(path).filename();
    for (const auto& entry : std::filesystem::directory_iterator(testing::TempDir())) {
      EXPECT_NE(entry.path().filename().string().find(name), 0u) << "nothing is left of it";
    }
  }
}

TEST(File, SaysWhenItIsClosedThatItCouldNotBeWritten) {
  EXPECT_THROW(FileWriter("/nonexistent/file"), BadInput);
  for (const FileWriter::Packing packing : {FileWriter::Packing::None, FileWriter::Packing::Gzip}) {
    FileWriter file("/dev/full", packing);
    file.append("x", 1);
    try {
      file.close();
      FAIL();
    } catch (const BadInput& e) {
      EXPECT_STREQ(e.what(), "/dev/full: cannot be written: No space left on device");
    }
  }
}

TEST(File, PathsInAFileAreTakenFromItsPlace) {
  EXPECT_EQ(beside("a/b.yaml", "c.csv"), "a/c.csv");
  EXPECT_EQ(beside("b.yaml", "c.csv"), "c.csv");
  EXPECT_EQ(beside("a/b.yaml", "/c.csv"), "/c.csv");
  // A pipe, or what a shell hands over, has no place.
  const std::string pipe = temporary("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(beside(pipe, "c.csv"), "c.csv");
  EXPECT_EQ(beside("/dev/stdin", "c.csv"), "c.csv");
  EXPECT_EQ(beside("/dev/fd/63", "c.csv"), "c.csv");
  std::filesystem::remove(pipe);
}

}  // namespace
}  // namespace ow
