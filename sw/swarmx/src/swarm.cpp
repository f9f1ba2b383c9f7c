// SPDX-License-Identifier: Apache-2.0
#include "ow/swarmx/swarm.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "ow/base/error.h"

namespace ow::swarmx {
namespace {

// The first failure of the threads of a step. The other threads and ranks end because of it. They
// end at once, since a wafer may simulate for a long time before its thread can be joined.
class Failure {
 public:
  Failure(Cast& cast, ranks::Transport& transport) : cast_(cast), transport_(transport) {}
  template <typename Work>
  void guard(const Work& work) {
    try {
      work();
    } catch (const Error& error) {
      end(error.exit_status(), error.what());
    } catch (const std::exception& error) {
      end(InternalError("").exit_status(), error.what());
    }
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  // Call it inside a handler.
  void end(int status, const char* what) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (error_) return;
      error_ = std::current_exception();
    }
    cast_.cancel();
    transport_.fail(status, what);
  }

  Cast& cast_;
  ranks::Transport& transport_;
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace

void check_wafers(const std::string& who, int wafers, int micro_batches, int ranks) {
  if (wafers < 1) throw BadInput(fmt::format("{}: {} wafers, at least 1 is needed", who, wafers));
  if (ranks > wafers) {
    throw BadInput(fmt::format("{}: {} ranks for {} wafer{}: a rank has at least one", who, ranks,
                               wafers, wafers == 1 ? "" : "s"));
  }
  if (micro_batches % wafers != 0) {
    throw BadInput(fmt::format("{}: {} wafers cannot share the {} micro-batches of a step equally",
                               who, wafers, micro_batches));
  }
  const int share = micro_batches / wafers;
  if (wafers > 1 && (share & (share - 1)) != 0) {
    throw BadInput(
        fmt::format("{}: each of {} wafers would take {} of the {} micro-batches of a step, which "
                    "is not a power of two (docs/numerics.md, N16)",
                    who, wafers, share, micro_batches));
  }
}

Swarm::Swarm(const TrainingJob& job, int wafers, memoryx::TrainStreams streams,
             ranks::Transport& transport, memoryx::MemoryX* memory,
             const memoryx::StoreOptions& store)
    : job_(job),
      wafers_(wafers),
      ranks_(transport.ranks()),
      share_(job.micro_batches / std::max(1, wafers)),
      streams_(std::move(streams)),
      transport_(transport),
      memory_(memory) {
  check_wafers("a swarm", wafers, job.micro_batches, ranks_);
  if ((memory != nullptr) != (transport.rank() == 0)) {
    throw InternalError("MemoryX is where rank 0 is");
  }
  for (int w = first(); w < first_of(transport.rank() + 1); ++w) {
    memories_.push_back(w == 0 ? std::make_unique<WaferMemory>(memory, streams_)
                               : std::make_unique<WaferMemory>(job_, streams_, share_, store));
  }
}

int Swarm::rank_of(int wafer) const {
  int rank = 0;
  while (first_of(rank + 1) <= wafer) ++rank;
  return rank;
}

void Swarm::begin_forward(uint64_t first, uint64_t batches, const memoryx::WeightTimes& times,
                          const std::vector<TableRows>& tables) {
  if (batches < 1 || batches > static_cast<uint64_t>(wafers_)) {
    throw InternalError("a forward pass over no batch, or more of them than wafers");
  }
  begin({first, batches}, times, tables);
}

void Swarm::begin(const Round& round, const memoryx::WeightTimes& times,
                  const std::vector<TableRows>& tables) {
  const StepOrder order(*memory_, round, times, tables);
  const std::vector<int> below = ranks_below(0, ranks_);
  for (const ranks::Message& part : order.parts()) {
    for (const int rank : below) transport_.send(rank, ranks::Tag::Order, part);
  }
  start(order);
}

bool Swarm::await() {
  const std::vector<int> below = ranks_below(transport_.rank(), ranks_);
  std::vector<ranks::Message> parts;
  size_t wanted = 1;
  while (parts.size() < wanted) {
    parts.push_back(transport_.receive(rank_above(transport_.rank()), ranks::Tag::Order));
    for (const int rank : below) transport_.send(rank, ranks::Tag::Order, parts.back());
    if (parts.front().empty()) return false;
    wanted = StepOrder::parts_of(parts.front());
  }
  start(StepOrder(std::move(parts)));
  return true;
}

void Swarm::end() {
  for (const int rank : ranks_below(0, ranks_)) transport_.send(rank, ranks::Tag::Order, {});
}

void Swarm::start(const StepOrder& order) {
  cast_ = std::make_unique<Cast>(transport_, count());
  for (int n = 0; n < count(); ++n) {
    memories_[static_cast<size_t>(n)]->begin(order, cast_.get(), n);
  }
  step_ = memories_.front()->step();
  round_ = memories_.front()->round();
}

// Sends the streams of a round to this rank's wafers and on to the ranks below.
void Swarm::feed() {
  for (int m = 0; m < (round_.forward() ? 1 : share_); ++m) {
    if (transport_.rank() > 0) {
      cast_->relay(streams_.options);
      continue;
    }
    const memoryx::StreamSchedule& schedule = round_.forward() ? streams_.forward : streams_.step;
    cast_->send(memory_->batches(schedule, streams_.options).get());
  }
}

void Swarm::work_of(int wafer, const Work& work) {
  if (!round_.forward()) {
    for (int m = 0; m < share_; ++m) {
      memory_of(wafer).set_last(m + 1 == share_);
      work(wafer, wafer * share_ + m, memory_of(wafer));
    }
  } else if (static_cast<uint64_t>(wafer) < round_.batches) {
    work(wafer, static_cast<int>(round_.first) + wafer, memory_of(wafer));
  } else {
    cast_->reader(wafer - first());  // no wafer may leave before the stream has come
  }
  cast_->leave(wafer - first());
}

void Swarm::run(const Work& work, const std::function<void()>& meanwhile) {
  Failure failure(*cast_, transport_);
  std::vector<std::thread> threads;
  const auto start = [&](const std::function<void()>& part) {
    try {
      threads.emplace_back([&failure, part] { failure.guard(part); });
    } catch (const std::system_error& error) {
      throw DeviceFault(fmt::format("no thread for each of {} wafers: {}", count(), error.what()));
    }
  };
  failure.guard([&] {
    start([this] { feed(); });
    for (int w = first(); w < first() + count(); ++w) {
      start([this, &work, w] { work_of(w, work); });
    }
    if (meanwhile) meanwhile();
  });
  for (std::thread& thread : threads) thread.join();
  failure.rethrow();
  if (!round_.forward()) reduce();
}

// N16's tree over the blocks. The distance doubles; the first wafer of each pair takes the sum of
// the other. Sums of unequal blocks have to wait until the end.
void Swarm::reduce() {
  for (int distance = 1; distance < wafers_; distance *= 2) {
    for (int to = 0; to + distance < wafers_; to += 2 * distance) {
      const int from = to + distance;
      const int blocks = std::min(distance, wafers_ - from);
      const int here = transport_.rank();
      if (rank_of(to) == here || rank_of(from) == here) join(to, from, blocks * share_);
    }
  }
}

void Swarm::join(int to, int from, int micro_batches) {
  const bool takes = rank_of(to) == transport_.rank();
  const bool gives = rank_of(from) == transport_.rank();
  if (gives) memory_of(from).close();
  const memoryx::Store& store = memory_of(takes ? to : from).store();
  for (size_t k = 0; k < store.tensors(); ++k) {
    each_part(store.spec(k), [&](size_t first, size_t count) {
      ranks::Message message = gives ? memory_of(from).window(k, first, count)
                                     : transport_.receive(rank_of(from), ranks::Tag::Gradients);
      if (takes) {
        memory_of(to).put_window(k, first, count, message);
      } else {
        transport_.send(rank_of(to), ranks::Tag::Gradients, std::move(message));
      }
    });
  }
  if (takes) memory_of(to).added(micro_batches);
}

std::vector<ranks::Message> Swarm::gather(ranks::Message mine) {
  if (transport_.rank() != 0) {
    transport_.send(0, ranks::Tag::Results, std::move(mine));
    return {};
  }
  std::vector<ranks::Message> all;
  all.push_back(std::move(mine));
  for (int rank = 1; rank < ranks_; ++rank)
    all.push_back(transport_.receive(rank, ranks::Tag::Results));
  return all;
}

}  // namespace ow::swarmx
