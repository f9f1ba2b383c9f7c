// SPDX-License-Identifier: Apache-2.0
#include "ow/base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "messages.h"
#include "ow/base/durable_file.h"
#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "temporary_file.h"

namespace ow {
namespace {

std::string packed(const std::string& text) {
  const std::string path = temporary_path("packed.gz");
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return read_text(path);
}

std::string complaint(const std::string& contents, size_t limit = 1000000) {
  const std::string path = temporary_file("bad", contents);
  const std::string text = refusal_of([&] { read_bytes(path, limit); });
  EXPECT_TRUE(text.empty() || text.find(path) == 0) << text;
  return text;
}

TEST(File, UnpacksWhatIsPackedAndLeavesTheRest) {
  Rng rng(1);
  std::string text;
  for (int k = 0; k < 300000; ++k) text += static_cast<char>(rng.below(20));
  const std::string path = temporary_path("bytes");
  for (const std::string& contents : {std::string(), std::string("\x1f"), text}) {
    write_file(path, contents);
    EXPECT_EQ(read_bytes(path, 1000000), contents);
    write_file(path, packed(contents));
    EXPECT_EQ(read_bytes(path, 1000000), contents);
  }
  write_file(path, packed("one, ") + packed("two"));  // members may follow one another
  EXPECT_EQ(read_bytes(path, 100), "one, two");
}

TEST(File, GivesItsContentsInPieces) {
  const std::string path = temporary_path("pieces");
  const std::string text = "first\n\n" + std::string(100000, 'x') + "end";
  for (const std::string& bytes :
       {text, packed(text), packed(text.substr(0, 3)) + packed(text.substr(3))}) {
    write_file(path, bytes);
    FileReader file(path);
    EXPECT_EQ(file.is_packed(), bytes != text);
    std::string line, rest(200000, ' ');
    EXPECT_TRUE(file.read_line(&line, 6));
    EXPECT_EQ(line, "first");
    EXPECT_TRUE(file.read_line(&line, 6));
    EXPECT_EQ(line, "");
    EXPECT_FALSE(file.read_line(&line, 1000));  // longer
    EXPECT_EQ(line, std::string(1000, 'x'));
    EXPECT_EQ(file.read(rest.data(), 10), 10u);
    EXPECT_EQ(rest.substr(0, 10), std::string(10, 'x'));
    EXPECT_EQ(file.read(rest.data(), rest.size()), 100003u - 1010);
    EXPECT_EQ(file.read(rest.data(), 1), 0u);
    EXPECT_FALSE(file.read_line(&line, 6));
  }
  // A check sum that is wrong is found at the end.
  std::string damaged = packed(text);
  damaged[damaged.size() - 6] ^= 1;
  write_file(path, damaged);
  FileReader file(path);
  std::string part(50000, ' ');
  EXPECT_EQ(file.read(part.data(), part.size()), part.size());
  expect_in("damaged", refusal_of([&] {
              while (file.read(part.data(), part.size()) > 0) {
              }
            }));
}

TEST(File, RefusesDamagedCutAndLongFiles) {
  const std::string good = packed(std::string(10000, 'x') + "end");
  EXPECT_NE(complaint(good.substr(0, good.size() - 3)).find("truncated"), std::string::npos);
  EXPECT_NE(complaint(good.substr(0, 4)).find("truncated"), std::string::npos);
  std::string damaged = good;
  damaged[damaged.size() - 6] ^= 1;  // the check sum
  EXPECT_NE(complaint(damaged).find("damaged"), std::string::npos);
  EXPECT_NE(complaint(good + "garbage").find("7 bytes after the end"), std::string::npos);
  EXPECT_NE(complaint(good, 5000).find("more than 5000 bytes, the limit"), std::string::npos);
  EXPECT_NE(complaint(std::string(6000, 'y'), 5000).find("the limit"), std::string::npos);
}

// Tapes and devices fill their last block with zeros; bgzip ends with an empty member.
TEST(File, TakesZerosAfterAndBetweenPackedMembers) {
  const std::string path = temporary_path("padded");
  const auto contents = [&](const std::string& bytes) {
    write_file(path, bytes);
    return read_bytes(path, 10000);
  };
  const std::string one = packed("one, "), two = packed("two");
  EXPECT_EQ(contents(two + std::string(1, 0)), "two");
  EXPECT_EQ(contents(two + std::string(511, 0)), "two");
  EXPECT_EQ(contents(one + std::string(37, 0) + two), "one, two");
  EXPECT_EQ(contents(one + two + packed("") + std::string(512, 0)), "one, two");
  EXPECT_NE(complaint(one + std::string(3, 0) + "x").find("4 bytes after the end"),
            std::string::npos);
}

TEST(File, NamesAPackerThatItDoesNotKnow) {
  EXPECT_NE(complaint("\x28\xb5\x2f\xfd...").find("is packed by zstd: unpack it"),
            std::string::npos);
  EXPECT_NE(complaint(std::string("\xfd"
                                  "7zXZ\0...",
                                  9))
                .find("is packed by xz"),
            std::string::npos);
  EXPECT_NE(complaint("BZh91AY").find("is packed by bzip2"), std::string::npos);
}

TEST(File, SaysWhyAFileCannotBeReadOrWritten) {
  EXPECT_THROW(read_text(temporary_path("nowhere")), BadInput);
  EXPECT_THROW(read_text(testing::TempDir()), BadInput);
  EXPECT_THROW(write_file("/nonexistent/file", "x"), BadInput);
  EXPECT_THROW(check_writable("/nonexistent/file"), BadInput);
  EXPECT_NO_THROW(check_writable(""));
  EXPECT_NO_THROW(write_file("/dev/null", "x"));
}

TEST(File, IsReplacedAsAWhole) {
  const std::string path = temporary_path("whole");
  write_file(path, "old");
  std::ifstream reader(path);
  write_file(path, "new");
  std::string text;
  reader >> text;
  EXPECT_EQ(text, "old");
  EXPECT_EQ(read_text(path), "new");
}

// A link stays a link. A replaced file keeps its mode. No temporary file is left beside either.
TEST(File, IsReplacedBehindALinkAndKeepsItsMode) {
  const std::string directory = temporary_path("links");
  std::filesystem::remove_all(directory);
  std::filesystem::create_directories(directory + "/there");
  std::filesystem::create_symlink("there/file", directory + "/link");
  std::filesystem::create_symlink("link", directory + "/second");
  const auto durable = [](const std::string& path, const std::string& text) {
    DurableFile file(path);
    file.append(text.data(), text.size());
    file.commit();
  };
  const auto mode = [&] {
    struct stat is {};
    EXPECT_EQ(stat((directory + "/there/file").c_str(), &is), 0);
    return is.st_mode & 07777;
  };
  // A link to nothing makes the file.
  check_writable(directory + "/second");
  EXPECT_FALSE(std::filesystem::exists(directory + "/there/file"));
  write_file(directory + "/second", "new");
  EXPECT_EQ(read_text(directory + "/there/file"), "new");
  for (const mode_t kept : {0600, 0640, 0755}) {
    ASSERT_EQ(chmod((directory + "/there/file").c_str(), kept), 0);
    write_file(directory + "/second", "one");
    EXPECT_EQ(mode(), kept);
    EXPECT_EQ(read_text(directory + "/there/file"), "one");
    durable(directory + "/link", "two");
    EXPECT_EQ(mode(), kept);
    EXPECT_EQ(read_text(directory + "/there/file"), "two");
  }
  EXPECT_TRUE(std::filesystem::is_symlink(directory + "/link"));
  EXPECT_TRUE(std::filesystem::is_symlink(directory + "/second"));
  size_t names = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    names += entry.exists() ? 1 : 0;
  }
  EXPECT_EQ(names, 4u) << "a directory, a file and two links";
  EXPECT_EQ(file_itself(directory + "/second"), directory + "/there/file");
  // A circle of links is an error and stays what it is.
  std::filesystem::create_symlink("circle", directory + "/circle");
  EXPECT_THROW(write_file(directory + "/circle", "x"), BadInput);
  EXPECT_THROW(check_writable(directory + "/circle"), BadInput);
  EXPECT_TRUE(std::filesystem::is_symlink(directory + "/circle"));
  std::filesystem::remove_all(directory);
}

// A directory below /dev holds files as another does.
TEST(File, IsReplacedInSharedMemoryToo) {
  const std::string path = "/dev/shm/ow_file_test_" + std::to_string(getpid());
  if (!std::filesystem::is_directory("/dev/shm")) GTEST_SKIP() << "no /dev/shm";
  write_file(path, "old");
  write_file(path, "new");
  EXPECT_EQ(read_text(path), "new");
  EXPECT_EQ(beside(path, "c.csv"), "/dev/shm/c.csv");
  std::filesystem::remove(path);
}

TEST(File, ComesPieceByPieceAndHasItsNameWhenItIsWhole) {
  const std::string path = temporary_path("pieces");
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

TEST(File, HasOneWriterAtATime) {
  const std::string path = temporary_path("one");
  FileWriter first(path);
  const std::string why = path + ": cannot be written: it is being written already";
  EXPECT_EQ(refusal_of([&] { FileWriter second(path); }), why);
  EXPECT_EQ(refusal_of([&] { check_writable(path); }), why);
  EXPECT_EQ(refusal_of([&] { write_file(path, "second"); }), why);
  first.append("first", 5);
  first.close();
  EXPECT_EQ(read_text(path), "first");
  write_file(path, "second");
  EXPECT_EQ(read_text(path), "second");
  std::remove(path.c_str());
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
  const std::string pipe = temporary_path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(beside(pipe, "c.csv"), "c.csv");
  EXPECT_EQ(beside("/dev/stdin", "c.csv"), "c.csv");
  EXPECT_EQ(beside("/dev/fd/63", "c.csv"), "c.csv");
  std::filesystem::remove(pipe);
}

}  // namespace
}  // namespace ow
