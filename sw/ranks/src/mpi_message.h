// SPDX-License-Identifier: Apache-2.0
// A message on its way by MPI. It goes in pieces, because MPI counts the bytes of a transfer in an
// int. All pieces but the last have the same size; the last one is shorter and may be empty. MPI
// keeps the order of pieces with one tag.
//
// Functions return MPI's code: MPI_SUCCESS, or why a call has failed.
#ifndef OW_RANKS_MPI_MESSAGE_H_
#define OW_RANKS_MPI_MESSAGE_H_

#include <mpi.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "ow/ranks/transport.h"

namespace ow::ranks {

class OutgoingMessage {
 public:
  OutgoingMessage(int to, int tag, Message data) : to_(to), tag_(tag), data_(std::move(data)) {}

  int to() const { return to_; }
  int tag() const { return tag_; }
  // Starts to send all pieces. A synchronous send ends when the other side takes the piece.
  int start(size_t piece_bytes, bool synchronous);
  // Whether all pieces are sent.
  int done(bool* done);

 private:
  int to_;
  int tag_;
  Message data_;
  std::vector<MPI_Request> pieces_;
};

class IncomingMessage {
 public:
  IncomingMessage(int from, int tag) : from_(from), tag_(tag) {}

  int from() const { return from_; }
  int tag() const { return tag_; }
  Message take() { return std::move(data_); }
  // Receives the next piece if one is there and none is arriving.
  int start(bool* started);
  // Whether the last piece has arrived. `moved`: a piece has.
  int done(size_t piece_bytes, bool* done, bool* moved);

 private:
  int from_;
  int tag_;
  Message data_;
  MPI_Request request_ = MPI_REQUEST_NULL;  // of the piece that is arriving
  size_t piece_ = 0;                        // its bytes
};

}  // namespace ow::ranks

#endif  // OW_RANKS_MPI_MESSAGE_H_
