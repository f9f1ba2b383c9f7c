// SPDX-License-Identifier: Apache-2.0
#include "ow/swarmx/wafer_memory.h"

#include <algorithm>
#include <utility>

#include "ow/base/error.h"
#include "ow/swarmx/bytes.h"

namespace ow::swarmx {
namespace {

using memoryx::GradientSum;
using memoryx::Store;
using memoryx::TensorSpec;

Message pack_mask(const Store& store, size_t tensor, size_t first, size_t count) {
  const auto mask = store.mask(tensor, first, count);
  Message bits((count + 7) / 8);
  for (size_t i = 0; i < count; ++i) {
    if (mask[i] != 0) bits[i / 8] = static_cast<uint8_t>(bits[i / 8] | 1u << i % 8);
  }
  return bits;
}

void unpack_mask(const Message& bits, const Store& store, size_t tensor, size_t first,
                 size_t count) {
  if (bits.size() != (count + 7) / 8) throw ProtocolError("a mask of another size");
  const auto mask = store.mask(tensor, first, count);
  for (size_t i = 0; i < count; ++i) mask[i] = bits[i / 8] >> i % 8 & 1;
}

}  // namespace

StepOrder::StepOrder(const memoryx::MemoryX& memory, const Round& round,
                     const memoryx::WeightTimes& times) {
  const Store& store = memory.store();
  Writer head;
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
  for (size_t k = 0; k < store.tensors(); ++k) {
    const TensorSpec& spec = store.spec(k);
    if (spec.matrix() && !spec.masked) continue;
    each_part(spec, [&](size_t first, size_t count) {
      if (spec.masked) {
        parts_.push_back(pack_mask(store, k, first, count));
        return;
      }
      Writer bias;
      bias.put(store.weights(k, first, count).data(), count);
      parts_.push_back(bias.take());
    });
  }
}

size_t StepOrder::parts_of(const Store& store) {
  size_t parts = 1;
  for (size_t k = 0; k < store.tensors(); ++k) {
    if (store.spec(k).matrix() && !store.spec(k).masked) continue;
    each_part(store.spec(k), [&](size_t, size_t) { ++parts; });
  }
  return parts;
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
  if (order.parts().size() != StepOrder::parts_of(*store_)) {
    throw ProtocolError("the order of a step is of another network");
  }
  Reader head(order.parts().front());
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
      const Message& message = order.parts()[part++];
      if (spec.masked) {
        unpack_mask(message, *store_, k, first, count);
        return;
      }
      Reader bias(message);
      bias.get(store_->weights(k, first, count).data(), count);
      bias.close();
    });
  }
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

Message WaferMemory::window(size_t tensor, size_t first, size_t count) const {
  const auto gradient = store_->gradient(tensor, 0, first, count);
  Writer out;
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

void WaferMemory::put_window(size_t tensor, size_t first, size_t count, const Message& message) {
  const auto gradient = store_->gradient(tensor, sum_->slot(), first, count);
  Reader in(message);
  if (whole(tensor)) {
    in.get(gradient.data(), count);
  } else {
    const auto mask = store_->mask(tensor, first, count);
    for (size_t i = 0; i < count; ++i) gradient[i] = mask[i] != 0 ? in.get<float>() : 0.0f;
  }
  in.close();
}

}  // namespace ow::swarmx
