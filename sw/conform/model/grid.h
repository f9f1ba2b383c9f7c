// SPDX-License-Identifier: Apache-2.0
// A grid of tiles without cycles (tile.h): what `make` asks for the answers of a conforming device.
// It answers calls by golden.
#ifndef OW_CONFORM_MODEL_GRID_H_
#define OW_CONFORM_MODEL_GRID_H_

#include <map>
#include <memory>
#include <vector>

#include "faults.h"
#include "ow/conform/door.h"
#include "tile.h"
#include "training.h"

namespace ow::conform {

class ModelGrid : public Device {
 public:
  explicit ModelGrid(std::string fault = "") : wrong_{std::move(fault)} {}

 protected:
  void reset(GridShape shape) override;
  void write(int row, int col, uint32_t address, const std::vector<uint32_t>& words) override;
  std::vector<uint32_t> read(int row, int col, uint32_t address, size_t count) override;
  void send(Side side, int index, int colour, const std::vector<Word>& words) override;
  std::vector<Word> take(Side side, int index, int colour) override;
  void hold(Side side, int index, int colour, bool held) override;
  uint64_t run(uint64_t cycles) override;
  std::vector<uint32_t> call(const Call& call) override;
  void begin_job(const std::string& text) override;
  std::vector<uint32_t> parameter(const std::string& name, const std::string& what) override;
  void set_parameter(const std::string& name, const std::vector<uint32_t>& words) override;
  void set_gradient(const std::string& name, const std::vector<uint32_t>& words) override;
  std::vector<uint32_t> batch(const std::vector<uint32_t>& inputs,
                              const std::vector<uint32_t>& targets) override;
  std::pair<bool, uint32_t> end_step() override;
  std::vector<uint32_t> order(uint64_t samples, uint64_t step) override;

 private:
  ModelTraining& training();

  Tile& tile(int row, int col);
  bool work(int row, int col);
  // Whether an edge beyond the tile has no credit left for a colour; for a fence, not all of them.
  bool full(int row, int col, int port, int colour, bool fence) const;
  // The control plane: a packet that is whole goes to its tiles at once.
  void deliver(Side side, int index, const std::vector<uint32_t>& packet);
  // What the ramps of the tiles along a column get, from a packet that begins with its Y header.
  void along_column(int row, int col, std::vector<uint32_t> words);
  void brief(int row, int col, bool in_row, uint32_t word);
  void request(int row, int col, const std::vector<uint32_t>& words);
  void leave(int row, int col, int port, int colour, const Word& word);

  Wrong wrong_;
  GridShape shape_;
  std::vector<std::unique_ptr<Tile>> tiles_;
  std::unique_ptr<ModelTraining> training_;
  std::map<std::tuple<int, int, int>, int> credits_;  // of held edges: side, index, colour
  std::map<std::pair<int, int>, std::vector<uint32_t>> packets_;  // side, index: not whole yet
  std::map<std::tuple<int, int, int>, std::vector<Word>> left_;   // side, index, colour
};

// The results of a call by golden's definitions, or by one of the faults. Throws Refused for an
// operation that does not exist.
std::vector<uint32_t> golden_call(const Call& call, const Wrong& wrong);

}  // namespace ow::conform

#endif  // OW_CONFORM_MODEL_GRID_H_
