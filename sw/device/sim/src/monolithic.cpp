// SPDX-License-Identifier: Apache-2.0
// The monolithic top: the whole grid Verilated as one model. It is the reference for the replicated
// engine.
#include <fmt/format.h>
#include <verilated.h>

#include "Vow_grid2x2.h"
#include "link_vector.h"
#include "model.h"
#include "monolithic.h"
#include "ow/base/error.h"

namespace ow {
namespace {

constexpr int kRows = 2;
constexpr int kCols = 2;

class Monolithic : public SimDevice {
 public:
  Monolithic(GridShape shape, bool checked) : SimDevice(shape), model_(&context_, "grid") {
    if (shape.rows != kRows || shape.cols != kCols) {
      throw BadInput(
          fmt::format("grid of {} x {} tiles: the monolithic device is built for {} x {}",
                      shape.rows, shape.cols, kRows, kCols));
    }
    context_.enter();
    context_.assertOn(checked);
    sim::start_tile(&model_);
  }
  ~Monolithic() override { context_.enter(); }

  std::string description() const override {
    return fmt::format("monolithic top, {} x {} tiles", kRows, kCols);
  }
  uint64_t evaluations() const override { return cycle() * kRows * kCols; }

 protected:
  void clock_grid(uint64_t cycle, const uint64_t* in, uint64_t* out) override {
    context_.enter();
    put_inputs(in);
    model_->cycle_i = cycle;
    model_.clock_both_edges();
    sim::unpack_links(model_->north_o.data(), kCols, out + ports_.first(Side::North));
    sim::unpack_links(model_->east_o.data(), kRows, out + ports_.first(Side::East));
    sim::unpack_links(model_->south_o.data(), kCols, out + ports_.first(Side::South));
    sim::unpack_links(model_->west_o.data(), kRows, out + ports_.first(Side::West));
  }
  bool grid_quiet() const override { return model_->idle_o != 0; }

 private:
  void put_inputs(const uint64_t* in) {
    sim::pack_links(in + ports_.first(Side::North), kCols, model_->north_i.data());
    sim::pack_links(in + ports_.first(Side::East), kRows, model_->east_i.data());
    sim::pack_links(in + ports_.first(Side::South), kCols, model_->south_i.data());
    sim::pack_links(in + ports_.first(Side::West), kRows, model_->west_i.data());
  }

  sim::Context context_;
  sim::Model<Vow_grid2x2> model_;
};

}  // namespace

std::unique_ptr<SimDevice> make_monolithic(GridShape shape, const SimOptions& options) {
  if (options.lockstep) throw BadInput("lockstep is only for engine=wide");
  if (options.check_idle || options.drop_credit || !options.waves.file.empty()) {
    throw BadInput("the idle check, fault injection and waves need the replicated device");
  }
  return std::make_unique<Monolithic>(shape, options.checked);
}

}  // namespace ow
