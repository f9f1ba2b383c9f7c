// SPDX-License-Identifier: Apache-2.0
#include "mpi_message.h"

#include <algorithm>

namespace ow::ranks {

int OutgoingMessage::start(size_t piece_bytes, bool synchronous) {
  const auto send = synchronous ? MPI_Issend : MPI_Isend;
  for (size_t at = 0; at <= data_.size(); at += piece_bytes) {
    const int count = static_cast<int>(std::min(piece_bytes, data_.size() - at));
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = send(data_.data() + at, count, MPI_BYTE, to_, tag_, MPI_COMM_WORLD, &request);
    if (code != MPI_SUCCESS) return code;
    pieces_.push_back(request);
  }
  return MPI_SUCCESS;
}

int OutgoingMessage::done(bool* done) {
  *done = false;
  bool all = true;
  for (MPI_Request& piece : pieces_) {
    if (piece == MPI_REQUEST_NULL) continue;
    int ended = 0;
    const int code = MPI_Test(&piece, &ended, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) return code;
    all = all && ended != 0;
  }
  *done = all;
  return MPI_SUCCESS;
}

int IncomingMessage::start(bool* started) {
  *started = false;
  if (request_ != MPI_REQUEST_NULL) return MPI_SUCCESS;
  int there = 0, size = 0;
  MPI_Message handle;
  MPI_Status status;
  int code = MPI_Improbe(from_, tag_, MPI_COMM_WORLD, &there, &handle, &status);
  if (code != MPI_SUCCESS || there == 0) return code;
  code = MPI_Get_count(&status, MPI_BYTE, &size);
  if (code != MPI_SUCCESS) return code;
  if (size < 0) return MPI_ERR_COUNT;
  const size_t before = data_.size();
  piece_ = static_cast<size_t>(size);
  data_.resize(before + piece_);
  code = MPI_Imrecv(data_.data() + before, size, MPI_BYTE, &handle, &request_);
  *started = code == MPI_SUCCESS;
  return code;
}

int IncomingMessage::done(size_t piece_bytes, bool* done, bool* moved) {
  *done = *moved = false;
  if (request_ == MPI_REQUEST_NULL) return MPI_SUCCESS;
  int ended = 0;
  const int code = MPI_Test(&request_, &ended, MPI_STATUS_IGNORE);
  if (code != MPI_SUCCESS) return code;
  *moved = ended != 0;
  *done = *moved && piece_ < piece_bytes;
  return MPI_SUCCESS;
}

}  // namespace ow::ranks
