// SPDX-License-Identifier: Apache-2.0
#include "ow/swarmx/cast.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "ow/base/error.h"
#include "ow/swarmx/bytes.h"

namespace ow::swarmx {
namespace {

using memoryx::WaveletBatch;

constexpr size_t kDepth = 4;  // batches between the first and the last of a rank's wafers
constexpr std::chrono::milliseconds kLook{
    200};  // how often a wait looks whether the run has failed

Message pack(const WaveletBatch& batch, bool last) {
  Writer out;
  out.put<uint8_t>(last ? 1 : 0);
  out.put(static_cast<uint64_t>(batch.layer));
  out.put(static_cast<uint32_t>(batch.rows.size()));
  for (const std::vector<Wavelet>& row : batch.rows) {
    std::vector<uint32_t> data(row.size());
    std::vector<uint8_t> controls((row.size() + 7) / 8);
    for (size_t i = 0; i < row.size(); ++i) {
      data[i] = row[i].data;
      if (row[i].ctrl) controls[i / 8] = static_cast<uint8_t>(controls[i / 8] | 1u << i % 8);
    }
    out.put(static_cast<uint32_t>(row.size()));
    out.put(data.data(), data.size());
    out.put(controls.data(), controls.size());
  }
  return out.take();
}

std::shared_ptr<const WaveletBatch> unpack(const Message& message, int colour, size_t rows,
                                           bool* last) {
  Reader in(message);
  *last = in.get<uint8_t>() != 0;
  auto batch = std::make_shared<WaveletBatch>();
  batch->layer = in.get<uint64_t>();
  if (in.get<uint32_t>() != rows) throw ProtocolError("a stream for another number of grid rows");
  batch->rows.resize(rows);
  for (std::vector<Wavelet>& row : batch->rows) {
    const size_t count = in.get<uint32_t>();
    if (count > message.size()) throw ProtocolError("a batch of more wavelets than bytes");
    std::vector<uint32_t> data(count);
    std::vector<uint8_t> controls((count + 7) / 8);
    in.get(data.data(), data.size());
    in.get(controls.data(), controls.size());
    row.resize(count);
    for (size_t i = 0; i < count; ++i) {
      row[i] = {static_cast<uint8_t>(colour), (controls[i / 8] >> i % 8 & 1) != 0, data[i]};
    }
  }
  in.close();
  return batch;
}

}  // namespace

int rank_above(int rank) { return rank & (rank - 1); }

std::vector<int> ranks_below(int rank, int ranks) {
  std::vector<int> below;
  for (int step = 1; rank + step < ranks && (rank == 0 || step < (rank & -rank)); step *= 2) {
    below.push_back(rank + step);
  }
  return below;
}

class Cast::Source : public memoryx::BatchSource {
 public:
  Source(Cast& cast, int n) : cast_(cast), n_(n) {}
  bool done() const override { return done_; }
  std::shared_ptr<const WaveletBatch> next() override {
    const Item item = cast_.take(n_);
    done_ = item.last;
    return item.batch;
  }

 private:
  Cast& cast_;
  int n_;
  bool done_ = false;
};

Cast::Cast(Transport& transport, int wafers)
    : transport_(transport),
      below_(ranks_below(transport.rank(), transport.ranks())),
      at_(static_cast<size_t>(wafers), 0),
      in_stream_(static_cast<size_t>(wafers), false) {}

std::unique_ptr<memoryx::BatchSource> Cast::reader(int n) {
  while (in_stream_[static_cast<size_t>(n)]) take(n);
  in_stream_[static_cast<size_t>(n)] = true;
  return std::make_unique<Source>(*this, n);
}

void Cast::send(memoryx::BatchSource* source) {
  while (!source->done()) {
    Item item;
    item.batch = source->next();
    item.last = source->done();
    if (!below_.empty()) {
      const Message message = pack(*item.batch, item.last);
      for (const int rank : below_) transport_.send(rank, Tag::Weights, message);
    }
    publish(std::move(item));
  }
}

void Cast::relay(const memoryx::StreamOptions& options) {
  for (bool last = false; !last;) {
    const Message message = transport_.receive(rank_above(transport_.rank()), Tag::Weights);
    for (const int rank : below_) transport_.send(rank, Tag::Weights, message);
    auto batch = unpack(message, options.colour, static_cast<size_t>(options.rows), &last);
    publish({std::move(batch), last});
  }
}

// Wafers wait for each other only while they run, and a run has a limit of cycles; so does a wait
// for other ranks.
template <typename Ready>
void Cast::wait(std::unique_lock<std::mutex>* lock, const Ready& ready) {
  while (!changed_.wait_for(*lock, kLook, [&] { return cancelled_ || ready(); })) {
    transport_.check();
  }
  if (cancelled_) throw DeviceFault("another wafer has stopped");
}

void Cast::publish(Item item) {
  std::unique_lock<std::mutex> lock(mutex_);
  wait(&lock, [this] { return items_.size() < kDepth; });
  items_.push_back(std::move(item));
  changed_.notify_all();
}

Cast::Item Cast::take(int n) {
  const auto reader = static_cast<size_t>(n);
  std::unique_lock<std::mutex> lock(mutex_);
  wait(&lock, [&] { return at_[reader] < first_ + items_.size(); });
  Item item = items_[at_[reader] - first_];
  ++at_[reader];
  in_stream_[reader] = !item.last;
  const size_t least = *std::min_element(at_.begin(), at_.end());
  for (; first_ < least; ++first_) items_.pop_front();
  changed_.notify_all();
  return item;
}

void Cast::cancel() {
  const std::lock_guard<std::mutex> lock(mutex_);
  cancelled_ = true;
  changed_.notify_all();
}

}  // namespace ow::swarmx
