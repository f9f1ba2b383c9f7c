// SPDX-License-Identifier: Apache-2.0
#include "mpi_traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ow::ranks {

MpiTraffic::MpiTraffic(int rank, int ranks, size_t piece_bytes, Mailbox* box, Events events)
    : rank_(rank),
      ranks_(ranks),
      piece_bytes_(piece_bytes),
      box_(box),
      events_(std::move(events)),
      heard_(static_cast<size_t>(ranks), Clock::now()),
      beats_(static_cast<size_t>(ranks), MPI_REQUEST_NULL),
      bye_(static_cast<size_t>(ranks), false),
      beat_at_(Clock::now()) {}

bool MpiTraffic::works(int code, const char* call, int rank) {
  if (code == MPI_SUCCESS) return true;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  const std::string of = rank == rank_ ? "" : fmt::format(" with rank {}", rank);
  events_.broken(fmt::format("{}{} has failed: {}", call, of, text));
  return false;
}

bool MpiTraffic::all_said_bye() const {
  for (int r = 0; r < ranks_; ++r) {
    if (r != rank_ && !said_bye(r)) return false;
  }
  return true;
}

void MpiTraffic::start_sends(std::deque<OutgoingMessage> messages) {
  for (OutgoingMessage& message : messages) {
    sending_.push_back(std::move(message));
    OutgoingMessage& m = sending_.back();
    // Synchronous sends bound the messages in flight.
    works(m.start(piece_bytes_, m.tag() != kFail), "a send", m.to());
  }
}

MpiTraffic::Sends MpiTraffic::end_sends() {
  Sends sends;
  for (auto m = sending_.begin(); m != sending_.end();) {
    bool done = false;
    const bool works = this->works(m->done(&done), "a send", m->to());
    if (!done) {  // nobody waits for one that has failed
      sends.telling = sends.telling || (works && m->tag() == kFail);
      ++m;
      continue;
    }
    sends.any = true;
    if (m->tag() < kTags) events_.sent(m->to());
    m = sending_.erase(m);
  }
  sends.telling = sends.telling || !all_said_bye();
  return sends;
}

bool MpiTraffic::receive() {
  const bool came = start_receives(), taken = end_receives();
  return came || taken;
}

// At most one message per sender and tag at a time, so they keep their order.
bool MpiTraffic::start_receives() {
  bool any = false;
  int something = 0;
  const int code =
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &something, MPI_STATUS_IGNORE);
  if (!works(code, "a look for messages", rank_) || something == 0) return false;
  for (int from = 0; from < ranks_; ++from) {
    if (from == rank_) continue;
    for (int tag = 0; tag <= kBye; ++tag) {
      auto m = std::find_if(receiving_.begin(), receiving_.end(), [&](const IncomingMessage& open) {
        return open.from() == from && open.tag() == tag;
      });
      const bool begins = m == receiving_.end();
      if (begins && tag < kTags && !box_->room(from, static_cast<Tag>(tag))) continue;
      if (begins) m = receiving_.emplace(receiving_.end(), from, tag);
      bool started = false;
      works(m->start(&started), "a receive", from);
      if (begins && !started) receiving_.erase(m);
      any = any || started;
    }
  }
  return any;
}

bool MpiTraffic::end_receives() {
  bool any = false;
  for (auto m = receiving_.begin(); m != receiving_.end();) {
    bool done = false, moved = false;
    works(m->done(piece_bytes_, &done, &moved), "a receive", m->from());
    any = any || moved;
    if (!done) {
      ++m;
      continue;
    }
    arrived(&*m);
    m = receiving_.erase(m);
  }
  return any;
}

void MpiTraffic::arrived(IncomingMessage* message) {
  const auto from = static_cast<size_t>(message->from());
  const int tag = message->tag();
  Message data = message->take();
  heard_[from] = Clock::now();
  box_->alive();
  if (tag == kBye) bye_[from] = true;
  if (tag == kFail && !data.empty()) events_.told(message->from(), data);
  if (tag < kTags) box_->deliver(message->from(), static_cast<Tag>(tag), std::move(data));
}

void MpiTraffic::beat(Clock::time_point now) {
  if (now < beat_at_) return;
  beat_at_ = now + kBeatEvery;
  for (int to = 0; to < ranks_; ++to) {
    if (to == rank_ || (rank_ != 0 && to != 0)) continue;
    MPI_Request& request = beats_[static_cast<size_t>(to)];
    int done = 1;
    if (request != MPI_REQUEST_NULL) {
      works(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "a sign of life", to);
    }
    if (done == 0) continue;
    works(MPI_Isend(&nothing_, 1, MPI_BYTE, to, kBeat, MPI_COMM_WORLD, &request), "a sign of life",
          to);
  }
}

}  // namespace ow::ranks
