// SPDX-License-Identifier: Apache-2.0
#include "ow/sim/one_tile.h"

#include <mutex>

#include "tile_cells.h"

namespace ow {
namespace {

using sim::Context;
using sim::Model;
using sim::TileCells;

class Verilated : public OneTile {
 public:
  Verilated(Context* context, const TileCells* cells, const std::string& name)
      : context_(context), cells_(cells), model_(context, name) {
    sim::start_tile(&model_);
  }

  void begin(const uint64_t* words, uint64_t cycle, const uint64_t* in) override {
    context_->enter();
    cells_->write(&model_, words);
    cells_->begin(&model_, cycle, in);
  }
  void clock(uint64_t cycle, const uint64_t* in) override {
    context_->enter();
    Vow_tile* const m = model_.get();
    m->cycle_i = cycle;
    m->link_n_i = in[0];
    m->link_e_i = in[1];
    m->link_s_i = in[2];
    m->link_w_i = in[3];
    model_.clock();
  }
  uint64_t sent(int side) const override {
    const Vow_tile* const m = model_.get();
    const uint64_t words[] = {m->link_n_o, m->link_e_o, m->link_s_o, m->link_w_o};
    return words[side];
  }
  bool idle() const override { return model_->idle_o; }
  void read(uint64_t* words) const override { cells_->read(model_, words); }
  void read_next(uint64_t* words) override {
    context_->enter();
    cells_->read_next(&model_, words);
  }

 private:
  Context* context_;
  const TileCells* cells_;
  Model<Vow_tile> model_;
};

class Maker : public TileMaker {
 public:
  explicit Maker(bool checked) : cells_(Model<Vow_tile>(&context_, "layout")) {
    context_.assertOn(checked);
  }
  const StateLayout& layout() const override { return cells_.layout(); }
  size_t tile_bytes() const override { return sizeof(Vow_tile___024root); }
  std::unique_ptr<OneTile> make(const std::string& name) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    context_.enter();
    return std::make_unique<Verilated>(&context_, &cells_, name);
  }

 private:
  std::mutex mutex_;
  Context context_;
  TileCells cells_;
};

}  // namespace

std::unique_ptr<TileMaker> make_tile_maker(bool checked) {
  return std::make_unique<Maker>(checked);
}

}  // namespace ow
