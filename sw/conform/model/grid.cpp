// SPDX-License-Identifier: Apache-2.0
#include "grid.h"

namespace ow::conform {

void ModelGrid::reset(GridShape shape) {
  if (shape.rows < 1 || shape.cols < 1 || shape.rows * shape.cols > 256)
    throw Refused("a grid of that shape");
  shape_ = shape;
  tiles_.clear();
  left_.clear();
  packets_.clear();
  credits_.clear();
  for (int k = 0; k < shape.rows * shape.cols; ++k)
    tiles_.push_back(std::make_unique<Tile>(&wrong_));
}

Tile& ModelGrid::tile(int row, int col) {
  if (row >= shape_.rows || col >= shape_.cols) throw Refused("a tile outside the grid");
  return *tiles_[static_cast<size_t>(row * shape_.cols + col)];
}

void ModelGrid::write(int row, int col, uint32_t address, const std::vector<uint32_t>& words) {
  for (size_t k = 0; k < words.size(); ++k) {
    if (!tile(row, col).host_write(address + 4 * static_cast<uint32_t>(k), words[k]))
      throw Refused("this address");
  }
}

std::vector<uint32_t> ModelGrid::read(int row, int col, uint32_t address, size_t count) {
  std::vector<uint32_t> words(count);
  for (size_t k = 0; k < count; ++k) {
    if (!tile(row, col).host_read(address + 4 * static_cast<uint32_t>(k), &words[k]))
      throw Refused("this address");
  }
  return words;
}

void ModelGrid::send(Side side, int index, int colour, const std::vector<Word>& words) {
  const bool column = side == Side::North || side == Side::South;
  const int row = column ? (side == Side::North ? 0 : shape_.rows - 1) : index;
  const int col = column ? index : (side == Side::West ? 0 : shape_.cols - 1);
  if (colour > static_cast<int>(isa::kColourReq)) throw Refused("wavelets of this colour");
  if (colour == isa::kColourReq) {
    std::vector<uint32_t>& packet = packets_[{static_cast<int>(side), index}];
    for (const Word& word : words) {
      packet.push_back(word.data);
      if (!word.control) continue;
      deliver(side, index, packet);
      packet.clear();
    }
    return;
  }
  auto& buffer = tile(row, col).router().buffer(static_cast<int>(side), colour);
  buffer.insert(buffer.end(), words.begin(), words.end());
}

std::vector<Word> ModelGrid::take(Side side, int index, int colour) {
  std::vector<Word> words;
  words.swap(left_[{static_cast<int>(side), index, colour}]);
  return words;
}

void ModelGrid::hold(Side side, int index, int colour, bool held) {
  const std::tuple<int, int, int> edge{static_cast<int>(side), index, colour};
  if (held) {
    credits_[edge] = isa::kLinkCredits;
  } else {
    credits_.erase(edge);
  }
}

bool ModelGrid::full(int row, int col, int port, int colour, bool fence) const {
  const bool edge = (port == 0 && row == 0) || (port == 1 && col + 1 == shape_.cols) ||
                    (port == 2 && row + 1 == shape_.rows) || (port == 3 && col == 0);
  const auto held = credits_.find({port, port % 2 == 0 ? col : row, colour});
  return edge && held != credits_.end() && held->second < (fence ? isa::kLinkCredits : 1);
}

// A wavelet goes out of a tile: to its neighbour, or beyond the edge.
void ModelGrid::leave(int row, int col, int port, int colour, const Word& word) {
  constexpr int kRow[] = {-1, 0, 1, 0}, kCol[] = {0, 1, 0, -1};
  const int r = row + kRow[port], c = col + kCol[port];
  if (r < 0 || c < 0 || r >= shape_.rows || c >= shape_.cols) {
    const std::tuple<int, int, int> edge{port, port % 2 == 0 ? col : row, colour};
    if (const auto held = credits_.find(edge); held != credits_.end())
      held->second -= Router::is_fence(word) ? isa::kLinkCredits : 1;
    left_[edge].push_back(word);
  } else {
    tile(r, c).router().buffer((port + 2) % 4, colour).push_back(word);
  }
}

bool ModelGrid::work(int row, int col) {
  Tile& t = tile(row, col);
  bool did = t.work();
  // The core's way into the control plane is the ramp, whose words have the hops of the row first.
  for (const uint32_t word : t.take_requests()) brief(row, col, true, word);
  for (int colour = 0; colour < isa::kMaxDataColours; ++colour) {
    while (t.router().move(
        colour,
        [&](int port, int c, bool fence) {
          return port == Router::kRamp ? t.ramp_takes(c) : !full(row, col, port, c, fence);
        },
        [&](int port, int c, const Word& word) {
          if (port == Router::kRamp) {
            t.ramp(c, word);
          } else {
            leave(row, col, port, c, word);
          }
        })) {
      did = true;
    }
  }
  return did;
}

uint64_t ModelGrid::run(uint64_t) {
  // A program that never ends is stopped like the others, by a limit.
  constexpr int kMostRounds = 100000;
  bool did = true;
  for (int n = 0; did && n < kMostRounds; ++n) {
    did = false;
    for (int row = 0; row < shape_.rows; ++row) {
      for (int col = 0; col < shape_.cols; ++col) did = work(row, col) || did;
    }
  }
  return 0;
}

std::vector<uint32_t> ModelGrid::call(const Call& call) { return golden_call(call, wrong_); }

ModelTraining& ModelGrid::training() {
  if (!training_) throw Refused("job comes first");
  return *training_;
}

void ModelGrid::begin_job(const std::string& text) {
  training_.reset();
  training_ = std::make_unique<ModelTraining>(text, wrong_);
}

std::vector<uint32_t> ModelGrid::parameter(const std::string& name, const std::string& what) {
  return training().parameter(name, what);
}

void ModelGrid::set_parameter(const std::string& name, const std::vector<uint32_t>& words) {
  training().set_parameter(name, words);
}

void ModelGrid::set_gradient(const std::string& name, const std::vector<uint32_t>& words) {
  training().set_gradient(name, words);
}

std::vector<uint32_t> ModelGrid::batch(const std::vector<uint32_t>& inputs,
                                       const std::vector<uint32_t>& targets) {
  return training().batch(inputs, targets);
}

std::pair<bool, uint32_t> ModelGrid::end_step() { return training().end_step(); }

std::vector<uint32_t> ModelGrid::order(uint64_t samples, uint64_t step) {
  return training().order(samples, step);
}

}  // namespace ow::conform
