// SPDX-License-Identifier: Apache-2.0
// Weights as wavelets: for each grid row the stream of all layers, made as the rows take them and
// within a bound. Nothing of a stream is kept behind it. Who works ahead of the wafers is SwarmX,
// whose thread makes the batches of a step (ow/swarmx/cast.h).
//
// A layer's stream, for sums round the column: the outputs owner by owner (those of grid row 0
// first, each owner's in ascending order), for each the weights of the grid row's inputs in
// ascending local index (local index in the upper half, weight in the lower one; zeros left out
// unless dense), then a control wavelet that ends the row; a layer's last one ends the stream. So
// partial sums turn round only where the owner changes. For whole sums a grid row gets its own
// outputs alone, each with all its weights in ascending input; the index is the place of the input
// where the inputs of all grid rows stand owner by owner. Deltas may come in windows of so many
// outputs of each owner, each with an end of the stream. Positions come in pieces of so many
// outputs one after the other in the matrix, so that all owners have about as many of each: first a
// wavelet whose data is the number of positions of the piece, then these, owner by owner, each
// output's with a row end, the last one's with the stream end.
#ifndef OW_MEMORYX_WEIGHT_STREAM_H_
#define OW_MEMORYX_WEIGHT_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "openwafer/grid.h"
#include "ow/memoryx/store.h"
#include "ow/tensor/network.h"
#include "ow/tensor/training.h"

namespace ow::memoryx {

// A matrix [outputs, inputs] that is streamed.
class MatrixSource {
 public:
  virtual ~MatrixSource() = default;
  virtual int outputs() const = 0;
  virtual int inputs() const = 0;
  // Rows first, first + step, ... of the matrix, `count` of them: count x inputs() encodings.
  virtual void rows(int first, int step, int count, uint16_t* out) const = 0;
  // Rows that are best asked for at once.
  virtual int batch() const { return 1; }
  // Whether every position is sent, whatever rows() would say: the values are not asked for.
  virtual bool all_positions() const { return false; }
  // What is sent beside the index: the encoding, or nothing.
  virtual bool index_only() const { return false; }
  virtual SumOrder order() const { return SumOrder::Column; }
  // Whether it comes in windows, if there are any.
  virtual bool windowed() const { return false; }
};

// A network's layer; `layer` must outlive it.
std::unique_ptr<MatrixSource> layer_matrix(const Layer& layer);

// A store's matrix, each weight rounded once to `type`; `store` must outlive it and not change
// while the stream is made.
//   Forward: as it stands. Delta: its transpose, in windows. Gradient: the positions of its mask
//   (all, if it has none), index alone. GradientOfAll: all positions. `order` is of weights alone.
enum class Pass { Forward, Delta, Gradient, GradientOfAll };
std::unique_ptr<MatrixSource> store_matrix(const Store& store, size_t tensor, HalfType type,
                                           Pass pass, SumOrder order = SumOrder::Column);

struct StreamOptions {
  int rows = 1;  // of the grid
  int colour = 0;
  bool dense = false;
  // Wavelets, all grid rows together, that are made ahead of the row that has taken least; at least
  // one batch of outputs always is.
  size_t depth = size_t{1} << 20;
  int piece = 0;   // outputs of a piece of positions; 0: those of the whole layer
  int window = 0;  // outputs of each owner in a window of deltas; 0: those of the whole layer
};

// Memory for wavelets that are written behind a `resize`, which does not write them too.
struct UnwrittenWavelets : std::allocator<Wavelet> {
  template <typename T>
  struct rebind {
    using other = UnwrittenWavelets;
  };
  void construct(Wavelet*) {}
  template <typename... From>
  void construct(Wavelet* wavelet, From&&... from) {
    new (wavelet) Wavelet{std::forward<From>(from)...};
  }
};
using Wavelets = std::vector<Wavelet, UnwrittenWavelets>;

// Outputs of a layer for all grid rows: what is made, and broadcast, at a time.
struct WaveletBatch {
  size_t layer = 0;  // of the stream's
  std::vector<Wavelets> rows;
};

// Where the wavelets of a stream come from, batch by batch.
class BatchSource {
 public:
  virtual ~BatchSource() = default;
  // Nothing comes any more.
  virtual bool done() const = 0;
  virtual std::shared_ptr<const WaveletBatch> next() = 0;
};

// The batches of these layers; of the options rows, colour, dense, piece and window
// count.
std::unique_ptr<BatchSource> matrix_batches(std::vector<std::unique_ptr<MatrixSource>> layers,
                                            const StreamOptions& options);

class WeightStream {
 public:
  WeightStream(std::unique_ptr<BatchSource> source, const StreamOptions& options);
  WeightStream(std::vector<std::unique_ptr<MatrixSource>> layers, const StreamOptions& options);

  // Appends up to n wavelets of a grid row, all of one layer; fewer where the layer's last one is
  // among them, or where other rows are so far behind that no more may be made.
  void next(int row, size_t n, std::vector<Wavelet>* out);
  bool done(int row) const;
  // The layer whose wavelets have been taken last; 0 before.
  size_t layer(int row) const { return rows_[static_cast<size_t>(row)].layer; }

  // Taken so far.
  uint64_t wavelets(int row) const { return rows_[static_cast<size_t>(row)].wavelets; }
  uint64_t weights(int row) const { return rows_[static_cast<size_t>(row)].weights; }

 private:
  struct Row {
    size_t batch = 0;  // number of the batch that it takes from, since the beginning
    size_t at = 0;     // and the place in it
    size_t layer = 0;
    uint64_t wavelets = 0;
    uint64_t weights = 0;
  };

  void add(std::shared_ptr<const WaveletBatch> batch);
  size_t available(const Row& row) const;
  bool full() const { return waiting_ >= options_.depth; }

  const std::unique_ptr<BatchSource> source_;
  const StreamOptions options_;
  std::deque<std::shared_ptr<const WaveletBatch>> batches_;
  size_t first_ = 0;    // number of the first of them
  size_t waiting_ = 0;  // wavelets in them
  bool finished_ = false;
  std::vector<Row> rows_;
};

}  // namespace ow::memoryx

#endif  // OW_MEMORYX_WEIGHT_STREAM_H_
