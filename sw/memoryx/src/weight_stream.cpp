// SPDX-License-Identifier: Apache-2.0
#include "ow/memoryx/weight_stream.h"

#include <algorithm>
#include <cstddef>
#include <mutex>

#include "compress.h"
#include "ow/base/error.h"
#include "ow/isa/isa.h"
#include "ow/tensor/distribution.h"

namespace ow::memoryx {
namespace {

constexpr uint32_t kRowEnd = isa::Control::RowEnd::kMask;  // data bits of a control wavelet
constexpr uint32_t kStreamEnd = isa::Control::StreamEnd::kMask;
constexpr size_t kBatchValues = size_t{1} << 15;  // about so many weights per batch

// The upper halves of wavelets by input, where those of all grid rows stand owner by owner.
std::vector<uint32_t> places_of(int inputs, int rows) {
  std::vector<uint32_t> places(static_cast<size_t>(inputs));
  uint32_t place = 0;
  for (int owner = 0; owner < rows; ++owner) {
    for (int i = owner; i < inputs; i += rows, place += kIndexStep) {
      places[static_cast<size_t>(i)] = place;
    }
  }
  return places;
}

// Used batches, whose memory new ones take again: over a pass as much memory is needed as there are
// weights. Any thread may use it.
class SpareBatches : public std::enable_shared_from_this<SpareBatches> {
 public:
  std::shared_ptr<WaveletBatch> make(size_t step, size_t rows) {
    std::unique_ptr<WaveletBatch> batch;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!spare_.empty()) {
        batch = std::move(spare_.back());
        spare_.pop_back();
      }
    }
    if (batch == nullptr) batch = std::make_unique<WaveletBatch>();
    batch->step = step;
    batch->rows.resize(rows);
    return {batch.release(), [pool = shared_from_this()](WaveletBatch* b) { pool->keep(b); }};
  }

 private:
  void keep(WaveletBatch* taken) {
    constexpr size_t kMost = 4;
    std::unique_ptr<WaveletBatch> batch(taken);
    for (Wavelets& row : batch->rows) row.clear();
    const std::lock_guard<std::mutex> lock(mutex_);
    if (spare_.size() < kMost) spare_.push_back(std::move(batch));
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<WaveletBatch>> spare_;
};

// Makes the batches of a schedule, one step after the other.
class MatrixBatches : public BatchSource {
 public:
  MatrixBatches(const StreamSchedule& schedule, const MatrixMaker& make,
                const StreamOptions& options);

  bool done() const override { return step_ == steps_.size(); }
  std::shared_ptr<const WaveletBatch> next() override;

 private:
  // A step that sends something.
  struct Step {
    std::shared_ptr<const MatrixSource> matrix;
    size_t number;  // in the schedule
    bool whole;     // sums
    int first;
    int end;
  };

  const Step& step() const { return steps_[step_]; }
  const MatrixSource& matrix() const { return *step().matrix; }
  int first() const { return step().first; }
  int end() const { return step().end; }
  // Outputs of an owner up to the beginning and up to the end of the step.
  int local_begin(int owner) const { return owned_elements(first(), owner, options_.rows); }
  int local_end(int owner) const { return owned_elements(end(), owner, options_.rows); }
  // Outputs of a batch.
  int wanted() const {
    return std::max(1, static_cast<int>(kBatchValues / static_cast<size_t>(matrix().inputs())));
  }
  // Whether all outputs have the same wavelets.
  bool every_position() const {
    return matrix().all_positions() || (matrix().index_only() && options_.dense);
  }
  const uint16_t* values_of(int output, int step, int most);
  void begin_matrix();
  void begin_step();
  void begin_positions(WaveletBatch* batch);
  void add_outputs(int most, WaveletBatch* batch);
  void add_whole(WaveletBatch* batch);
  void make_row(const uint16_t* values, size_t count, uint32_t end, Wavelets* out);
  void make_rows(const uint16_t* values, uint32_t end, WaveletBatch* batch);

