// SPDX-License-Identifier: Apache-2.0
// The grid in rank 0.
#include "ow/sim/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <utility>
#include <vector>

#include "ow/base/error.h"
#include "ow/base/text.h"
#include "ow/sim/sim_device.h"
#include "split_messages.h"

namespace ow {

using ranks::Message;
using ranks::Reader;
using ranks::Writer;
using split::Answer;
using split::Ask;

namespace {

constexpr size_t kMostText = 2000;  // letters of an error from another rank

bool any(const std::vector<uint64_t>& words) {
  return std::any_of(words.begin(), words.end(), [](uint64_t word) { return word != 0; });
}

// Has part 0 itself.
class Split : public SimDevice {
 public:
  Split(GridShape shape, const SimOptions& options, int unit, const EngineMaker& make);
  ~Split() override;

  std::string description() const override {
    return fmt::format("{} x {} tiles in {} ranks, in each: {}", shape_.rows, shape_.cols,
                       parts_.size(), own_->description());
  }
  uint64_t evaluations() const override;
  std::vector<UnitClock> unit_clocks() const override;
  bool has_memory() const override { return own_->has_memory(); }
  const StateLayout& state_layout() const override { return own_->state_layout(); }
  void read_tile(size_t tile, TileState* state) override;
  void write_tiles(const std::function<void(size_t, TileState*)>& tiles) override;

 protected:
  void put_memory(int row, int col, uint32_t addr, const uint32_t* words, size_t count) override;
  void clock_grid(uint64_t cycle, const uint64_t* in, uint64_t* out) override;
  bool grid_quiet() const override {
    return std::all_of(parts_.begin(), parts_.end(),
                       [](const Part& part) { return part.rests && !any(part.comes); });
  }

 private:
  struct Part {
    int first_row = 0;
    GridShape shape;
    bool rests = false;                   // nothing in it changes before something comes
    bool due = true;                      // it is clocked in the next cycle all the same
    bool clocked = true;                  // in this cycle
    std::vector<uint64_t> comes, leaves;  // by port of the part
    uint64_t& to(Side side, int index) { return comes[split::port(shape, side, index)]; }
    uint64_t from(Side side, int index) const { return leaves[split::port(shape, side, index)]; }
  };

  size_t part_of(int row) const {
    size_t k = 0;
    while (row >= parts_[k].first_row + parts_[k].shape.rows) ++k;
    return k;
  }
  int rank(size_t part) const { return static_cast<int>(part); }
  void made(size_t part, Reader answer);
  void each(const std::function<void(size_t part, const Message& answer)>& work);
  Reader good(const Message& message, size_t part) const;
  Message ask(size_t part, Writer* writer) const { return ranks_->ask(rank(part), writer->take()); }
  void take_edges(const uint64_t* in);
  void give_words(uint64_t* out);
  uint64_t* crosses(size_t part, int row, int column, size_t side);

