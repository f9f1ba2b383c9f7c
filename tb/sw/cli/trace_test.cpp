// SPDX-License-Identifier: Apache-2.0
// The trace of one layer in README.md is what the simulator does.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <regex>
#include <string>
#include <tuple>

#include "ow/base/file.h"
#include "ow/device/link_word.h"
#include "ow/sim/recording.h"
#include "ow/sim/sim_device.h"
#include "program.h"

namespace ow {
namespace {

// A place outside the grid is an edge.
std::string name_of(int row, int col, GridShape grid) {
  if (row < 0 || col < 0 || row >= grid.rows || col >= grid.cols) return "edge";
  return "(" + std::to_string(row) + "," + std::to_string(col) + ")";
}

// Data wavelets by cycle, sender and receiver.
using Words = std::map<std::tuple<uint64_t, std::string, std::string>, uint32_t>;

Words data_wavelets(const Recording& recording) {
  Words words;
  SimOptions options;
  options.on_word = [&](const TileWord& w) {
    if (!link_has_wavelet(w.word) || link_wavelet(w.word).colour >= isa::kMaxDataColours) return;
    const int down = w.side == Side::South ? 1 : w.side == Side::North ? -1 : 0;
    const int right = w.side == Side::East ? 1 : w.side == Side::West ? -1 : 0;
    std::string from = name_of(w.row, w.col, recording.shape);
    std::string to = name_of(w.row + down, w.col + right, recording.shape);
    if (w.in) std::swap(from, to);
    words[{w.cycle, from, to}] = link_wavelet(w.word).data;
  };
  make_simulator(recording.shape, options)->replay(recording);
  return words;
}

// For a network and for a training.
TEST(Recording, ThatIsLostIsNoSuccess) {
  const std::string configs = OW_SOURCE_DIR "/configs/";
  for (const std::string job : {"one-layer.yaml", "digits-train.yaml --mode train --num-steps 1"}) {
    const Result run = run_ow("run " + configs + job + " --no-check --record /dev/full");
    EXPECT_EQ(run.status, 2) << run.output;
    const std::string why =
        "ow: bad input: /dev/full: cannot be written: No space left on device\n";
    EXPECT_NE(run.output.find(why), std::string::npos) << run.output;
  }
}

TEST(Readme, TheTraceOfALayerIsThatOfTheSimulator) {
  const std::string file = temporary("one-layer.owr");
  const Result run =
      run_ow("run --params '" OW_SOURCE_DIR "/configs/one-layer.yaml' --record " + file);
  ASSERT_EQ(run.status, 0) << run.output;
  const Words words = data_wavelets(read_recording(file));
  std::remove(file.c_str());
  ASSERT_FALSE(words.empty());
  const uint64_t first = std::get<0>(words.begin()->first);

  // | cycle | sender -> receiver | `data` ... |
  const std::string text = read_text(OW_SOURCE_DIR "/README.md");
  const std::regex row("\\| (\\d+) \\| (\\S+) → (\\S+) \\| `([0-9a-f]{8})`");
  int rows = 0;
  for (std::sregex_iterator it(text.begin(), text.end(), row), end; it != end; ++it, ++rows) {
    const uint64_t cycle = first + std::stoull((*it)[1]);
    const auto found = words.find({cycle, (*it)[2], (*it)[3]});
    EXPECT_NE(found, words.end()) << (*it)[0] << ": nothing is on that link in that cycle";
    if (found == words.end()) continue;
    EXPECT_EQ(found->second, std::stoul((*it)[4], nullptr, 16)) << (*it)[0];
  }
  EXPECT_GE(rows, 8);
  for (const auto& [where, data] : words) {
    const auto& [cycle, from, to] = where;
    if (!HasFailure()) break;
    std::printf("%4llu  %s -> %s  %08x\n", static_cast<unsigned long long>(cycle - first),
                from.c_str(), to.c_str(), data);
  }
}

}  // namespace
}  // namespace ow
