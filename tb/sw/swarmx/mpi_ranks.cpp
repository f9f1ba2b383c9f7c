// SPDX-License-Identifier: Apache-2.0
// One of two ranks under mpirun, for mpi_test.sh. Usage: mpi_ranks pieces|CALL
//   pieces  messages of all sizes around that of a piece go to the other rank and back
//   CALL    rank 1's calls of MPI_CALL fail after the first messages; both ranks print their errors
#include <mpi.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>

#include "ow/base/error.h"
#include "ow/ranks/transport.h"

namespace {

// The call that fails, once this is set.
std::atomic<const char*> failing{nullptr};
bool fails(const char* call) {
  const char* name = failing;
  return name != nullptr && std::string(name) == call;
}

}  // namespace

// In place of the library's: so the profiling interface of MPI has it.
extern "C" {
int MPI_Issend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return fails("Issend") ? MPI_ERR_OTHER : PMPI_Issend(data, count, type, to, tag, comm, request);
}
int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  return fails("Test") ? MPI_ERR_OTHER : PMPI_Test(request, done, status);
}
int MPI_Improbe(int from, int tag, MPI_Comm comm, int* there, MPI_Message* message,
                MPI_Status* status) {
  return fails("Improbe") ? MPI_ERR_OTHER : PMPI_Improbe(from, tag, comm, there, message, status);
}
int MPI_Imrecv(void* data, int count, MPI_Datatype type, MPI_Message* message,
               MPI_Request* request) {
  return fails("Imrecv") ? MPI_ERR_OTHER : PMPI_Imrecv(data, count, type, message, request);
}
}

namespace ow::swarmx {
namespace {

constexpr size_t kPiece = 1000;  // bytes

ranks::Message numbered(size_t bytes) {
  ranks::Message message(bytes);
  for (size_t k = 0; k < bytes; ++k) message[k] = static_cast<uint8_t>(k * 7 + k / 256 + bytes);
  return message;
}

// All messages go out before the first one is received, with two tags by turns.
bool pieces(ranks::Transport* ranks) {
  const size_t sizes[] = {0, 1, kPiece - 1, kPiece, kPiece + 1, 3 * kPiece, 1000 * kPiece + 7, 5};
  const int other = 1 - ranks->rank();
  size_t n = 0;
  for (const size_t size : sizes) {
    ranks->send(other, n++ % 2 == 0 ? ranks::Tag::Weights : ranks::Tag::Gradients, numbered(size));
  }
  bool same = true;
  n = 0;
  for (const size_t size : sizes) {
    const ranks::Message got =
        ranks->receive(other, n++ % 2 == 0 ? ranks::Tag::Weights : ranks::Tag::Gradients);
    if (got == numbered(size)) continue;
    std::printf("a message of %zu bytes arrived as another one of %zu\n", size, got.size());
    same = false;
  }
  ranks->close();
  return same;
}

// The ranks send each other messages until one of them is told of the failure.
bool fail(ranks::Transport* ranks, const char* call) {
  const auto begin = std::chrono::steady_clock::now();
  const int other = 1 - ranks->rank();
  try {
    for (int n = 0;; ++n) {
      if (n == 5 && ranks->rank() == 1) failing = call;
      ranks->send(other, ranks::Tag::Results, {1, 2, 3});
      ranks->receive(other, ranks::Tag::Results);
    }
  } catch (const Error& error) {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::printf("rank %d %s: %s\n", ranks->rank(), took.count() < 5 ? "at once" : "late",
                error.what());
    std::fflush(stdout);
  }
  return true;
}

}  // namespace
}  // namespace ow::swarmx

int main(int, char** argv) {
  ow::ranks::TransportOptions options;
  options.patience = std::chrono::seconds(20);
  options.piece_bytes = ow::swarmx::kPiece;
  const auto ranks = ow::ranks::open_transport(options);
  const std::string what = argv[1];
  return what == "pieces" ? (ow::swarmx::pieces(ranks.get()) ? 0 : 1)
                          : (ow::swarmx::fail(ranks.get(), argv[1]) ? 0 : 1);
}
