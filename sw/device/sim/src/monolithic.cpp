// SPDX-License-Identifier: Apache-2.0
// The monolithic top: the whole grid Verilated as one model. It is the reference for the replicated
// engine.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <verilated.h>

#include "Vow_grid2x2.h"
#include "model.h"
#include "monolithic.h"
#include "ow/base/error.h"
#include "ow/device/link_word.h"

namespace ow {
namespace {

constexpr int kResetCycles = 4;
constexpr int kReleaseCycles = 2;  // as in the replicated engine
constexpr int kRows = 2;
constexpr int kCols = 2;

// Link words side by side in a packed vector.
void put_links(EData* vector, int count, const uint64_t* words) {
  const int n = (count * kLinkBits + 31) / 32;
  for (int i = 0; i < n; ++i) vector[i] = 0;
  for (int k = 0; k < count; ++k) {
    for (int b = 0; b < kLinkBits;) {
      const int at = k * kLinkBits + b;
      const int room = std::min(32 - at % 32, kLinkBits - b);
      const uint64_t part = words[k] >> b & ((uint64_t{1} << room) - 1);
      vector[at / 32] |= static_cast<EData>(part << (at % 32));
      b += room;
    }
  }
}

void get_links(const EData* vector, int count, uint64_t* words) {
  for (int k = 0; k < count; ++k) {
    words[k] = 0;
    for (int b = 0; b < kLinkBits;) {
      const int at = k * kLinkBits + b;
      const int room = std::min(32 - at % 32, kLinkBits - b);
      const uint64_t part = vector[at / 32] >> (at % 32) & ((uint64_t{1} << room) - 1);
      words[k] |= part << b;
      b += room;
    }
  }
}

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
    const uint64_t zero[8] = {};
    model_->rst_i = 1;
    model_->cycle_i = 0;
    put_inputs(zero);
    model_.evaluate();
    for (int k = 0; k < kResetCycles; ++k) clock();
    model_->rst_i = 0;
    for (int k = 0; k < kReleaseCycles; ++k) clock();
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
    clock();
    get_links(model_->north_o.data(), kCols, out + ports_.first(Side::North));
    get_links(model_->east_o.data(), kRows, out + ports_.first(Side::East));
    get_links(model_->south_o.data(), kCols, out + ports_.first(Side::South));
    get_links(model_->west_o.data(), kRows, out + ports_.first(Side::West));
  }
  bool grid_quiet() const override { return model_->idle_o != 0; }

 private:
  void put_inputs(const uint64_t* in) {
    put_links(model_->north_i.data(), kCols, in + ports_.first(Side::North));
    put_links(model_->east_i.data(), kRows, in + ports_.first(Side::East));
    put_links(model_->south_i.data(), kCols, in + ports_.first(Side::South));
    put_links(model_->west_i.data(), kRows, in + ports_.first(Side::West));
  }
  void clock() { model_.clock_both_edges(); }

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
