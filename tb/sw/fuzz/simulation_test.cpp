// SPDX-License-Identifier: Apache-2.0
// Mutants of saved runs and recordings of a grid, before they are compressed, and of the messages
// between the ranks of one. The grid has no RTL. Each is refused in one line, or the run ends.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fake_grid.h"
#include "ow/base/error.h"
#include "ow/sim/recording.h"
#include "ow/sim/split.h"
#include "run_mutants.h"
#include "wire.h"

namespace ow {
namespace {

using ranks::Message;

constexpr GridShape kGrid{2, 3};
constexpr uint64_t kMostCycles = 5000;
constexpr size_t kMostBytes = size_t{1} << 20;

std::string path_of(const std::string& name) {
  return testing::TempDir() + "ow_fuzz_" + std::to_string(getpid()) + name;
}

// A run that is saved every so many cycles, or recorded: the file without compression.
std::string file_of_run(uint64_t every) {
  const std::string path = path_of("_run");
  {
    FakeGrid grid(kGrid);
    every > 0 ? grid.save_run(path, every) : grid.record_run(path);
    run_across(&grid);
  }
  std::string text = read_bytes(path, kMostBytes);
  std::remove(path.c_str());
  return text;
}

// Lines of text, then numbers.
Mutator lines_and_numbers(size_t lines) {
  return [lines](Rng* rng, std::string* s) {
    size_t head = 0;
    for (size_t k = 0; k < lines; ++k) head = std::min(s->find('\n', head), s->size() - 1) + 1;
    std::string first = s->substr(0, head), second = s->substr(head);
    rng->below(2) == 0 ? text(rng, &first) : binary(second.size())(rng, &second);
    *s = first + second;
  };
}

// What another computer may send, or what words in a file make of a grid, is an error of its own;
// the files that run() makes know bad input.
template <typename Work>
void end_in_bad_input(const Work& work) {
  try {
    work();
  } catch (const ProtocolError& error) {
    throw BadInput(error.what());
  } catch (const DeviceFault& error) {
    throw BadInput(error.what());
  } catch (const InternalError& error) {  // another rank's
    if (std::string(error.what()).rfind("rank 1: ", 0) != 0) throw;
    throw BadInput(error.what());
  }
}

TEST(Fuzz, SavedRuns) {
  const std::string again = path_of("_again");
  run("saved", {".ows",
                {file_of_run(1), file_of_run(7), file_of_run(11)},
                lines_and_numbers(4),
                [&again](const std::string& path) {
                  end_in_bad_input([&] {
                    FakeGrid grid(kGrid);
                    grid.restore_run(path);
                    grid.save_run(again, 9);
                    run_across(&grid);
                    FakeGrid(kGrid).restore_tiles(path);
                  });
                }});
  std::remove(again.c_str());
}

TEST(Fuzz, Recordings) {
  run("recording", {".owr", {file_of_run(0)}, lines_and_numbers(1), [](const std::string& path) {
                      end_in_bad_input([&] {
                        Recording recording = read_recording(path);
                        recording.cycles = std::min(recording.cycles, kMostCycles);
                        FakeGrid(kGrid).replay(recording);
                      });
                    }});
}

// Keeps what goes through another transport.
class Tap : public ranks::Transport {
 public:
  Tap(std::unique_ptr<ranks::Transport> inner, std::vector<Message>* sent,
      std::vector<Message>* received)
      : inner_(std::move(inner)), sent_(sent), received_(received) {}
  int rank() const override { return inner_->rank(); }
  int ranks() const override { return inner_->ranks(); }
  std::chrono::seconds patience() const override { return inner_->patience(); }
  void send(int to, ranks::Tag tag, Message message) override {
    sent_->push_back(message);
    inner_->send(to, tag, std::move(message));
  }
  Message receive(int from, ranks::Tag tag) override {
    received_->push_back(inner_->receive(from, tag));
    return received_->back();
  }
  void check() override { inner_->check(); }
  void fail(int status, const std::string& what) override { inner_->fail(status, what); }
  void close() override { inner_->close(); }

 private:
  std::unique_ptr<ranks::Transport> inner_;
  std::vector<Message>*sent_, *received_;
};

std::unique_ptr<SimDevice> make_part(GridShape shape, const SimOptions&) {
  constexpr int kMost = 8;
  if (shape.rows > kMost || shape.cols > kMost) throw BadInput("a grid that this test has not");
  return std::make_unique<FakeGrid>(shape);
}

// Everything that rank 0 asks another rank for.
void use_split(std::unique_ptr<ranks::Transport> transport) {
  SimOptions options;
  options.ranks = std::make_shared<GridRanks>(std::move(transport));
  const auto grid = make_split(kGrid, options, 1, make_part);
  std::vector<TileState> states(static_cast<size_t>(kGrid.rows * kGrid.cols));
  for (size_t k = 0; k < states.size(); ++k) grid->read_tile(k, &states[k]);
  states[4].sent[1] = states[4].words[0] = 5;
  grid->write_tiles([&states](size_t k, TileState* state) { *state = states[k]; });
  run_across(grid.get());
  const uint32_t word = 7;
  grid->write_memory(1, 2, 8, &word, 1);
  grid->evaluations();
  grid->unit_clocks();
}

TEST(Fuzz, MessagesOfSplitGrids) {
  std::vector<Message> asked, answered;
  {
    auto all = ranks::local_transports(2);
    std::thread other(
        [rank = std::make_shared<GridRanks>(std::move(all[1]))] { rank->serve(make_part); });
    use_split(std::make_unique<Tap>(std::move(all[0]), &asked, &answered));
    other.join();
  }
  // To a rank: its answers say what it refuses.
  run("asked", {".bin", {joined(asked)}, binary(200), [](const std::string& path) {
                  take(path, [](const std::vector<Message>& messages) {
                    auto wire = std::make_unique<Wire>(1, messages);
                    const Wire& kept = *wire;
                    GridRanks rank(std::move(wire));
                    rank.serve(make_part);
                    for (const Message& answer : kept.sent()) {
                      if (answer.at(0) != 0) throw ProtocolError("refused");
                    }
                  });
                }});
  // To rank 0.
  run("answered", {".bin", {joined(answered)}, binary(200), [](const std::string& path) {
                     take(path, [](const std::vector<Message>& messages) {
                       end_in_bad_input([&] { use_split(std::make_unique<Wire>(0, messages)); });
                     });
                   }});
}

}  // namespace
}  // namespace ow
