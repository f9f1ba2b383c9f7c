// SPDX-License-Identifier: Apache-2.0
#include "batches.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ow::wide {
namespace {

constexpr size_t kMost = 4;  // blocks of a batch

// So many of `blocks` are evaluated together, so that all threads have some.
size_t size_of_batch(size_t blocks, size_t threads) {
  return std::clamp((blocks + threads - 1) / threads, size_t{1}, kMost);
}

}  // namespace

Batches::Batches(const ow_wide_code& code, size_t threads, size_t blocks, Begin begin, End end)
    : code_(code),
      begin_(std::move(begin)),
      end_(std::move(end)),
      workers_(threads, [this](size_t thread, size_t batch) { clock(thread, batch); }) {
  const size_t places = threads * size_of_batch(blocks, threads);
  for (size_t k = 0; k < places; ++k) scratch_.emplace_back(code.scratch_bytes);
}

void Batches::run(size_t count, uint64_t cycle) {
  count_ = count;
  cycle_ = cycle;
  size_ = size_of_batch(count, workers_.threads());
  workers_.run((count + size_ - 1) / size_);
  if (failed_) std::rethrow_exception(std::exchange(failed_, nullptr));
}

void Batches::attempt(size_t k, const std::function<void()>& work) {
  try {
    work();
  } catch (...) {
    const std::lock_guard<std::mutex> lock(failing_);
    if (failed_ && failed_block_ <= k) return;
    failed_ = std::current_exception();
    failed_block_ = k;
  }
}

void Batches::clock(size_t thread, size_t batch) {
  const size_t first = batch * size_, count = std::min(size_, count_ - first);
  const auto scratch = [&](size_t n) { return scratch_[thread * size_ + n].data(); };
  std::array<Block*, kMost> blocks{};  // null: not evaluated
  bool any = false;
  for (size_t n = 0; n < count; ++n) {
    attempt(first + n, [&] { blocks[n] = begin_(first + n); });
    if (blocks[n] == nullptr) continue;
    any = true;
    blocks[n]->begin(cycle_);
  }
  for (int part = 0; any && part < code_.part_count; ++part) {
    for (size_t n = 0; n < count; ++n) {
      if (blocks[n] != nullptr) blocks[n]->part(part, scratch(n));
    }
  }
  for (size_t n = 0; n < count; ++n) {
    attempt(first + n, [&] {
      if (blocks[n] != nullptr) blocks[n]->end(cycle_);
      end_(first + n, blocks[n] != nullptr);
    });
  }
}

}  // namespace ow::wide
