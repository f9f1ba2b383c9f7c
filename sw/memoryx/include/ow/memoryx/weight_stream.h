// SPDX-License-Identifier: Apache-2.0
// Weights as wavelets: for each grid row the streams of a schedule, step by step
// (stream_schedule.h). Wavelets are made as the rows take them, at most a given number ahead, and
// are not kept. SwarmX's thread makes the batches of a step ahead of the wafers (ow/swarmx/cast.h).
//
// Sums round the column. A step's outputs come owner by owner: those of grid row 0 first, each
// owner's in ascending order. So partial sums change direction only where the owner changes. For
// each output come the weights of the grid row's inputs, in ascending local index. A wavelet has
// the local index in its upper half and the weight in its lower half. Zeros are left out unless
// `dense`. A control wavelet ends the output's row; the last one of a step ends the stream.
//
// Whole sums. A grid row gets only its own outputs, each with all its weights in ascending input.
// The index is the input's place among the inputs of all grid rows, which stand owner by owner.
//
// A pass over a matrix may come in several steps. Outputs of a step are neighbours in the matrix,
// so all owners have about as many of each.
//
// Positions. The first wavelet of a step holds its number of positions. Then come the positions,
// owner by owner. Each output ends with a row end, the last one with the stream end.
#ifndef OW_MEMORYX_WEIGHT_STREAM_H_
#define OW_MEMORYX_WEIGHT_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "openwafer/grid.h"
#include "ow/memoryx/store.h"
#include "ow/memoryx/stream_schedule.h"

namespace ow::memoryx {

// A matrix [outputs, inputs] that is streamed.
class MatrixSource {
 public:
  virtual ~MatrixSource() = default;
  virtual int outputs() const = 0;
  virtual int inputs() const = 0;
  // Writes rows first, first + step, ... of the matrix, `count` of them: count x inputs()
  // encodings.
  virtual void rows(int first, int step, int count, uint16_t* out) const = 0;
  // The number of rows that a caller should ask for at once.
  virtual int batch() const { return 1; }
  // Whether all positions are sent, whatever their values. rows() is then not called.
  virtual bool all_positions() const { return false; }
  // Whether only the index is sent, without the encoding.
  virtual bool index_only() const { return false; }
};

// What a pass sends of a matrix of a store, each weight rounded once to `type`. `store` must
// outlive it and must not change while the stream is made. Each row of the matrix stands there
// `copies` times.
std::unique_ptr<MatrixSource> store_matrix(const Store& store, size_t tensor, HalfType type,
                                           Pass pass, int copies = 1);

// Makes resize() leave new wavelets unwritten, because they are written right after it.
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

// Some outputs of a step for all grid rows. Wavelets are made and broadcast in such batches.
struct WaveletBatch {
  size_t step = 0;  // its place in the schedule
  std::vector<Wavelets> rows;
};

// Gives the wavelets of a stream, batch by batch.
class BatchSource {
 public:
  virtual ~BatchSource() = default;
  // No batch is left.
  virtual bool done() const = 0;
  virtual std::shared_ptr<const WaveletBatch> next() = 0;
};

// Gives the matrix of a step, or null for a step that sends nothing. Called once for the steps of a
// pass.
using MatrixMaker = std::function<std::unique_ptr<MatrixSource>(const StreamStep& step)>;

// The batches of a schedule. It uses rows and dense of the options. InternalError for a
// step outside its matrix; BadInput for a matrix of more than 65,536 inputs a grid row.
std::unique_ptr<BatchSource> matrix_batches(const StreamSchedule& schedule, const MatrixMaker& make,
                                            const StreamOptions& options);

class WeightStream {
 public:
  WeightStream(std::unique_ptr<BatchSource> source, const StreamOptions& options);

  // Appends up to n wavelets of a grid row, all of one step. It appends fewer at the end of a
  // step, or if other rows are so far behind that no more may be made.
  void next(int row, size_t n, std::vector<Wavelet>* out);
  bool done(int row) const;
  // The step of the wavelets taken last, as its place in the schedule; 0 before the first.
  size_t step(int row) const { return rows_[static_cast<size_t>(row)].step; }

  // Taken so far.
  uint64_t wavelets(int row) const { return rows_[static_cast<size_t>(row)].wavelets; }
  uint64_t weights(int row) const { return rows_[static_cast<size_t>(row)].weights; }

 private:
  struct Row {
    size_t batch = 0;  // number of its current batch, since the beginning
    size_t at = 0;     // its place in that batch
    size_t step = 0;
    uint64_t wavelets = 0;
    uint64_t weights = 0;
  };

  void add(std::shared_ptr<const WaveletBatch> batch);
  size_t available(const Row& row) const;
  bool full() const { return waiting_ >= options_.depth; }

  const std::unique_ptr<BatchSource> source_;
  const StreamOptions options_;
  std::deque<std::shared_ptr<const WaveletBatch>> batches_;
  size_t first_ = 0;    // number of the first batch in batches_
  size_t waiting_ = 0;  // wavelets in batches_
  bool finished_ = false;
  std::vector<Row> rows_;
};

}  // namespace ow::memoryx

#endif  // OW_MEMORYX_WEIGHT_STREAM_H_
