// SPDX-License-Identifier: Apache-2.0
// The wavelets of one grid row for all layers of a network, made as they are wanted: nothing of the
// stream is kept.
#ifndef OW_COMPILE_WEIGHT_SOURCE_H_
#define OW_COMPILE_WEIGHT_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ow/device/device.h"
#include "ow/tensor/network.h"

namespace ow::jobs {

class WeightSource {
 public:
  // For each layer: the outputs owner by owner (those of grid row 0 first, each owner's in
  // ascending order), for each the weights of grid row `row` of `rows` in ascending local index
  // (zeros left out unless dense), then a row end; a layer's last one ends the stream. So partial
  // sums turn round only where the owner changes. `network` must outlive the source.
  WeightSource(const Network& network, int row, int rows, int colour, bool dense);

  // Appends up to n wavelets; fewer only where the last one is among them.
  void next(size_t n, std::vector<Wavelet>* out);
  bool done() const { return layer_ == network_.layers.size(); }

  // So far.
  uint64_t wavelets() const { return wavelets_; }
  uint64_t weights() const { return weights_; }

 private:
  void start_layer();
  void end_output(Wavelet* w);

  const Network& network_;
  int row_;
  int rows_;
  uint8_t colour_;
  bool dense_;
  size_t layer_ = 0;
  int output_ = 0;  // the one that is being sent
  int ended_ = 0;   // outputs of the layer that are complete
  int input_ = 0;   // the next one to be looked at
  uint64_t wavelets_ = 0;
  uint64_t weights_ = 0;
};

}  // namespace ow::jobs

#endif  // OW_COMPILE_WEIGHT_SOURCE_H_
