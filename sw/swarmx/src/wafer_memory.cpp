// SPDX-License-Identifier: Apache-2.0
#include "ow/swarmx/wafer_memory.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "ow/base/error.h"
#include "ow/ranks/bytes.h"

namespace ow::swarmx {
namespace {

using memoryx::GradientSum;
using memoryx::Store;
using memoryx::TensorSpec;

ranks::Message pack_mask(const Store& store, size_t tensor, size_t first, size_t count) {
  const auto mask = store.mask(tensor, first, count);
  ranks::Message bits((count + 7) / 8);
  for (size_t i = 0; i < count; ++i) {
    if (mask[i] != 0) bits[i / 8] = static_cast<uint8_t>(bits[i / 8] | 1u << i % 8);
  }
  return bits;
}

void unpack_mask(const ranks::Message& bits, const Store& store, size_t tensor, size_t first,
                 size_t count) {
  if (bits.size() != (count + 7) / 8) throw ProtocolError("a mask of another size");
  const auto mask = store.mask(tensor, first, count);
  for (size_t i = 0; i < count; ++i) mask[i] = bits[i / 8] >> i % 8 & 1;
}

// Rows of a table, as many as a message takes.
void pack_rows(const Store& store, const TableRows& of, std::vector<ranks::Message>* parts) {
  const auto width = static_cast<size_t>(store.spec(of.table).shape[1]);
  const size_t most = std::max<size_t>(kPart / width, 1);
  for (size_t first = 0; first < of.rows.size(); first += most) {
    const size_t count = std::min(most, of.rows.size() - first);
    ranks::Writer rows;
    rows.put(static_cast<uint64_t>(of.table));
    rows.put(static_cast<uint64_t>(count));
    rows.put(&of.rows[first], count);
    for (size_t n = first; n < first + count; ++n) {
      rows.put(store.weights(of.table, of.rows[n] * width, width).data(), width);
    }
    parts->push_back(rows.take());
  }
}

}  // namespace

StepOrder::StepOrder(const memoryx::MemoryX& memory, const Round& round,
                     const memoryx::WeightTimes& times, const std::vector<TableRows>& tables) {
  const Store& store = memory.store();
  std::vector<ranks::Message> parts;
  for (size_t k = 0; k < store.tensors(); ++k) {
    const TensorSpec& spec = store.spec(k);
    if (spec.matrix() && !spec.masked) continue;
    each_part(spec, [&](size_t first, size_t count) {
      if (spec.masked) {
        parts.push_back(pack_mask(store, k, first, count));
        return;
      }
      ranks::Writer bias;
      bias.put(store.weights(k, first, count).data(), count);
      parts.push_back(bias.take());
    });
  }
  for (const TableRows& of : tables) pack_rows(store, of, &parts);
  ranks::Writer head;
  head.put(static_cast<uint64_t>(parts.size() + 1));
  head.put<uint64_t>(round.first);
  head.put<uint64_t>(round.batches);
  head.put<uint64_t>(memory.step());
  head.put<float>(memory.loss_scale());
  head.put<uint64_t>(memory.updated());
  for (size_t k = 0; k < store.tensors(); ++k) head.put<uint8_t>(memory.needs_dense(k) ? 1 : 0);
  head.put(static_cast<uint64_t>(times.streamed.size()));
  head.put(times.streamed.data(), times.streamed.size());
  head.put(times.resident);
  head.put(times.update);
  parts_.push_back(head.take());
  std::move(parts.begin(), parts.end(), std::back_inserter(parts_));
}

size_t StepOrder::parts_of(const ranks::Message& first) {
  ranks::Reader head(first);
  return head.get<uint64_t>();
}

WaferMemory::WaferMemory(memoryx::MemoryX* memory, const memoryx::TrainStreams& streams)
    : job_(memory->job()),
      streams_(streams),
      store_(&memory->store()),
      sum_(&memory->gradient_sum()),
      dense_(store_->tensors(), 0) {}

WaferMemory::WaferMemory(const TrainingJob& job, const memoryx::TrainStreams& streams, int share,
                         const memoryx::StoreOptions& store)
    : job_(job),
      streams_(streams),
      own_store_(std::make_unique<Store>(memoryx::specs_of(job), 0,
                                         std::max(2, GradientSum::arrays(share)), store)),
      own_pool_(std::make_unique<memoryx::Pool>(1)),
      own_sum_(std::make_unique<GradientSum>(*own_store_, *own_pool_)),
      store_(own_store_.get()),
      sum_(own_sum_.get()),
      dense_(store_->tensors(), 0) {}

void WaferMemory::begin(const StepOrder& order, Cast* cast, int n) {
  cast_ = cast;
  reader_ = n;
  const auto wrong = [] { throw ProtocolError("the order of a step is of another network"); };
  ranks::Reader head(order.parts().front());
  if (head.get<uint64_t>() != order.parts().size()) wrong();
  round_.first = head.get<uint64_t>();
  round_.batches = head.get<uint64_t>();
  step_ = head.get<uint64_t>();
  loss_scale_ = head.get<float>();
  updated_ = head.get<uint64_t>();
  head.get(dense_.data(), dense_.size());
  memoryx::WeightTimes& weights = times_.weights;
  const auto parameters = head.get<uint64_t>();
  if (parameters > store_->tensors()) {
    throw ProtocolError("the times of a step are of another network");
  }
  timed_ = parameters > 0;
  weights.streamed.resize(parameters);
  head.get(weights.streamed.data(), parameters);
  weights.resident = head.get<memoryx::ReadyTime>();
  weights.update = head.get<uint64_t>();
  head.close();
  if (own_store_ == nullptr) return;
  size_t part = 1;
  for (size_t k = 0; k < store_->tensors(); ++k) {
    const TensorSpec& spec = store_->spec(k);
    if (spec.matrix() && !spec.masked) continue;
    each_part(spec, [&](size_t first, size_t count) {
      if (part == order.parts().size()) wrong();
      const ranks::Message& message = order.parts()[part++];
      if (spec.masked) {
        unpack_mask(message, *store_, k, first, count);
        return;
      }
      ranks::Reader bias(message);
      bias.get(store_->weights(k, first, count).data(), count);
      bias.close();
    });
  }
  for (; part < order.parts().size(); ++part) take_rows(order.parts()[part]);
}

void WaferMemory::take_rows(const ranks::Message& message) {
  ranks::Reader in(message);
  const auto table = in.get<uint64_t>();
  if (table >= store_->tensors() || !store_->spec(table).table) {
    throw ProtocolError("rows of no table");
  }
  const TensorSpec& spec = store_->spec(table);
  const auto width = static_cast<size_t>(spec.shape[1]);
  std::vector<uint32_t> rows(in.count<uint32_t>());
  in.get(rows.data(), rows.size());
  for (const uint32_t row : rows) {
    if (row >= spec.shape[0]) throw ProtocolError("a row beyond its table");
    in.get(store_->weights(table, row * width, width).data(), width);
  }
  in.close();
}

std::unique_ptr<memoryx::WeightStream> WaferMemory::stream(
    const memoryx::StreamSchedule& schedule, const memoryx::StreamOptions& options) const {
  if (cast_ == nullptr) throw InternalError("a stream before its round has begun");
  if (!(schedule == (round_.forward() ? streams_.forward : streams_.step))) {
    throw InternalError("a wafer takes other streams than MemoryX sends in this round");
  }
  return std::make_unique<memoryx::WeightStream>(cast_->reader(reader_), options);
}

bool WaferMemory::whole(size_t tensor) const {
  return needs_dense(tensor) || !store_->spec(tensor).masked;
}

ranks::Message WaferMemory::window(size_t tensor, size_t first, size_t count) const {
  const auto gradient = store_->gradient(tensor, 0, first, count);
  ranks::Writer out;
  if (whole(tensor)) {
    out.put(gradient.data(), count);
    return out.take();
  }
  const auto mask = store_->mask(tensor, first, count);
  for (size_t i = 0; i < count; ++i) {
    if (mask[i] != 0) out.put(gradient[i]);
  }
  return out.take();
}

void WaferMemory::put_window(size_t tensor, size_t first, size_t count,
                             const ranks::Message& message) {
  const auto gradient = store_->gradient(tensor, sum_->slot(), first, count);
  ranks::Reader in(message);
  if (whole(tensor)) {
    in.get(gradient.data(), count);
  } else {
    const auto mask = store_->mask(tensor, first, count);
    for (size_t i = 0; i < count; ++i) gradient[i] = mask[i] != 0 ? in.get<float>() : 0.0f;
  }
  in.close();
}

}  // namespace ow::swarmx
