// SPDX-License-Identifier: Apache-2.0
// Saved runs and recordings of a grid without RTL: what is in the files, and what is refused.
#include "ow/sim/saved_run.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "fake_grid.h"
#include "messages.h"
#include "ow/sim/recording.h"
#include "temporary_file.h"

namespace ow {
namespace {

constexpr GridShape kGrid{2, 3};
constexpr size_t kMost = size_t{1} << 24;

// A file as it is before compression: lines, events of the log, tiles.
struct Parts {
  std::vector<std::string> lines;
  std::vector<EdgeLog::Event> log;
  std::vector<uint64_t> tiles;
};

struct Saved {
  std::string path;
  std::vector<std::string> left;
};

Saved save(const std::string& name, uint64_t every = 4) {
  const std::string path = temporary_path(name);
  FakeGrid grid(kGrid);
  grid.save_run(path, every);
  std::vector<std::string> left = run_across(&grid);
  return {path, left};
}

Parts parts_of(const std::string& path) {
  const std::string text = read_bytes(path, kMost);
  Parts parts;
  size_t at = 0;
  const auto line = [&] {
    const size_t end = text.find('\n', at);
    parts.lines.push_back(text.substr(at, end - at));
    at = end + 1;
  };
  line();
  const FakeGrid grid(kGrid);
  for (size_t k = 0; k < grid.state_layout().signals().size(); ++k) line();
  const std::string& head = parts.lines[0];
  const size_t space = head.rfind(' ', head.rfind(' ') - 1);
  parts.log.resize(std::stoull(head.substr(space + 1)));
  std::memcpy(parts.log.data(), text.data() + at, parts.log.size() * sizeof parts.log[0]);
  at += parts.log.size() * sizeof parts.log[0];
  parts.tiles.resize((text.size() - at) / sizeof parts.tiles[0]);
  std::memcpy(parts.tiles.data(), text.data() + at, parts.tiles.size() * sizeof parts.tiles[0]);
  return parts;
}

std::string text_of(const Parts& parts) {
  std::string text;
  for (const std::string& line : parts.lines) text += line + "\n";
  text.append(reinterpret_cast<const char*>(parts.log.data()),
              parts.log.size() * sizeof parts.log[0]);
  text.append(reinterpret_cast<const char*>(parts.tiles.data()),
              parts.tiles.size() * sizeof parts.tiles[0]);
  return text;
}

// What restoring a text says after the file's name.
std::string refusal(const std::string& text) {
  const std::string path = temporary_file("bad.ows", text);
  const std::string what = refusal_of([&] { FakeGrid(kGrid).restore_run(path); });
  EXPECT_EQ(what.rfind(path + ": ", 0), 0u) << what;
  return what.substr(std::min(what.size(), path.size() + 2));
}

TEST(SavedRun, GoesOnAsTheRunThatNobodyStopped) {
  const Saved whole = save("whole.ows", 1), saved = save("saved.ows", 7);
  ASSERT_GT(whole.left.size(), 10u);
  const std::string again = temporary_path("again.ows");
  FakeGrid grid(kGrid);
  grid.restore_run(saved.path);
  grid.save_run(again, 1);
  EXPECT_EQ(run_across(&grid), whole.left);
  EXPECT_EQ(read_bytes(again, kMost), read_bytes(whole.path, kMost));
}

TEST(SavedRun, SignalsMayComeInAnyOrder) {
  const Saved saved = save("order.ows");
  Parts parts = parts_of(saved.path);
  std::swap(parts.lines[1], parts.lines[2]);  // one word and four
  constexpr size_t kHead = 5, kWords = kHead + 1 + 4 + 4;
  for (size_t tile = 0; tile < parts.tiles.size(); tile += kWords) {
    const auto first = parts.tiles.begin() + static_cast<std::ptrdiff_t>(tile + kHead);
    std::rotate(first, first + 1, first + 5);
  }
  FakeGrid grid(kGrid);
  grid.restore_run(temporary_file("swapped.ows", text_of(parts)));
  EXPECT_EQ(run_across(&grid), saved.left);
}

TEST(SavedRun, OfOtherRegistersIsRefused) {
  const Parts good = parts_of(save("good.ows").path);
  const auto with = [&good](size_t line, const std::string& text) {
    Parts parts = good;
    parts.lines[line] = text;
    return refusal(text_of(parts));
  };
  EXPECT_EQ(with(1, "u_a.other_q 1 7"),
            "saved by another version: here a tile has no register u_a.other_q");
  EXPECT_EQ(with(1, "u_a.count_q 1 8"),
            "saved by another version: here a tile has no register u_a.count_q");
  EXPECT_EQ(with(1, good.lines[2]), "register u_b.last_q comes twice");
  Parts less = good;
  less.lines.erase(less.lines.begin() + 1);
  less.lines[0].back() = '2';
  EXPECT_EQ(refusal(text_of(less)), "saved by another version: it has no register u_a.count_q");
}

TEST(SavedRun, WithAStateThatNoTileHasIsRefused) {
  const Parts good = parts_of(save("good.ows").path);
  const auto with = [&good](size_t word, uint64_t value) {
    Parts parts = good;
    parts.tiles[14 + word] = value;  // of the second tile
    return refusal(text_of(parts));
  };
  EXPECT_EQ(with(0, uint64_t{1} << 45), "tile (0, 1): a word beyond 45 bits");
  EXPECT_EQ(with(4, 2), "tile (0, 1): neither idle nor busy");
  EXPECT_EQ(with(5, 128), "tile (0, 1): register u_a.count_q holds a value beyond its 7 bits");
  EXPECT_EQ(with(9, uint64_t{1} << 36),
            "tile (0, 1): register u_b.last_q holds a value beyond its 100 bits");
}

TEST(SavedRun, WithALogThatIsNoneIsRefused) {
  const Parts good = parts_of(save("good.ows").path);
  ASSERT_GT(good.log.size(), 8u);
  const auto with = [&good](const std::function<void(std::vector<EdgeLog::Event>*)>& change) {
    Parts parts = good;
    change(&parts.log);
    return refusal(text_of(parts));
  };
  const std::string none = "its words at the edges are not those of such a grid";
  // Another order within a cycle, a port that is not there, an unknown kind, no word, one that is
  // too long, something later than the save.
  EXPECT_EQ(with([](auto* log) { std::swap((*log)[0], (*log)[1]); }), none);
  EXPECT_EQ(with([](auto* log) { (*log)[1] = (*log)[0]; }), none);
  EXPECT_EQ(with([](auto* log) { (*log)[0].at |= 0xFFFF; }), none);
  EXPECT_EQ(with([](auto* log) { (*log)[0].at |= 3 << 16; }), none);
  EXPECT_EQ(with([](auto* log) { (*log)[0].word = 0; }), none);
  EXPECT_EQ(with([](auto* log) { (*log)[0].word = uint64_t{1} << 45; }), none);
  EXPECT_EQ(with([](auto* log) { log->back().at |= uint64_t{1} << 60; }), none);
}

TEST(SavedRun, OfAnotherLengthOrKindIsRefusedEarly) {
  const Parts good = parts_of(save("good.ows").path);
  const std::string text = text_of(good),
                    length = "a saved simulation of another length than it says";
  EXPECT_EQ(refusal(text.substr(0, text.size() - 1)), length);
  EXPECT_EQ(refusal(text + "x"), length);
  EXPECT_EQ(refusal(text.substr(0, good.lines[0].size() + 8)),
            "ends within the names of registers");
  Parts later = good;
  later.lines[0] = "openwafer simulation 1 2 3 1099511627776 0 3";
  EXPECT_EQ(refusal(text_of(later)), "cycle 1099511627776: must be less than 2^40");
  later.lines[0] = "openwafer simulation 1 2 4 8 0 3";
  EXPECT_EQ(refusal(text_of(later)), "a grid of 2 x 4 tiles, here are 2 x 3");
  const std::string none = "is no saved simulation, or one of another version";
  for (const char* head : {"openwafer simulation 2 2 3 8 0 3", "openwafer simulation 1 2 3 8 0",
                           "openwafer simulation 1 2 3 8 0 3 ", "openwafer simulation 1 2 3 -8 0 3",
                           "openwafer simulation 1 2 3 99999999999999999999 0 3", ""}) {
    later.lines[0] = head;
    EXPECT_EQ(refusal(text_of(later)), none) << head;
  }
  // A file that is much larger than memory. It takes no room on the disk.
  const std::string huge = temporary_file("huge.ows", "");
  std::filesystem::resize_file(huge, uint64_t{1} << 40);
  EXPECT_EQ(refusal_of([&] { FakeGrid(kGrid).restore_run(huge); }), huge + ": " + none);
  EXPECT_EQ(refusal_of([&] { read_recording(huge); }), huge + ": is no recording of a grid");
  std::filesystem::remove(huge);
}

TEST(SavedRun, HasAMostOfCycles) {
  EdgeLog log(10);
  const std::vector<uint64_t> words(10, 0);
  const uint64_t most = uint64_t{1} << 40;
  log.add_out(most - 1, words.data(), true);
  EXPECT_EQ(refusal_of([&] { log.add_out(most, words.data(), true); }),
            "a run that is saved has at most 2^40 cycles");
}

// ow-wave's way: no program, the words come from the recording.
TEST(SavedRun, GoesOnWithARecordingOfTheRun) {
  const std::string path = temporary_path("run.ows"), recorded = temporary_path("run.owr");
  {
    FakeGrid grid(kGrid);
    grid.record_run(recorded);
    grid.save_run(path, 4);
    run_across(&grid);
  }
  Recording recording = read_recording(recorded);
  FakeGrid grid(kGrid);
  grid.restore_tiles(path);
  const uint64_t begin = grid.cycle();
  EXPECT_GT(begin, 0u);
  grid.replay(recording);
  EXPECT_EQ(grid.cycle(), recording.cycles);

  for (const uint64_t end : {begin - 1, begin}) {
    recording.cycles = end;
    FakeGrid late(kGrid);
    late.restore_tiles(path);
    EXPECT_EQ(refusal_of([&] { late.replay(recording); }),
              path + ": saved in cycle " + std::to_string(begin) + ", the recording (" + recorded +
                  ") ends in cycle " + std::to_string(end));
  }
}

// It would be missing when the run is repeated from the words at its edges.
TEST(SavedRun, NeitherItNorARecordingHasWhatIsWrittenIntoMemories) {
  const auto refused = [](FakeGrid* grid) {
    const uint32_t word = 1;
    return refusal_of([&] { grid->write_memory(0, 0, 0, &word, 1); });
  };
  FakeGrid plain(kGrid), recorded(kGrid), saved(kGrid), restored(kGrid);
  recorded.record_run(temporary_path("memories.owr"));
  saved.save_run(temporary_path("memories.ows"), 4);
  restored.restore_run(save("restored.ows").path);
  EXPECT_EQ(refused(&plain), "");
  for (FakeGrid* const grid : {&recorded, &saved, &restored}) {
    EXPECT_EQ(refused(grid),
              "a run that is recorded, saved or restored writes to memories only by words at its "
              "edges");
  }
}

TEST(Recordings, OfWhatCannotBeAreRefused) {
  const std::string path = temporary_path("bad.owr");
  const auto refused = [&path](const std::vector<std::pair<uint64_t, uint64_t>>& records,
                               const std::string& head = "openwafer recording 1 1 1\n") {
    std::string text = head;
    for (const auto& [first, second] : records) {
      for (const uint64_t word : {first, second}) {
        text.append(reinterpret_cast<const char*>(&word), sizeof word);
      }
    }
    write_file(path, text);
    const std::string what = refusal_of([&] { read_recording(path); });
    return what.substr(std::min(what.size(), path.size() + 2));
  };
  const auto at = [](uint64_t passed, uint64_t port) { return passed | port << 32; };
  const std::pair<uint64_t, uint64_t> end = {at(1, 0xFFFE), 0};
  EXPECT_EQ(refused({{at(5, 2), 1}, {at(0, 3), 1}, {at(1, 2), 1}, end}), "");
  EXPECT_EQ(refused({{at(5, 2), 1}, {at(0, 2), 1}, end}), "record 1: out of order");
  EXPECT_EQ(refused({{at(5, 4), 1}, end}), "record 0: port 4: the grid has 4");
  EXPECT_EQ(refused({{at(5, 2), 0}, end}), "record 0: no word of 45 bits");
  EXPECT_EQ(refused({{at(5, 2), uint64_t{1} << 45}, end}), "record 0: no word of 45 bits");
  EXPECT_EQ(refused({end, end}), "record 0: something comes after the end");
  EXPECT_EQ(refused({}), "the recording has no end");
  EXPECT_EQ(refused({end}, "openwafer recording 1 0 1\n"), "is no recording of a grid");
  EXPECT_EQ(refused({end}, "openwafer recording 1 1 1 1\n"), "is no recording of a grid");
  const std::vector<std::pair<uint64_t, uint64_t>> long_time(65537, {at(0xFFFFFFFF, 0xFFFF), 0});
  EXPECT_EQ(refused(long_time), "record 65536: a cycle beyond the time of the tiles");
}

}  // namespace
}  // namespace ow
