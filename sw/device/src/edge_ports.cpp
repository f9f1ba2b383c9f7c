// SPDX-License-Identifier: Apache-2.0
#include "ow/device/edge_ports.h"

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/device/link_word.h"

namespace ow {
namespace {

// The first set bit of `mask` at or after `from`, cyclically. mask is not 0.
int round_robin(uint32_t mask, int from) {
  const uint32_t high = mask & (~uint32_t{0} << from);
  return __builtin_ctz(high != 0 ? high : mask);
}

// The credits that a wavelet takes, and that are returned for it.
int price(const Wavelet& w) { return is_command(w) ? link_credits(w.colour) : 1; }

}  // namespace

Wavelet EdgePorts::Queue::pop() {
  const Wavelet w = items_[head_++];
  if (head_ == items_.size()) {
    items_.clear();
    head_ = 0;
  } else if (head_ >= 4096 && head_ * 2 >= items_.size()) {
    items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
  }
  return w;
}

EdgePorts::EdgePorts(GridShape shape) : shape_(shape) {
  for (int s = 0; s < kSides; ++s) {
    const Side side = static_cast<Side>(s);
    const int n = side == Side::North || side == Side::South ? shape.cols : shape.rows;
    first_[s] = static_cast<int>(ports_.size());
    for (int i = 0; i < n; ++i) {
      Port p;
      p.side = side;
      p.index = i;
      for (int c = 0; c < kMaxColours; ++c) p.credits[static_cast<size_t>(c)] = link_credits(c);
      p.owed.fill(0);
      p.has_credit = ~uint32_t{0};
      ports_.push_back(std::move(p));
    }
  }
}

int EdgePorts::port(Side side, int index) const {
  const int n = side == Side::North || side == Side::South ? shape_.cols : shape_.rows;
  if (index < 0 || index >= n) {
    throw BadInput(fmt::format("no port {} on the {} edge: the grid has {} there (0 to {})", index,
                               side_name(side), n, n - 1));
  }
  return first(side) + index;
}

void EdgePorts::refresh(Port* port) {
  const bool kept = port->exit && port->exit->kept() > 0;
  const bool busy = (port->sendable() | port->returnable()) != 0 || kept;
  busy_ports_ += static_cast<int>(busy) - static_cast<int>(port->busy);
  port->busy = busy;
}

void EdgePorts::refresh_credit(Port* port, int c) {
  const Queue& q = port->queues[c];
  const uint32_t bit = uint32_t{1} << c;
  const bool enough = port->credits[c] >= (q.empty() ? 1 : price(q.front()));
  port->has_credit = enough ? port->has_credit | bit : port->has_credit & ~bit;
}

uint32_t EdgePorts::arrived(Port* port, uint32_t mask, uint64_t cycle) {
  const uint32_t bit = uint32_t{1} << port->link_colour;
  if (!port->link || (mask & bit) == 0) return mask;
  if (port->link->ready(cycle)) return mask;
  port->link->starve(cycle);
  return mask & ~bit;
}

void EdgePorts::set_link(int port, int colour, const std::optional<EdgeLinkOptions>& options) {
  Port& p = ports_[port];
  if (!p.queues[colour].empty()) throw InternalError("a link in front of what has been sent");
  p.link.reset();
  if (options) p.link.emplace(*options);
  p.link_colour = colour;
}

EdgeLink& EdgePorts::link(int port) {
  Port& p = ports_[port];
  if (!p.link) throw InternalError("the port has no link");
  return *p.link;
}

void EdgePorts::set_exit(int port, int colour, const std::optional<EdgeExitOptions>& options) {
  Port& p = ports_[port];
  if (p.owed[colour] > 0 || (p.exit && p.exit->kept() > 0)) {
    throw InternalError("a link behind what has left");
  }
  p.exit.reset();
  if (options) p.exit.emplace(*options);
  p.exit_colour = colour;
}

EdgeExit& EdgePorts::exit(int port) {
  Port& p = ports_[port];
  if (!p.exit) throw InternalError("the port has no link out of the grid");
  return *p.exit;
}

void EdgePorts::leave(Port* port, uint64_t cycle) {
  const int c = port->exit_colour;
  if (const int credits = port->exit->release(cycle)) {
    port->owed[c] += credits;
    port->has_owed |= uint32_t{1} << c;
  }
  if (port->link && port->exit->full(cycle) && port->exit->kept() == link_credits(c)) {
    port->link->kept_from_sending(cycle, port->exit->cause(cycle));
  }
}

void EdgePorts::drive(uint64_t cycle, uint64_t* in_words) {
  driven_.clear();
  now_ = cycle + 1;
  if (busy_ports_ == 0) {
    for (size_t i = 0; i < ports_.size(); ++i) in_words[i] = 0;
    return;
  }
  for (size_t i = 0; i < ports_.size(); ++i) {
    Port& p = ports_[i];
    uint64_t word = 0;
    if (p.busy) {
      if (p.exit) leave(&p, cycle);
      if (const uint32_t mask = arrived(&p, p.sendable(), cycle)) {
        const int c = round_robin(mask, p.next_colour);
        p.next_colour = (c + 1) % kMaxColours;
        const Wavelet w = p.queues[c].pop();
        if (p.link && c == p.link_colour) p.link->take_wavelet(cycle);
        word |= link_of_wavelet(w);
        --p.pending;
        --pending_;
        const uint32_t bit = uint32_t{1} << c;
        const size_t left = p.queues[c].size();
        if (left == 0) p.has_queue &= ~bit;
        if (left == 0 || left == kPortRefill) event_ = true;
        p.credits[c] -= price(w);
        refresh_credit(&p, c);
        if (record_) driven_.push_back(EdgeEvent{cycle, p.side, p.index, true, w});
      }
      if (const uint32_t mask = p.returnable()) {
        const int c = round_robin(mask, p.next_owed);
        p.next_owed = (c + 1) % kMaxColours;
        word |= link_of_credit(c);
        if (--p.owed[c] == 0) p.has_owed &= ~(uint32_t{1} << c);
      }
      refresh(&p);
    }
    in_words[i] = word;
  }
}

void EdgePorts::receive(uint64_t cycle, const uint64_t* out_words) {
  size_t next_driven = 0;
  for (size_t i = 0; i < ports_.size(); ++i) {
    Port& p = ports_[i];
    if (next_driven < driven_.size() && driven_[next_driven].side == p.side &&
        driven_[next_driven].index == p.index) {
      log_.push_back(driven_[next_driven++]);
    }
    const uint64_t word = out_words[i];
    if (word == 0) continue;
    if (link_has_wavelet(word)) {
      const Wavelet w = link_wavelet(word);
      p.arrivals[w.colour].push_back(Arrival{cycle, w});
      event_ = true;
      const bool leaves = p.exit && w.colour == p.exit_colour;
      if (leaves) {
        p.exit->arrive(cycle, price(w));
      } else {
        p.owed[w.colour] += price(w);
      }
      if (p.owed[w.colour] + (leaves ? p.exit->kept() : 0) > link_credits(w.colour)) {
        throw ProtocolError(fmt::format(
            "{} edge, port {}: a wavelet of colour {} came without a credit in cycle {}",
            side_name(p.side), p.index, w.colour, cycle));
      }
      if (!leaves) p.has_owed |= uint32_t{1} << w.colour;
      if (record_) log_.push_back(EdgeEvent{cycle, p.side, p.index, false, w});
    }
    if (link_has_credit(word)) {
      const int c = link_credit_colour(word);
      if (++p.credits[c] > link_credits(c)) {
        throw ProtocolError(
            fmt::format("{} edge, port {}: one credit too many of colour {} in cycle {}",
                        side_name(p.side), p.index, c, cycle));
      }
      refresh_credit(&p, c);
    }
    refresh(&p);
  }
}

size_t EdgePorts::send(int port, const Wavelet* wavelets, size_t count) {
  Port& p = ports_[port];
  size_t taken = 0;
  size_t linked = 0;  // of them, for the link
  for (; taken < count; ++taken) {
    const Wavelet& w = wavelets[taken];
    if (w.colour >= kMaxColours) {
      throw BadInput(fmt::format("colour {} of a wavelet to send: the limit is {}", w.colour,
                                 kMaxColours - 1));
    }
    if (p.queues[w.colour].size() == kPortRoom) break;
    p.queues[w.colour].push(w);
    linked += w.colour == p.link_colour ? 1 : 0;
    p.has_queue |= uint32_t{1} << w.colour;
    if (p.queues[w.colour].size() == 1) refresh_credit(&p, w.colour);
  }
  if (p.link && linked > 0) p.link->offer(now_, linked);
  p.pending += taken;
  pending_ += taken;
  refresh(&p);
  return taken;
}

std::vector<Arrival> EdgePorts::take_arrivals(int port, int colour) {
  std::vector<Arrival> out;
  out.swap(ports_[port].arrivals[colour]);
  return out;
}

void EdgePorts::hold(int port, int colour, bool held) {
  Port& p = ports_[port];
  const uint32_t bit = uint32_t{1} << colour;
  p.held = held ? p.held | bit : p.held & ~bit;
  refresh(&p);
}

void EdgePorts::record(bool on) {
  record_ = on;
  if (on) log_.clear();
}

}  // namespace ow
