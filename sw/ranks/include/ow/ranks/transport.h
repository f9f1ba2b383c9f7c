// SPDX-License-Identifier: Apache-2.0
// Messages between the ranks of a training, or of a simulated grid (ow/sim/split.h). Ranks are
// either threads of one process or processes that mpirun started. A single process is one rank of
// the first kind.
#ifndef OW_RANKS_TRANSPORT_H_
#define OW_RANKS_TRANSPORT_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ow::ranks {

using Message = std::vector<uint8_t>;

// Messages with different tags may overtake each other. Messages with one tag between two ranks
// keep their order.
enum class Tag { Order, Weights, Gradients, Results, Grid };
constexpr int kTags = 5;

struct TransportOptions {
  // A rank without a sign of life for this long is dead. A separate thread gives the signs, so a
  // long simulation does not matter.
  std::chrono::milliseconds silence{6000};
  // The longest wait for a message, for room, or for a batch of weights. It is counted from the
  // last sign of life of another rank, or of a wafer for weights. Ranks of one process give no
  // signs.
  std::chrono::seconds patience{3600};
  // The most bytes of a transfer between processes; longer messages are cut. The same in all ranks.
  size_t piece_bytes = size_t{1} << 30;
  // Only speaker() writes a line, for all; the others end without one.
  bool first_speaks = false;
  // The process is a rank and nothing else, so the transport may end it, with at most one line on
  // standard error: on SIGTERM, which mpirun sends when a rank has died (a later handler replaces
  // this one until a failure is known), and if the process has not ended soon after a failure, for
  // example because it simulates. Only rank 0 reports bad input.
  bool owns_process = false;
};

class Transport {
 public:
  // Without close() the other ranks are told that this one has ended.
  virtual ~Transport() = default;

  virtual int rank() const = 0;
  virtual int ranks() const = 0;
  // Those on this computer, this one too.
  virtual int ranks_here() const { return ranks(); }
  virtual std::chrono::seconds patience() const = 0;

  // send waits while too many messages of this tag are on their way. send, receive and check throw
  // if the run has failed: DeviceFault with the rank and its reason, or BadInput if that was the
  // reason.
  virtual void send(int to, Tag tag, Message message) = 0;
  virtual Message receive(int from, Tag tag) = 0;
  virtual void check() = 0;

  // Reports that this rank ends with an error, so that the others end too. May be called from any
  // thread. Only the first failure counts.
  virtual void fail(int status, const std::string& what) = 0;
  // This rank is done. Waits until all ranks are done, as long as they give signs of life.
  virtual void close() = 0;
};

// `ranks` ranks in one process. Each must be used by a thread of its own.
std::vector<std::unique_ptr<Transport>> local_transports(int ranks,
                                                         const TransportOptions& options = {});

// The rank of this process: one of several if mpirun or srun started it, else a single one.
// BadInput if it is one of several and the build has no MPI, or if MPI does not find the others.
std::unique_ptr<Transport> open_transport(const TransportOptions& options = {});
// The text of a failure begins so if rank 0 is silent.
constexpr char kFirstIsSilent[] = "rank 0 has ended: it has given no sign of life";
// The rank that writes the line of a failure, whose text is that of an exception of receive(): rank
// 0, or rank 1 if rank 0 is silent.
inline int speaker(const std::string& failure) {
  return failure.rfind(kFirstIsSilent, 0) == 0 ? 1 : 0;
}
// Whether the build has MPI.
bool has_mpi();

}  // namespace ow::ranks

#endif  // OW_RANKS_TRANSPORT_H_