  std::vector<Step> steps_;
  const StreamOptions options_;
  // The current place.
  size_t step_ = 0;
  int owner_ = 0;
  int local_ = 0;
  int ended_ = 0;  // outputs of the step that are done
  // Outputs read_, read_ + read_step_, ... before read_end_, as the matrix gave them.
  std::vector<uint16_t> values_;
  int read_ = 0;
  int read_step_ = 1;
  int read_end_ = 0;
  std::vector<uint32_t> places_;    // the upper halves of wavelets, by input or local input
  std::vector<uint16_t> dealt_;     // an output's values, grid row by grid row
  std::vector<Wavelet> positions_;  // of one output, if all outputs have the same
  const std::shared_ptr<SpareBatches> spares_ = std::make_shared<SpareBatches>();
};

MatrixBatches::MatrixBatches(const StreamSchedule& schedule, const MatrixMaker& make,
                             const StreamOptions& options)
    : options_(options) {
  if (options.rows < 1) throw InternalError("streams for no grid row");
  std::shared_ptr<const MatrixSource> matrix;
  for (size_t k = 0; k < schedule.size(); ++k) {
    const StreamStep& of = schedule[k];
    if (k == 0 || !same_pass(schedule[k - 1], of)) matrix = make(of);
    if (matrix == nullptr) continue;
    const bool whole = of.order == SumOrder::Whole && !matrix->index_only();
    constexpr int kMaxLocal = 1 << 16;
    const int rows = whole ? 1 : options.rows;
    if ((matrix->inputs() + rows - 1) / rows > kMaxLocal) {
      throw BadInput("a matrix of more inputs a grid row than an index of 16 bits tells apart");
    }
    const int left = matrix->outputs() - of.first;
    if (of.first < 0 || of.count < 0 || left < 1 || of.count > left) {
      throw InternalError("a step of a stream outside its matrix");
    }
    steps_.push_back({matrix, k, whole, of.first, of.first + (of.count > 0 ? of.count : left)});
  }
  begin_step();
}

void MatrixBatches::begin_matrix() {
  const int inputs = matrix().inputs();
  const int most = step().whole ? inputs : owned_elements(inputs, 0, options_.rows);
  places_ = places_of(inputs, step().whole ? options_.rows : 1);
  dealt_.resize(static_cast<size_t>(most) * static_cast<size_t>(options_.rows));
  if (!every_position()) return;
  positions_.resize(static_cast<size_t>(most));
  // Grid row 0 has the most positions, and all rows begin with the same ones.
  compress(Sent::Positions, std::vector<uint16_t>(static_cast<size_t>(most), 1).data(),
           places_.data(), static_cast<size_t>(most), positions_.data());
}

void MatrixBatches::begin_step() {
  owner_ = ended_ = read_end_ = 0;
  if (done()) return;
  local_ = local_begin(0);
  const Step* const before = step_ > 0 ? &steps_[step_ - 1] : nullptr;
  const bool same = before != nullptr && before->matrix == step().matrix;
  if (!same || before->whole != step().whole) begin_matrix();
}

// The values of an output; null if all positions are sent. Up to `most` later outputs at this step
// are read together with it, as many as the matrix reads best at once.
const uint16_t* MatrixBatches::values_of(int output, int step, int most) {
  if (matrix().all_positions()) return nullptr;
  const auto inputs = static_cast<size_t>(matrix().inputs());
  if (output < read_ || output >= read_end_ || (output - read_) % read_step_ != 0) {
    const int best = matrix().batch();
    read_ = output;
    read_step_ = step;
    int count = std::min(most, std::max(wanted(), best));
    if (end() - first() <= best) {  // all owners together
      read_ = first();
      read_step_ = 1;
      count = end() - first();
    }
    read_end_ = read_ + count * read_step_;
    values_.resize(inputs * static_cast<size_t>(count));
    matrix().rows(read_, read_step_, count, values_.data());
  }
  return &values_[static_cast<size_t>((output - read_) / read_step_) * inputs];
}

// Adds the next outputs of one owner, at most `most`.
void MatrixBatches::add_outputs(int most, WaveletBatch* batch) {
  const int rows = options_.rows;
  const auto inputs = static_cast<size_t>(matrix().inputs());
  while (local_ >= local_end(owner_)) local_ = local_begin(++owner_);
  const int owned_left = local_end(owner_) - local_;
  const int count = std::min({owned_left, wanted(), most});
  // No reserve for a piece of a mask: it grows by itself, and would be copied here for each owner.
  for (Wavelets& row : batch->rows) {
    if (!matrix().index_only() || matrix().all_positions()) {
      row.reserve(row.size() + static_cast<size_t>(count) * (inputs / batch->rows.size() + 2));
    }
  }
  for (int k = 0; k < count; ++k) {
    const uint16_t* values = values_of(owner_ + local_ * rows, rows, owned_left - k);
    ++ended_;
    ++local_;
    const bool last = ended_ == end() - first();
    make_rows(values, last ? kRowEnd | kStreamEnd : kRowEnd, batch);
  }
}

// Adds the next outputs of every owner, for whole sums.
void MatrixBatches::add_whole(WaveletBatch* batch) {
  const int rows = options_.rows;
  const int from = first() + ended_;
  const int count = std::min(std::max(1, wanted() / rows) * rows, end() - from);
  for (int j = from; j < from + count; ++j) {
    make_row(values_of(j, 1, end() - j), places_.size(),
             j + rows >= end() ? kRowEnd | kStreamEnd : kRowEnd,
             &batch->rows[static_cast<size_t>(j % rows)]);
  }
  ended_ += count;
}

// Adds the first wavelets of a step of positions, with their number if all are sent.
void MatrixBatches::begin_positions(WaveletBatch* batch) {
  const auto outputs = static_cast<uint32_t>(end() - first());
  for (size_t r = 0; r < batch->rows.size(); ++r) {
    const auto inputs = static_cast<uint32_t>(
        owned_elements(matrix().inputs(), static_cast<int>(r), options_.rows));
    batch->rows[r].push_back({0, false, outputs * inputs});
  }
}

std::shared_ptr<const WaveletBatch> MatrixBatches::next() {
  const int outputs = end() - first();
  const auto batch = spares_->make(step().number, static_cast<size_t>(options_.rows));
  if (matrix().all_positions()) {
    if (ended_ == 0) begin_positions(batch.get());
    add_outputs(outputs, batch.get());
  } else if (matrix().index_only()) {
    // A whole step: its first wavelet says how many positions the mask has in it.
    begin_positions(batch.get());
    while (ended_ < outputs) add_outputs(outputs - ended_, batch.get());
    for (Wavelets& row : batch->rows) {
      row.front().data = static_cast<uint32_t>(row.size() - 1 - static_cast<size_t>(outputs));
    }
  } else if (step().whole) {
    add_whole(batch.get());
  } else {
    add_outputs(outputs, batch.get());
  }
  if (ended_ == outputs) {
    ++step_;
    begin_step();
  }
  return batch;
}

// Makes the wavelets of an output for one grid row, from consecutive values, and the row's end.
void MatrixBatches::make_row(const uint16_t* values, size_t count, uint32_t end, Wavelets* out) {
  const size_t before = out->size();
  out->resize(before + count + 1);
  Wavelet* to = out->data() + before;
  if (every_position()) {
    std::copy_n(positions_.data(), count, to);
  } else {
    const Sent kept = matrix().index_only() ? Sent::Positions : Sent::NotZero;
    count = compress(options_.dense ? Sent::All : kept, values, places_.data(), count, to);
  }
  to[count] = {0, true, end};
  out->resize(before + count + 1);
}

// Makes those of an output for all grid rows.
void MatrixBatches::make_rows(const uint16_t* values, uint32_t end, WaveletBatch* batch) {
  const auto inputs = static_cast<size_t>(matrix().inputs());
  const auto rows = static_cast<size_t>(options_.rows);
  const size_t stride = dealt_size(inputs, rows);
  if (rows > 1 && values != nullptr) {
    deal(values, inputs, rows, dealt_.data());
    values = dealt_.data();
  }
  for (size_t r = 0; r < rows; ++r) {
    const auto count =
        static_cast<size_t>(owned_elements(matrix().inputs(), static_cast<int>(r), options_.rows));
    make_row(values == nullptr ? nullptr : values + r * stride, count, end, &batch->rows[r]);
  }
}

}  // namespace

