// SPDX-License-Identifier: Apache-2.0
// Messages between the processes (ranks) of a training. Two kinds: ranks that are threads of one
// process, and those that mpirun started. A process by itself is the first kind with one rank.
#ifndef OW_SWARMX_TRANSPORT_H_
#define OW_SWARMX_TRANSPORT_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ow::swarmx {

using Message = std::vector<uint8_t>;

// Messages of different tags may overtake one another; those of one tag between two ranks do not.
enum class Tag { Order, Weights, Gradients, Results };
constexpr int kTags = 4;

struct TransportOptions {
  // A rank that has given no sign of life for so long is dead. A thread of its own gives them, so
  // how long a rank simulates does not matter.
  std::chrono::milliseconds silence{6000};
  // No wait for a message, for room for one or for a batch of weights is longer, counted from the
  // last sign of life of another rank (of a wafer, for the weights). Ranks of one process give
  // none.
  std::chrono::seconds patience{3600};
  // Written to standard error, as a line, before the process ends with status 3 because of SIGTERM,
  // which mpirun sends when a rank has died. Empty: the signal is left alone.
  std::string terminated;
  // Called, by another thread, if this rank has not ended soon after the run has failed: it
  // simulates, say. Must end the process, with this line on standard error unless it is empty:
  // bad input is said by rank 0 alone.
  std::function<void(int status, const std::string& line)> last_resort;
};

class Transport {
 public:
  // Not closed: the other ranks are told that this one has ended.
  virtual ~Transport() = default;

  virtual int rank() const = 0;
  virtual int ranks() const = 0;
  virtual std::chrono::seconds patience() const = 0;

  // Waits while too many messages of this tag are on their way. Send, receive and check throw if
  // the run has failed: DeviceFault with the rank and its reason, or BadInput if that was one.
  virtual void send(int to, Tag tag, Message message) = 0;
  virtual Message receive(int from, Tag tag) = 0;
  virtual void check() = 0;

  // This rank ends with an error: the others do so, too. From any thread; the first reason holds.
  virtual void fail(int status, const std::string& what) = 0;
  // This rank is done. Waits until all are, as long as they give signs of life.
  virtual void close() = 0;
};

// So many ranks in one process, each to be used by a thread of its own.
std::vector<std::unique_ptr<Transport>> local_transports(int ranks,
                                                         const TransportOptions& options = {});

// What this process is part of: a rank of several if mpirun or srun started it, else one by itself.
// BadInput if it is one of several and the build has no MPI, or MPI does not find the others.
std::unique_ptr<Transport> open_transport(const TransportOptions& options = {});
// Whether the build has MPI.
bool has_mpi();

}  // namespace ow::swarmx

#endif  // OW_SWARMX_TRANSPORT_H_
