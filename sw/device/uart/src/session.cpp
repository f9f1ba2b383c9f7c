// SPDX-License-Identifier: Apache-2.0
#include "ow/uart/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "ow/base/error.h"

namespace ow::uart {
namespace {

// The bytes of a window of frames at their longest.
constexpr double kWindowBytes = kWindow * 2.0 * (kHeaderBytes + kPayloadMax + kCrcBytes + 2);

// A number that most likely differs from the last session's.
uint8_t another_number() {
  const auto t = std::chrono::steady_clock::now().time_since_epoch().count();
  return static_cast<uint8_t>(1 + (static_cast<uint64_t>(t) * 0x9E3779B97F4A7C15u >> 33) % 255);
}

}  // namespace

Session::Session(std::unique_ptr<Wire> wire, const Options& options)
    : wire_(std::move(wire)), options_(options) {
  if (options_.number == 0) options_.number = another_number();
  if (options_.resend <= 0) {
    options_.resend = wire_->latency() + kWindowBytes / wire_->rate();
  }
}

Bytes Session::open() {
  const double begin = wire_->now();
  double next = begin;
  while (!open_) {
    const double now = wire_->now();
    if (now - begin > options_.silence) {
      throw DeviceFault(fmt::format(
          "{}: no answer within {:g} s: the board has no power or no design, or the rate is wrong",
          wire_->description(), options_.silence));
    }
    if (now >= next && encoded_at_ == encoded_.size()) {
      // A flag first ends whatever is half on the wire.
      encoded_.assign(1, kFlag);
      encoded_at_ = 0;
      Frame frame;
      frame.kind = Kind::Open;
      frame.session = options_.number;
      encode(frame, &encoded_);
      next = now + options_.resend;
    }
    work(std::min(options_.resend, 0.01));
  }
  if (info_.size() != kInfoBytes || info_[0] != kProtocolVersion) {
    throw ProtocolError(fmt::format("{}: the board speaks version {} of the protocol, this is {}",
                                    wire_->description(), info_.empty() ? 0 : info_[0],
                                    kProtocolVersion));
  }
  last_heard_ = last_progress_ = wire_->now();
  return info_;
}

void Session::send_payload(const uint8_t* bytes, size_t count) {
  if (count == 0) return;
  if (outgoing_.empty() && frames_.empty()) last_heard_ = last_progress_ = wire_->now();
  outgoing_.insert(outgoing_.end(), bytes, bytes + count);
}

Bytes Session::take_payload() { return std::exchange(incoming_, Bytes()); }

// -------------------------------------------------------------------------------------- sending --
void Session::next_frame() {
  encoded_.clear();
  encoded_at_ = 0;
  if (!open_) return;
  if (next_ == frames_.size() && frames_.size() < kWindow && !outgoing_.empty()) {
    const auto n = static_cast<std::ptrdiff_t>(std::min(outgoing_.size(), kPayloadMax));
    frames_.emplace_back(outgoing_.begin(), outgoing_.begin() + n);
    outgoing_.erase(outgoing_.begin(), outgoing_.begin() + n);
  }
  Frame frame;
  frame.session = options_.number;
  frame.ack = expected_;
  frame.nack = nack_due_;
  frame.turn = turn_;
  frame.seq = static_cast<uint8_t>(first_ + next_);
  // A request to go back has its own frame: a short one is less likely to be lost.
  if (next_ < frames_.size() && !nack_due_) {
    frame.kind = Kind::Data;
    frame.payload = frames_[next_];
    ++counts_.sent;
    if (next_ < reached_) ++counts_.again;
    ++next_;
    reached_ = std::max(reached_, next_);
  } else if (ack_due_) {
    frame.kind = Kind::Ack;
  } else {
    return;
  }
  ack_due_ = nack_due_ = false;
  encode(frame, &encoded_);
}

void Session::pump_out() {
  // What waits in a port's buffer cannot be taken back, so at most a window of frames goes there.
  for (int frames = 0; frames <= kWindow; ++frames) {
    while (encoded_at_ < encoded_.size()) {
      const size_t n = wire_->write(encoded_.data() + encoded_at_, encoded_.size() - encoded_at_);
      if (n == 0) return;
      encoded_at_ += n;
    }
    next_frame();
    if (encoded_.empty()) return;
  }
}

// ------------------------------------------------------------------------------------ receiving --
void Session::acknowledged(uint8_t ack) {
  const auto n = static_cast<size_t>(static_cast<uint8_t>(ack - first_));
  if (n == 0 || n > reached_) return;  // nothing new, or not of what was sent
  frames_.erase(frames_.begin(), frames_.begin() + static_cast<std::ptrdiff_t>(n));
  first_ = ack;
  next_ -= std::min(next_, n);
  reached_ -= n;
  last_progress_ = wire_->now();
}

// As in ow_host_link: the device has sent everything before the number of its frame. If that number
// is ahead of the expected one, a frame is missing; in a new turn it was lost again.
void Session::follow(const Frame& frame) {
  const bool new_turn = std::exchange(last_turn_, frame.turn) != frame.turn;
  const bool payload = frame.kind == Kind::Data;
  if (payload || frame.seq != expected_) last_tried_ = wire_->now();
  ack_due_ = ack_due_ || payload || frame.nack;
  if (frame.seq == expected_) {
    asked_ = false;
    if (!payload) return;
    incoming_.insert(incoming_.end(), frame.payload.begin(), frame.payload.end());
    ++expected_;
    nack_due_ = false;
    ++counts_.taken;
    return;
  }
  if (payload) ++counts_.others;
  if (static_cast<uint8_t>(frame.seq - expected_) > kWindow) return;  // it was acknowledged
  if (!asked_ || new_turn) ack_due_ = nack_due_ = true;
  asked_ = true;
}

void Session::wrong_frame() {
  ++counts_.wrong;
  if (!open_ || asked_) return;
  asked_ = true;
  ack_due_ = nack_due_ = true;
}

void Session::hear(const Frame& frame) {
  if (frame.session != options_.number) return;  // of a session before
  if (!open_) {
    if (frame.kind != Kind::Opened) return;
    open_ = true;
    info_ = frame.payload;
    last_heard_ = last_frame_ = wire_->now();
    return;
  }
  if (frame.kind == Kind::Closed) {
    throw DeviceFault(
        fmt::format("{}: the board was reset while it was in use", wire_->description()));
  }
  if (frame.kind != Kind::Data && frame.kind != Kind::Ack) return;
  last_heard_ = last_frame_ = last_sign_ = wire_->now();
  acknowledged(frame.ack);
  if (frame.nack && !frames_.empty()) go_back();
  follow(frame);
}

void Session::check_time() {
  const double now = wire_->now();
  if (!open_) return;
  if (frames_.empty() && outgoing_.empty()) {
    last_heard_ = last_progress_ = now;
    return;
  }
  if (now - last_heard_ > options_.silence) {
    throw DeviceFault(fmt::format("{}: the board has been silent for {:g} s", wire_->description(),
                                  options_.silence));
  }
  if (!frames_.empty() && next_ > 0 && now - last_progress_ > options_.resend &&
      encoded_at_ == encoded_.size()) {
    go_back();
    ++counts_.late;
    last_progress_ = now;
  }
}

void Session::go_back() {
  next_ = 0;
  ++turn_;
}

void Session::remind() {
  const double now = wire_->now();
  if (!open_ || !frames_.empty() || !outgoing_.empty() || now - last_sign_ < options_.resend)
    return;
  ack_due_ = true;
  last_sign_ = now;
}

bool Session::work(double seconds, bool due) {
  const size_t had = incoming_.size();
  std::array<uint8_t, 4096> part;
  check_time();
  if (due) remind();
  pump_out();
  // Bytes that did not fit into the wire, and a resend that is due, are tried again soon.
  const bool busy = encoded_at_ < encoded_.size();
  double wait = busy ? std::min(seconds, 0.001) : seconds;
  if (!frames_.empty() || due) wait = std::min(wait, options_.resend);
  const size_t n = wire_->read(part.data(), part.size(), wait);
  for (size_t i = 0; i < n; ++i) {
    if (const auto event = decoder_.decode(part[i])) {
      if (event->valid) {
        hear(event->frame);
      } else {
        wrong_frame();
      }
    }
  }
  if (n > 0) pump_out();
  return incoming_.size() > had;
}

}  // namespace ow::uart