std::unique_ptr<BatchSource> matrix_batches(const StreamSchedule& schedule, const MatrixMaker& make,
                                            const StreamOptions& options) {
  return std::make_unique<MatrixBatches>(schedule, make, options);
}

WeightStream::WeightStream(std::unique_ptr<BatchSource> source, const StreamOptions& options)
    : source_(std::move(source)),
      options_(options),
      finished_(source_->done()),
      rows_(static_cast<size_t>(options.rows)) {}

void WeightStream::add(std::shared_ptr<const WaveletBatch> batch) {
  for (const Wavelets& row : batch->rows) waiting_ += row.size();
  batches_.push_back(std::move(batch));
  finished_ = source_->done();
}

size_t WeightStream::available(const Row& row) const {
  const auto r = static_cast<size_t>(&row - rows_.data());
  size_t n = 0;
  for (size_t b = row.batch - first_; b < batches_.size(); ++b) n += batches_[b]->rows[r].size();
  return n - row.at;
}

void WeightStream::next(int row, size_t n, std::vector<Wavelet>* out) {
  Row& r = rows_[static_cast<size_t>(row)];
  while (!finished_ && !full() && available(r) < n) add(source_->next());
  bool begun = false;
  while (n > 0 && r.batch - first_ < batches_.size()) {
    const WaveletBatch& batch = *batches_[r.batch - first_];
    if (begun && batch.step != r.step) break;
    begun = true;
    r.step = batch.step;
    const Wavelets& from = batch.rows[static_cast<size_t>(row)];
    const size_t count = std::min(n, from.size() - r.at);
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(r.at);
    const auto end = begin + static_cast<std::ptrdiff_t>(count);
    r.weights += count - control_wavelets(from.data() + r.at, count);
    out->insert(out->end(), begin, end);
    r.wavelets += count;
    r.at += count;
    n -= count;
    if (r.at == from.size()) {
      ++r.batch;
      r.at = 0;
    }
  }
  // Drop the batches that all rows have taken.
  size_t least = r.batch;
  for (const Row& other : rows_) least = std::min(least, other.batch);
  for (; first_ < least; ++first_) {
    for (const Wavelets& taken : batches_.front()->rows) waiting_ -= taken.size();
    batches_.pop_front();
  }
}

bool WeightStream::done(int row) const {
  return finished_ && rows_[static_cast<size_t>(row)].batch - first_ == batches_.size();
}

}  // namespace ow::memoryx
