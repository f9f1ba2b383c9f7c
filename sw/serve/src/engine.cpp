// SPDX-License-Identifier: Apache-2.0
#include "ow/serve/engine.h"

#include <algorithm>
#include <string>
#include <utility>

#include "ow/base/error.h"

namespace ow::serve {
namespace {

int size(const std::vector<int>& tokens) { return static_cast<int>(tokens.size()); }

}  // namespace

Engine::Engine(TokenRing* ring, int ahead)
    : ring_(ring), ahead_(ahead), slots_(static_cast<size_t>(ring->shape().slots)) {
  if (slots_.empty() || ring->shape().inside < 1 || ahead < 1) {
    throw InternalError("engine: a ring without slots or packets, or packets of no token");
  }
}

uint64_t Engine::submit(Request request) {
  const RingShape& shape = ring_->shape();
  check_sampling(request.sampling);
  if (request.prompt.empty()) throw BadInput("the prompt has no token");
  for (const int token : request.prompt) {
    if (token < 0 || token >= shape.vocabulary) {
      throw BadInput("the prompt has token " + std::to_string(token) + ", the model has " +
                     std::to_string(shape.vocabulary));
    }
  }
  if (request.limit < 1) throw BadInput("an answer of less than 1 token");
  if (size(request.prompt) > shape.positions - request.limit) {
    throw BadInput("a prompt of " + std::to_string(request.prompt.size()) +
                   " tokens and an answer of " + std::to_string(request.limit) +
                   ": a context has at most " + std::to_string(shape.positions) + " positions");
  }
  queue_.push_back({++ids_, std::move(request)});
  return ids_;
}

void Engine::cancel(uint64_t request) {
  const auto waits = std::find_if(queue_.begin(), queue_.end(),
                                  [request](const Waiting& w) { return w.id == request; });
  if (waits != queue_.end()) {
    queue_.erase(waits);
    return;
  }
  for (size_t n = 0; n < slots_.size(); ++n) {
    const Slot& slot = slots_[n];
    if (slot.id == request && slot.state != State::Free && slot.state != State::Draining) {
      end(static_cast<int>(n));
    }
  }
}

bool Engine::busy() const {
  return !queue_.empty() || std::any_of(slots_.begin(), slots_.end(),
                                        [](const Slot& slot) { return slot.state != State::Free; });
}

std::optional<Event> Engine::step() {
  fill_slots();
  fill_ring();
  if (inside_ == 0) return std::nullopt;
  return taken(ring_->receive());
}

std::optional<Event> Engine::next() {
  while (busy()) {
    if (auto event = step()) return event;
  }
  return std::nullopt;
}

EngineCounts Engine::counts() const {
  EngineCounts counts = counts_;
  counts.queued = static_cast<int>(queue_.size());
  for (const Slot& slot : slots_) counts.running += slot.state != State::Free ? 1 : 0;
  return counts;
}

// Requests get slots in the order in which they came: a short one does not overtake.
void Engine::fill_slots() {
  for (size_t n = 0; n < slots_.size() && !queue_.empty(); ++n) {
    if (slots_[n].state != State::Free) continue;
    // The last token of an answer does not go in.
    const Request& request = queue_.front().request;
    if (!ring_->open(static_cast<int>(n), size(request.prompt) + request.limit - 1)) {
      if (counts().running == 0) throw InternalError("engine: an empty ring refuses a request");
      return;
    }
    Slot& slot = slots_[n];
    slot = {};
    slot.state = State::Prompt;
    slot.id = queue_.front().id;
    slot.request = std::move(queue_.front().request);
    queue_.pop_front();
  }
}

// Tokens of answers go in before those of prompts: an answer waits for its own packet alone.
void Engine::fill_ring() {
  while (inside_ < ring_->shape().inside) {
    auto slot = turn(State::Decode, &last_decode_);
    if (!slot) slot = turn(State::Prompt, &last_prompt_);
    if (!slot) return;
    send(*slot);
  }
}

// The next slot in this state after the one that had its turn.
std::optional<int> Engine::turn(State state, int* last) const {
  const int count = static_cast<int>(slots_.size());
  for (int k = 1; k <= count; ++k) {
    const int n = (*last + k) % count;
    if (slots_[static_cast<size_t>(n)].state == state) {
      *last = n;
      return n;
    }
  }
  return std::nullopt;
}

bool Engine::greedy(const Slot& slot) const { return slot.request.sampling.temperature == 0; }

void Engine::send(int number) {
  Slot& slot = slots_[static_cast<size_t>(number)];
  Packet packet;
  packet.slot = number;
  packet.position = packet.until = slot.sent;
  if (slot.state == State::Prompt) {
    packet.token = slot.request.prompt[static_cast<size_t>(slot.sent)];
    if (slot.request.prompt_logits) packet.head = HeadTask::Logits;
    ++counts_.prompt_tokens;
  } else {
    packet.token = slot.next;
  }
  ++slot.sent;
  if (slot.sent >= size(slot.request.prompt)) {
    slot.state = State::Inside;
    packet.head = greedy(slot) && !slot.request.logits ? HeadTask::Token : HeadTask::Logits;
    if (greedy(slot)) {
      packet.until += std::min(ahead_, slot.request.limit - slot.made) - 1;
    }
    slot.until = packet.until;
  }
  ++slot.inside;
  ++inside_;
  ring_->send(packet);
}

std::optional<Event> Engine::taken(const Pass& pass) {
  Slot& slot = slots_.at(static_cast<size_t>(pass.slot));
  const bool of_prompt = pass.position + 1 < size(slot.request.prompt);
  const bool leaves = of_prompt || pass.position == slot.until;
  if (leaves) {
    --slot.inside;
    --inside_;
  }
  const bool drained = slot.state == State::Draining && slot.inside == 0;
  const bool unasked = of_prompt && !slot.request.prompt_logits;
  if (unasked || slot.state == State::Draining) {
    counts_.discarded += of_prompt ? 0 : 1;
    if (drained) release(pass.slot);
    return std::nullopt;
  }

  Event event;
  event.request = slot.id;
  event.position = pass.position + 1;
  if (of_prompt) {
    event.of_prompt = true;
    event.token = slot.request.prompt[static_cast<size_t>(event.position)];
    event.cycle = pass.cycle;
    event.logits = pass.logits;
    return event;
  }
  event.token =
      greedy(slot) ? pass.token : choose_token(pass.logits, slot.request.sampling, event.position);
  event.cycle = pass.cycle;
  if (slot.request.logits) event.logits = pass.logits;
  ++counts_.tokens;
  ++slot.made;
  slot.sent = event.position;
  const std::vector<int>& ends = slot.request.ends;
  if (std::find(ends.begin(), ends.end(), event.token) != ends.end()) {
    event.finish = Finish::End;
  } else if (slot.made == slot.request.limit) {
    event.finish = Finish::Length;
  }
  if (event.finish != Finish::Not) {
    end(pass.slot);
  } else if (leaves) {
    slot.state = State::Decode;
    slot.next = event.token;
  }
  return event;
}

void Engine::end(int number) {
  slots_[static_cast<size_t>(number)].state = State::Draining;
  if (slots_[static_cast<size_t>(number)].inside == 0) release(number);
}

void Engine::release(int number) {
  ring_->close(number);
  slots_[static_cast<size_t>(number)].state = State::Free;
}

}  // namespace ow::serve
