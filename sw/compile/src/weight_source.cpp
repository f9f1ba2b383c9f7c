// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/weight_source.h"

namespace ow::jobs {
namespace {

constexpr uint32_t kRowEnd = isa::Control::RowEnd::kMask;  // data bits of a control wavelet
constexpr uint32_t kStreamEnd = isa::Control::StreamEnd::kMask;

}  // namespace

WeightSource::WeightSource(const Network& network, int row, int rows, int colour, bool dense)
    : network_(network),
      row_(row),
      rows_(rows),
      colour_(static_cast<uint8_t>(colour)),
      dense_(dense) {
  start_layer();
}

void WeightSource::start_layer() {
  output_ = 0;
  ended_ = 0;
  input_ = row_;
}

void WeightSource::end_output(Wavelet* w) {
  const int outputs = network_.layers[layer_].outputs;
  w->ctrl = true;
  w->data = kRowEnd;
  input_ = row_;
  if (++ended_ == outputs) {
    w->data |= kStreamEnd;
    ++layer_;
    start_layer();
    return;
  }
  output_ += rows_;
  if (output_ >= outputs) output_ = output_ % rows_ + 1;  // the next owner's first
}

void WeightSource::next(size_t n, std::vector<Wavelet>* out) {
  for (; n > 0 && !done(); --n) {
    const Layer& layer = network_.layers[layer_];
    while (!dense_ && input_ < layer.inputs && half_is_zero(layer.weight(output_, input_))) {
      input_ += rows_;
    }
    Wavelet w;
    w.colour = colour_;
    if (input_ < layer.inputs) {
      const auto local = static_cast<uint32_t>(input_ / rows_);
      w.data = local << 16 | layer.weight(output_, input_);
      input_ += rows_;
      ++weights_;
    } else {
      end_output(&w);
    }
    ++wavelets_;
    out->push_back(w);
  }
}

}  // namespace ow::jobs