  std::shared_ptr<GridRanks> ranks_;
  bool all_;  // a part that rests is clocked, too
  std::vector<Part> parts_;
  std::unique_ptr<SimDevice> own_;  // part 0
};

Split::Split(GridShape shape, const SimOptions& options, int unit, const EngineMaker& make)
    : SimDevice(shape), ranks_(options.ranks), all_(options.check_idle || !options.skip_idle) {
  const int count = ranks_->count(), units = (shape.rows + unit - 1) / unit;
  for (int k = 0; k < count; ++k) {
    const int first = units * k / count * unit;
    const int end = std::min(units * (k + 1) / count * unit, shape.rows);
    Part part;
    part.first_row = first;
    part.shape = {end - first, shape.cols};
    part.comes.assign(static_cast<size_t>(split::port_count(part.shape)), 0);
    part.leaves = part.comes;
    parts_.push_back(std::move(part));
  }
  SimOptions order = options;
  order.ranks = nullptr;
  for (size_t k = 1; k < parts_.size(); ++k) {
    Writer writer = split::request(Ask::Make);
    order.first_row = parts_[k].first_row;
    split::put_order(parts_[k].shape, order, &writer);
    ranks_->tell(rank(k), writer.take());
  }
  order.first_row = 0;
  order.processes_here = ranks_->count_here();
  each([&](size_t k, const Message& message) {
    if (k == 0) {
      own_ = make(parts_[0].shape, order);
      parts_[0].rests = own_->grid_quiet();
    } else if (own_) {
      made(k, good(message, k));
    }
  });
  ranks_->set_used(true);
}

// The answer of a rank that has made its part.
void Split::made(size_t k, Reader answer) {
  parts_[k].rests = split::get_flag(&answer);
  std::string hash = hash_of(own_->state_layout());
  const std::string own = hash;
  answer.get(hash.data(), hash.size());
  answer.close();
  if (hash == own) return;
  throw BadInput(fmt::format(
      "rank {}: its tiles have other registers than those of rank 0: is it another program?", k));
}

Split::~Split() {
  try {
    for (size_t k = 1; k < parts_.size(); ++k)
      ranks_->tell(rank(k), split::request(Ask::Drop).take());
  } catch (const Error&) {  // a failure has been reported
  }
  ranks_->set_used(false);
}

// Calls `work` for part 0, then for each other one that is clocked with its rank's answer. If
// several fail, the first one's error counts; all answers are taken in any case.
void Split::each(const std::function<void(size_t part, const Message& answer)>& work) {
  std::exception_ptr failed;
  for (size_t k = 0; k < parts_.size(); ++k) {
    if (!parts_[k].clocked) continue;
    const Message message = k == 0 ? Message() : ranks_->answer(rank(k));
    try {
      work(k, message);
    } catch (...) {
      if (!failed) failed = std::current_exception();
    }
  }
  if (failed) std::rethrow_exception(failed);
}

// An answer without its first byte. Throws the error that it is; a failed assertion names its tile.
Reader Split::good(const Message& message, size_t part) const {
  Reader reader(message);
  const auto kind = reader.get<Answer>();
  if (kind == Answer::Good) return reader;
  const std::string what = printable_text({message.begin() + 1, message.end()}, kMostText);
  if (kind == Answer::DeviceFault) throw DeviceFault(what);
  const std::string named = fmt::format("rank {}: {}", part, what);
  if (kind == Answer::BadInput) throw BadInput(named);
  throw InternalError(named);
}

uint64_t Split::evaluations() const {
  uint64_t all = own_->evaluations();
  for (size_t k = 1; k < parts_.size(); ++k) {
    Writer writer = split::request(Ask::Counts);
    const Message message = ask(k, &writer);
    all += good(message, k).get<uint64_t>();
  }
  return all;
}

std::vector<UnitClock> Split::unit_clocks() const {
  std::vector<UnitClock> all = own_->unit_clocks();
  for (size_t k = 1; k < parts_.size(); ++k) {
    Writer writer = split::request(Ask::Counts);
    const Message message = ask(k, &writer);
    Reader reader = good(message, k);
    reader.get<uint64_t>();
    for (UnitClock& unit : all) unit.edges += reader.get<uint64_t>();
  }
  return all;
}

void Split::put_memory(int row, int col, uint32_t addr, const uint32_t* words, size_t count) {
  const size_t k = part_of(row);
  row -= parts_[k].first_row;
  if (k == 0) return own_->write_memory(row, col, addr, words, count);
  Writer writer = split::request(Ask::Memory);
  writer.put(row);
  writer.put(col);
  writer.put(addr);
  writer.put(uint64_t{count});
  writer.put(words, count);
  const Message message = ask(k, &writer);
  good(message, k);
}

// Where a word waits that a tile sends into another part in the coming cycle; null if it does not.
uint64_t* Split::crosses(size_t k, int row, int column, size_t side) {
  const Part& part = parts_[k];
  if (side == 0 && k > 0 && row == part.first_row) {
    return &parts_[k - 1].to(Side::South, column);
  }
  const bool last = row + 1 == part.first_row + part.shape.rows;
  if (side == 2 && k + 1 < parts_.size() && last) return &parts_[k + 1].to(Side::North, column);
  return nullptr;
}

void Split::read_tile(size_t tile, TileState* state) {
  const auto columns = static_cast<size_t>(shape_.cols);
  const int row = static_cast<int>(tile / columns), column = static_cast<int>(tile % columns);
  const size_t k = part_of(row);
  const size_t of_part = tile - static_cast<size_t>(parts_[k].first_row) * columns;
  if (k == 0) {
    own_->read_tile(of_part, state);
  } else {
    Writer writer = split::request(Ask::Read);
    writer.put(uint64_t{of_part});
    const Message message = ask(k, &writer);
    Reader reader = good(message, k);
    split::get_state(&reader, state_layout(), state);
  }
  for (size_t side = 0; side < kSides; ++side) {
    const uint64_t* const word = crosses(k, row, column, side);
    if (word != nullptr) state->sent[side] = *word;
  }
}

void Split::write_tiles(const std::function<void(size_t, TileState*)>& tiles) {
  const auto columns = static_cast<size_t>(shape_.cols);
  for (Part& part : parts_) std::fill(part.comes.begin(), part.comes.end(), uint64_t{0});
  const auto take = [&](size_t k, size_t of_part, TileState* state) {
    const size_t tile = static_cast<size_t>(parts_[k].first_row) * columns + of_part;
    tiles(tile, state);
    for (size_t side = 0; side < kSides; ++side) {
      uint64_t* const word =
          crosses(k, static_cast<int>(tile / columns), static_cast<int>(tile % columns), side);
      if (word != nullptr) *word = std::exchange(state->sent[side], 0);
    }
  };
  own_->write_tiles([&](size_t tile, TileState* state) { take(0, tile, state); });
  parts_[0].rests = own_->grid_quiet();
  for (size_t k = 1; k < parts_.size(); ++k) {
    const auto tell = [&](Writer message) { ranks_->tell(rank(k), message.take()); };
    tell(split::request(Ask::Write));
    std::exception_ptr failed;
    TileState state;
    const size_t count = static_cast<size_t>(parts_[k].shape.rows) * columns;
    for (size_t tile = 0; tile < count && !failed; ++tile) {
      try {
        take(k, tile, &state);
      } catch (...) {
        failed = std::current_exception();
      }
      Writer writer = split::request(failed ? Ask::Stop : Ask::Tile);
      if (!failed) split::put_state(state, &writer);
      tell(std::move(writer));
    }
    const Message message = ranks_->answer(rank(k));
    if (failed) std::rethrow_exception(failed);
    Reader reader = good(message, k);
    parts_[k].rests = split::get_flag(&reader);
  }
  for (Part& part : parts_) part.due = true;
}

// Words at the edges of the grid, beside those that come from other parts.
void Split::take_edges(const uint64_t* in) {
  for (int c = 0; c < shape_.cols; ++c) {
    parts_.front().to(Side::North, c) = in[ports_.first(Side::North) + c];
    parts_.back().to(Side::South, c) = in[ports_.first(Side::South) + c];
  }
  for (Part& part : parts_) {
    for (int r = 0; r < part.shape.rows; ++r) {
      part.to(Side::East, r) = in[ports_.first(Side::East) + part.first_row + r];
      part.to(Side::West, r) = in[ports_.first(Side::West) + part.first_row + r];
    }
  }
}

// The words that have left the parts, each to where it goes.
void Split::give_words(uint64_t* out) {
  for (Part& part : parts_) std::fill(part.comes.begin(), part.comes.end(), uint64_t{0});
  for (size_t k = 0; k < parts_.size(); ++k) {
    const Part& part = parts_[k];
    if (!part.clocked) continue;
    for (int c = 0; c < shape_.cols; ++c) {
      uint64_t& up = k > 0 ? parts_[k - 1].to(Side::South, c) : out[ports_.first(Side::North) + c];
      uint64_t& down = k + 1 < parts_.size() ? parts_[k + 1].to(Side::North, c)
                                             : out[ports_.first(Side::South) + c];
      up = part.from(Side::North, c);
      down = part.from(Side::South, c);
    }
    for (int r = 0; r < part.shape.rows; ++r) {
      out[ports_.first(Side::East) + part.first_row + r] = part.from(Side::East, r);
      out[ports_.first(Side::West) + part.first_row + r] = part.from(Side::West, r);
    }
  }
}

// The other ranks clock their parts meanwhile.
void Split::clock_grid(uint64_t cycle, const uint64_t* in, uint64_t* out) {
  std::fill(out, out + ports_.count(), uint64_t{0});
  take_edges(in);
  for (size_t k = 0; k < parts_.size(); ++k) {
    Part& part = parts_[k];
    part.clocked = all_ || part.due || !part.rests || any(part.comes);
    part.due = false;
    if (!part.clocked || k == 0) continue;
    Writer writer = split::request(Ask::Clock);
    writer.put(cycle);
    split::put_words(part.comes, &writer);
    ranks_->tell(rank(k), writer.take());
  }
  each([&](size_t k, const Message& message) {
    Part& part = parts_[k];
    if (k == 0) {
      own_->clock_grid(cycle, part.comes.data(), part.leaves.data());
      part.rests = own_->grid_quiet();
      return;
    }
    Reader reader = good(message, k);
    part.rests = split::get_flag(&reader);
    split::get_words(&reader, &part.leaves);
  });
  give_words(out);
}

}  // namespace

void check_split(GridShape shape, int ranks, int unit, const std::string& who) {
  const int units = (shape.rows + unit - 1) / unit;
  if (ranks <= units) return;
  throw BadInput(fmt::format("{}: split={}: a grid of {} x {} tiles has {} {}", who, ranks,
                             shape.rows, shape.cols, units,
                             unit == 1 ? "rows" : fmt::format("rows of blocks, of {} each", unit)));
}

std::unique_ptr<SimDevice> make_split(GridShape shape, const SimOptions& options, int unit,
                                      const EngineMaker& make) {
  const std::pair<bool, const char*> lacks[] = {{options.drop_credit.has_value(), "lost credits"},
                                                {!options.waves.file.empty(), "waves"},
                                                {options.on_word != nullptr, "reports of words"},
                                                {options.ranks->used(), "other grid beside it"}};
  for (const auto& [wanted, what] : lacks) {
    if (wanted) throw BadInput(fmt::format("a grid that is split has no {}", what));
  }
  check_split(shape, options.ranks->count(), unit, "sim");
  return std::make_unique<Split>(shape, options, unit, make);
}

}  // namespace ow
