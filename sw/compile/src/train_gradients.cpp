// SPDX-License-Identifier: Apache-2.0
// The gradients of a micro-batch: which numbers each grid row sends, and where they go.
#include <algorithm>
#include <cstring>
#include <optional>

#include "ow/compile/train_grid.h"

namespace ow::jobs {

using memoryx::WaferSide;

// The calls for each gradient of a layer's matrix, in the order in which the grid rows send them:
// output(j), then position(i) for its inputs, and piece_ends() after each piece of the stream.
template <typename Output, typename Position, typename PieceEnds>
void TrainGrid::each_gradient(const WaferSide& memory, size_t k, const Output& output,
                              const Position& position, const PieceEnds& piece_ends) const {
  const LayerShape& layer = plan_.layers[k];
  const size_t tensor = parameters_[k].weight;
  const auto inputs = static_cast<size_t>(layer.inputs);
  const bool all = memory.needs_dense(tensor) || !memory.store().spec(tensor).masked;
  const int rows = plan_.grid.rows;
  const int64_t piece = plan_.gather_rows;
  for (int64_t first = 0; first < layer.outputs; first += piece) {
    const auto ends = static_cast<int>(std::min<int64_t>(first + piece, layer.outputs));
    for (int owner = 0; owner < rows; ++owner) {
      for (int l = plan_.owned(static_cast<int>(first), owner); l < plan_.owned(ends, owner); ++l) {
        const auto at = static_cast<size_t>(l * rows + owner);
        output(at);
        if (all) {
          for (size_t i = 0; i < inputs; ++i) position(i);
        } else {
          const auto mask = memory.store().mask(tensor, at * inputs, inputs);
          for (size_t i = 0; i < inputs; ++i) {
            if (mask[i] != 0) position(i);
          }
        }
      }
    }
    piece_ends();
  }
}

// Pads to whole rows of the tiles' reducers.
void TrainGrid::end_piece(std::vector<size_t>* numbers, std::vector<size_t>* begin) const {
  const auto lanes = static_cast<size_t>(plan_.tile.lanes);
  for (size_t r = 0; r < numbers->size(); ++r) {
    size_t& n = (*numbers)[r];
    n = (*begin)[r] + (n - (*begin)[r] + lanes - 1) / lanes * lanes;
  }
  *begin = *numbers;
}

std::vector<size_t> TrainGrid::gradients_of(const WaferSide& memory, bool padded) const {
  const auto rows = static_cast<size_t>(plan_.grid.rows);
  std::vector<size_t> numbers(rows, 0);
  for (size_t k = 0; k < plan_.layers.size(); ++k) {
    const LayerShape& layer = plan_.layers[k];
    for (size_t r = 0; layer.bias && r < rows; ++r) {
      numbers[r] += static_cast<size_t>(plan_.owned(layer.outputs, static_cast<int>(r)));
    }
    std::vector<size_t> begin = numbers;
    each_gradient(
        memory, k, [](size_t) {}, [&](size_t i) { ++numbers[i % rows]; },
        [&] {
          if (padded) end_piece(&numbers, &begin);
        });
  }
  return numbers;
}

void TrainGrid::take_gradients(const Arrived& rows, WaferSide* memory) {
  const size_t grid_rows = rows.size();
  const int slot = memory->gradient_slot();
  std::vector<size_t> at(grid_rows, 0);
  if (time_) time_->begin_gradients();
  using swarmx::GradientRun;
  const auto next = [&](size_t layer, size_t row, GradientRun::Kind kind) {
    const size_t number = at[row]++;
    const Arrival& arrival = rows[row][number];
    if (time_) time_->gradient(static_cast<int>(row), layer, kind, number, arrival.cycle);
    float value;
    std::memcpy(&value, &arrival.wavelet.data, sizeof value);
    return value;
  };
  const memoryx::Store& store = memory->store();
  for (size_t k = plan_.layers.size(); k-- > 0;) {
    const LayerShape& layer = plan_.layers[k];
    const size_t tensor = parameters_[k].weight;
    const auto inputs = static_cast<size_t>(layer.inputs);
    const auto outputs = static_cast<size_t>(layer.outputs);
    std::optional<memoryx::View<float>> gradient;  // of the biases, of an output
    if (layer.bias) {
      gradient.emplace(store.gradient(parameters_[k].bias, slot, 0, outputs));
      for (size_t j = 0; j < outputs; ++j)
        (*gradient)[j] = next(k, j % grid_rows, GradientRun::Biases);
    }
    std::vector<size_t> begin = at;
    // The gradient covers all positions, although only those of the mask are updated.
    const bool wider = store.spec(tensor).masked && memory->needs_dense(tensor);
    std::optional<memoryx::View<uint8_t>> mask;
    const auto output = [&](size_t j) {
      gradient.emplace(store.gradient(tensor, slot, j * inputs, inputs));
      if (wider) mask.emplace(store.mask(tensor, j * inputs, inputs));
    };
    const auto position = [&](size_t i) {
      const bool updated = !wider || (*mask)[i] != 0;
      (*gradient)[i] =
          next(k, i % grid_rows, updated ? GradientRun::Matrix : GradientRun::Unmasked);
    };
    each_gradient(*memory, k, output, position, [&] { end_piece(&at, &begin); });
  }
  memory->gradient_added();
}

}  // namespace ow::jobs
