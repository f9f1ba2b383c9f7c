// SPDX-License-Identifier: Apache-2.0
#include "ow/memoryx/weight_stream.h"

#include <algorithm>

#include "ow/base/error.h"
#include "ow/isa/isa.h"

namespace ow::memoryx {
namespace {

constexpr uint32_t kRowEnd = isa::Control::RowEnd::kMask;  // data bits of a control wavelet
constexpr uint32_t kStreamEnd = isa::Control::StreamEnd::kMask;
constexpr size_t kBatchValues = size_t{1} << 15;  // about so many weights are made at once

// Outputs of 0 .. n - 1 that a grid row owns.
int owned(int n, int row, int rows) { return n > row ? (n - row + rows - 1) / rows : 0; }

// Indices of the values of inputs row, row + rows, ... that are sent; returns how many.
template <bool kDense, bool kIndexOnly>
size_t compress(const uint16_t* values, int row, int rows, int inputs, uint8_t colour,
                Wavelet* out) {
  size_t n = 0;
  uint32_t index = 0;
  for (int i = row; i < inputs; i += rows) {
    const uint16_t value = values[i];
    out[n].colour = colour;
    out[n].ctrl = false;
    out[n].data = index | (kIndexOnly ? 0u : value);
    index += 0x10000;
    n += kDense || !half_is_zero(value) ? 1 : 0;
  }
  return n;
}

// The upper halves of wavelets by input, where those of all grid rows stand owner by owner.
std::vector<uint32_t> places_of(int inputs, int rows) {
  std::vector<uint32_t> places(static_cast<size_t>(inputs));
  uint32_t place = 0;
  for (int owner = 0; owner < rows; ++owner) {
    for (int i = owner; i < inputs; i += rows) places[static_cast<size_t>(i)] = place++ << 16;
  }
  return places;
}

// Makes the batches of matrices, one layer behind the other.
class MatrixBatches : public BatchSource {
 public:
  MatrixBatches(std::vector<std::unique_ptr<MatrixSource>> layers, const StreamOptions& options)
      : layers_(std::move(layers)), options_(options) {
    if (options.rows < 1) throw InternalError("streams for no grid row");
    for (const auto& matrix : layers_) {
      constexpr int kMaxLocal = 1 << 16;
      const int rows = matrix->order() == SumOrder::Whole ? 1 : options.rows;
      if ((matrix->inputs() + rows - 1) / rows > kMaxLocal) {
        throw BadInput("a matrix of more inputs a grid row than an index of 16 bits tells apart");
      }
    }
    begin_layer();
  }

  bool done() const override { return layer_ == layers_.size(); }
  std::shared_ptr<const WaveletBatch> next() override;

 private:
  const MatrixSource& matrix() const { return *layers_[layer_]; }
  // Outputs of a piece of positions or a window of deltas, of all owners together.
  int part() const {
    const int64_t outputs = matrix().outputs();
    int64_t most = outputs;
    if (matrix().index_only() && options_.piece > 0) most = options_.piece;
    if (matrix().windowed() && options_.window > 0) most = int64_t{options_.window} * options_.rows;
    return static_cast<int>(std::min(most, outputs));
  }
  // The output behind the part's last one.
  int part_end() const { return std::min(matrix().outputs() - first_, part()) + first_; }
  // Outputs of an owner up to the beginning and up to the end of the part.
  int local_begin(int owner) const { return owned(first_, owner, options_.rows); }
  int local_end(int owner) const { return owned(part_end(), owner, options_.rows); }
  // Outputs that are best made at once.
  int wanted() const {
    const auto values = kBatchValues / static_cast<size_t>(matrix().inputs());
    return std::max({1, matrix().batch(), static_cast<int>(values)});
  }
  void begin_layer();
  int add_outputs(int most, WaveletBatch* batch);
  void add_whole(WaveletBatch* batch);
  void make_row(const uint16_t* values, uint32_t end, std::vector<Wavelet>* out, int row) const;
  void make_whole_row(const uint16_t* values, uint32_t end, std::vector<Wavelet>* out) const;

