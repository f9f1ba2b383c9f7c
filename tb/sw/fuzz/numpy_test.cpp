// SPDX-License-Identifier: Apache-2.0
// Mutants of NumPy's files: arrays by themselves, and archives of them.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "../../harness/numpy_files.h"
#include "mutants.h"
#include "ow/base/file.h"
#include "ow/base/zip.h"
#include "ow/tensor/dataset.h"
#include "ow/tensor/npy.h"
#include "run_mutants.h"

namespace ow {
namespace {

constexpr size_t kLimit = 1 << 20;

// Words change the header's length: mends what says it, mostly. Of version 1.
void npy_mutant(Rng* rng, std::string* s) {
  rng->below(3) == 0 ? binary(80)(rng, s) : text(rng, s);
  const size_t end = s->find('\n');
  if (end == std::string::npos || end < 10 || (*s)[6] != 1 || rng->below(8) == 0) return;
  s->replace(8, 2, little(end + 1 - 10, 2));
}

// Numbers of the directory at the end are as likely as those before it.
void zip_mutant(Rng* rng, std::string* s) {
  const size_t directory = s->find("PK\1\2");
  if (directory == std::string::npos || rng->below(2) == 0) return binary(64)(rng, s);
  std::string part = s->substr(directory);
  binary(part.size())(rng, &part);
  s->replace(directory, std::string::npos, part);
}

TEST(Fuzz, Npy) {
  run("npy", {".npy",
              {npy_of("|u1", "(2, 3)", "abcdef"), npy_of("<f2", "(2, 2)", "abcdefgh", true),
               npy_of(">i4", "(1, 2)", "abcdefgh"), npy_of("<f8", "()", "abcdefgh"),
               npy_of("|b1", "(0, 4)", "")},
              npy_mutant,
              [](const std::string& path) {
                const Tensor t = read_npy(path, kLimit);
                for (size_t k = 0; k < t.elements(); ++k) t.value(k);
              }});
}

TEST(Fuzz, Npz) {
  const std::string one = npy_of("|u1", "(2, 3)", "abcdef"),
                    two = npy_of("<f4", "(2,)", "abcdefgh");
  run("npz", {".npz",
              {zip_of({{"x.npy", one}, {"layers.0.weight.npy", two}}, true),
               zip_of({{"x.npy", one}}, false, "a comment"), zip_of({}, false)},
              zip_mutant,
              [](const std::string& path) { read_npz(path, kLimit); }});
  run("npz_tensors",
      {".npz", {zip_of({{"x.npy", one}}, false), two}, zip_mutant, [](const std::string& path) {
         read_tensors(path, kLimit);
       }});
}

// Damage that 300 mutants may miss.
TEST(Fuzz, ArchivesThatAreNotRead) {
  const std::string good = zip_of({{"x.npy", npy_of("|u1", "(1,)", "a")}}, true);
  const size_t directory = good.find("PK\1\2"), end = good.find("PK\5\6");
  const std::vector<std::pair<size_t, std::string>> wrong = {
      {directory, "x"},
      {directory + 8, "\1"},
      {directory + 10, "\x0C"},
      {directory + 16, "x"},
      {directory + 24, "xxxx"},
      {directory + 20, little(0xFFFFFFFF, 4)},
      {directory - 3, "x"},
      {end + 4, "\1"},
      {end + 16, little(0xFFFFFFFF, 4)},
      {0, "x"},
      {directory + 42, "\1\1\1"}};
  const std::string path = testing::TempDir() + "ow_fuzz_wrong.npz";
  for (const auto& [at, bytes] : wrong) {
    std::string file = good;
    file.replace(at, bytes.size(), bytes);
    write_file(path, file);
    EXPECT_THROW(read_npz(path, kLimit), BadInput) << at;
  }
  for (const auto& files : std::vector<std::vector<std::pair<std::string, std::string>>>{
           {{"x", ""}}, {{"x.npy", ""}, {"x.npy", ""}}}) {
    write_file(path, zip_of(files, false));
    EXPECT_THROW(read_npz(path, kLimit), BadInput);
  }
  std::remove(path.c_str());
}

TEST(Fuzz, SamplesOfNumpy) {
  const std::string inputs = npy_of("|u1", "(2, 3)", "\1\2\3\4\5\6");
  const std::string classes = npy_of("|i1", "(2,)", std::string("\0\1", 2));
  const std::string hot = npy_of("|u1", "(2, 2)", std::string("\0\1\1\0", 4));
  run("samples_npz", {".npz",
                      {zip_of({{"inputs.npy", inputs}, {"labels.npy", classes}}, false),
                       zip_of({{"inputs.npy", inputs}, {"labels.npy", hot}}, false)},
                      zip_mutant,
                      [](const std::string& path) {
                        DataSource source;
                        source.file = path;
                        source.format = DataFormat::Npz;
                        load_dataset(source, HalfType::Binary16, 3, 2);
                      }});
  const std::string first = testing::TempDir() + "ow_fuzz_inputs.npy";
  write_file(first, inputs);
  run("samples_npy", {".npy", {classes, hot}, npy_mutant, [&](const std::string& path) {
                        DataSource source;
                        source.file = first;
                        source.labels = path;
                        source.format = DataFormat::Npy;
                        load_dataset(source, HalfType::Binary16, 3, 2);
                      }});
  std::remove(first.c_str());
  const std::string tokens = npy_of("|u1", "(9,)", std::string("\1\0\2\2\1\0\1\2\1", 9));
  run("samples_tokens", {".npy", {tokens}, npy_mutant, [](const std::string& path) {
                           DataSource source;
                           source.file = path;
                           source.format = DataFormat::Tokens;
                           source.sequence = 8;
                           source.end = 0;
                           load_dataset(source, HalfType::Binary16, 1, 3);
                           source.format = DataFormat::Text;
                           load_dataset(source, HalfType::Binary16, 1, 3, [](const auto& of) {
                             return TokenText{{1, 2, 0, 1}, of.end};
                           });
                         }});
}

}  // namespace
}  // namespace ow