  const std::vector<std::unique_ptr<MatrixSource>> layers_;
  const StreamOptions options_;
  // Where it is.
  size_t layer_ = 0;
  int first_ = 0;  // output with which the piece or window begins
  int owner_ = 0;
  int local_ = 0;
  int ended_ = 0;  // outputs of the layer that are made
  std::vector<uint16_t> values_;
  std::vector<uint32_t> places_;  // of the layer's inputs, for whole sums
};

void MatrixBatches::begin_layer() {
  first_ = owner_ = local_ = ended_ = 0;
  if (done() || matrix().order() != SumOrder::Whole) return;
  places_ = places_of(matrix().inputs(), options_.rows);
}

// The next outputs of one owner, at most so many; returns how many.
int MatrixBatches::add_outputs(int most, WaveletBatch* batch) {
  const int rows = options_.rows;
  const auto inputs = static_cast<size_t>(matrix().inputs());
  while (local_ >= local_end(owner_)) {
    if (++owner_ == rows) {
      owner_ = 0;
      first_ = part_end();
    }
    local_ = local_begin(owner_);
  }
  const int count = std::min({local_end(owner_) - local_, wanted(), most});
  values_.resize(inputs * static_cast<size_t>(count));
  matrix().rows(owner_ + local_ * rows, rows, count, values_.data());
  // A piece of positions grows by itself: it would be copied here for each of its owners.
  for (std::vector<Wavelet>& row : batch->rows) {
    if (!matrix().index_only()) {
      row.reserve(static_cast<size_t>(count) * (inputs / batch->rows.size() + 2));
    }
  }
  for (int k = 0; k < count; ++k) {
    ++ended_;
    ++local_;
    const bool last = ended_ == part_end();  // all outputs before the part have been made
    for (int r = 0; r < rows; ++r) {
      make_row(&values_[static_cast<size_t>(k) * inputs], last ? kRowEnd | kStreamEnd : kRowEnd,
               &batch->rows[static_cast<size_t>(r)], r);
    }
  }
  return count;
}

// The next outputs of every owner, for whole sums.
void MatrixBatches::add_whole(WaveletBatch* batch) {
  const int rows = options_.rows;
  const int outputs = matrix().outputs();
  const auto inputs = static_cast<size_t>(matrix().inputs());
  if (local_ >= local_end(0)) first_ = part_end();
  const int locals = std::min(local_end(0) - local_, std::max(1, wanted() / rows));
  const int from = local_ * rows;
  const int count = std::min(locals * rows, outputs - from);
  values_.resize(inputs * static_cast<size_t>(count));
  matrix().rows(from, 1, count, values_.data());
  for (int k = 0; k < count; ++k) {
    const int owner = k % rows;
    const bool last = local_ + k / rows + 1 == local_end(owner);
    make_whole_row(&values_[static_cast<size_t>(k) * inputs], last ? kRowEnd | kStreamEnd : kRowEnd,
                   &batch->rows[static_cast<size_t>(owner)]);
  }
  local_ += locals;
  ended_ += count;
}

std::shared_ptr<const WaveletBatch> MatrixBatches::next() {
  const int outputs = matrix().outputs();
  auto batch = std::make_shared<WaveletBatch>();
  batch->layer = layer_;
  batch->rows.resize(static_cast<size_t>(options_.rows));
  if (matrix().index_only()) {
    // A whole piece, whose first wavelet says how many positions there are.
    const Wavelet head{static_cast<uint8_t>(options_.colour), false, 0};
    for (std::vector<Wavelet>& row : batch->rows) row.push_back(head);
    int left = std::min(part(), outputs - ended_);
    const auto ends = static_cast<size_t>(left);
    while (left > 0) left -= add_outputs(left, batch.get());
    for (std::vector<Wavelet>& row : batch->rows) {
      row.front().data = static_cast<uint32_t>(row.size() - 1 - ends);
    }
  } else if (matrix().order() == SumOrder::Whole) {
    add_whole(batch.get());
  } else {
    add_outputs(outputs, batch.get());
  }
  if (ended_ == outputs) {
    ++layer_;
    begin_layer();
  }
  return batch;
}

void MatrixBatches::make_row(const uint16_t* values, uint32_t end, std::vector<Wavelet>* out,
                             int row) const {
  const auto colour = static_cast<uint8_t>(options_.colour);
  const bool index_only = matrix().index_only();
  const auto call = options_.dense ? (index_only ? compress<true, true> : compress<true, false>)
                                   : (index_only ? compress<false, true> : compress<false, false>);
  const size_t before = out->size();
  const int local = owned(matrix().inputs(), row, options_.rows);
  out->resize(before + static_cast<size_t>(local) + 1);
  const size_t n =
      call(values, row, options_.rows, matrix().inputs(), colour, out->data() + before);
  out->resize(before + n + 1);
  out->back() = {colour, true, end};
}

void MatrixBatches::make_whole_row(const uint16_t* values, uint32_t end,
                                   std::vector<Wavelet>* out) const {
  const auto colour = static_cast<uint8_t>(options_.colour);
  for (size_t i = 0; i < places_.size(); ++i) {
    if (!options_.dense && half_is_zero(values[i])) continue;
    out->push_back({colour, false, places_[i] | values[i]});
  }
  out->push_back({colour, true, end});
}

}  // namespace

std::unique_ptr<BatchSource> matrix_batches(std::vector<std::unique_ptr<MatrixSource>> layers,
                                            const StreamOptions& options) {
  return std::make_unique<MatrixBatches>(std::move(layers), options);
}

WeightStream::WeightStream(std::unique_ptr<BatchSource> source, const StreamOptions& options)
    : source_(std::move(source)),
      options_(options),
      finished_(source_->done()),
      rows_(static_cast<size_t>(options.rows)) {
  if (options.ahead) thread_ = std::thread([this] { produce(); });
}

WeightStream::WeightStream(std::vector<std::unique_ptr<MatrixSource>> layers,
                           const StreamOptions& options)
    : WeightStream(matrix_batches(std::move(layers), options), options) {}

WeightStream::~WeightStream() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void WeightStream::add(std::shared_ptr<const WaveletBatch> batch) {
  for (const std::vector<Wavelet>& row : batch->rows) waiting_ += row.size();
  batches_.push_back(std::move(batch));
  finished_ = source_->done();
}

size_t WeightStream::available(const Row& row) const {
  const auto r = static_cast<size_t>(&row - rows_.data());
  size_t n = 0;
  for (size_t b = row.batch - first_; b < batches_.size(); ++b) n += batches_[b]->rows[r].size();
  return n - row.at;
}

void WeightStream::produce() {
  std::unique_lock<std::mutex> lock(mutex_);
  try {
    while (!stop_ && !finished_) {
      changed_.wait(lock, [this] { return stop_ || !full(); });
      if (stop_) return;
      lock.unlock();
      auto batch = source_->next();
      lock.lock();
      add(std::move(batch));
      changed_.notify_all();
    }
  } catch (...) {
    if (!lock.owns_lock()) lock.lock();
    error_ = std::current_exception();
    finished_ = true;
    changed_.notify_all();
  }
}

void WeightStream::next(int row, size_t n, std::vector<Wavelet>* out) {
  Row& r = rows_[static_cast<size_t>(row)];
  std::unique_lock<std::mutex> lock(mutex_);
  const auto enough = [&] { return finished_ || full() || available(r) >= n; };
  if (options_.ahead) {
    changed_.wait(lock, enough);
    if (error_) std::rethrow_exception(error_);
  } else {
    while (!enough()) add(source_->next());
  }
  bool begun = false;
  while (n > 0 && r.batch - first_ < batches_.size()) {
    const WaveletBatch& batch = *batches_[r.batch - first_];
    if (begun && batch.layer != r.layer) break;
    begun = true;
    r.layer = batch.layer;
    const std::vector<Wavelet>& from = batch.rows[static_cast<size_t>(row)];
    const size_t count = std::min(n, from.size() - r.at);
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(r.at);
    const auto end = begin + static_cast<std::ptrdiff_t>(count);
    for (auto w = begin; w != end; ++w) r.weights += w->ctrl ? 0 : 1;
    out->insert(out->end(), begin, end);
    r.wavelets += count;
    r.at += count;
    n -= count;
    if (r.at == from.size()) {
      ++r.batch;
      r.at = 0;
    }
  }
  // What all rows have taken goes.
  size_t least = r.batch;
  for (const Row& other : rows_) least = std::min(least, other.batch);
  for (; first_ < least; ++first_) {
    for (const std::vector<Wavelet>& taken : batches_.front()->rows) waiting_ -= taken.size();
    batches_.pop_front();
  }
  if (options_.ahead) changed_.notify_all();
}

bool WeightStream::done(int row) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return finished_ && rows_[static_cast<size_t>(row)].batch - first_ == batches_.size();
}

}  // namespace ow::memoryx
