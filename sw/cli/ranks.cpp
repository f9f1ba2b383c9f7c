// SPDX-License-Identifier: Apache-2.0
#include "ranks.h"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "ow/base/error.h"

namespace ow::cli {
namespace {

// Whether this process runs the network: not if it is one of several. Rank 0 says so before it
// closes, which waits for all: mpirun kills the others as soon as one of them has failed.
bool runs_alone(const std::string& job) {
  const auto transport = ranks::open_transport();
  const int ranks = transport->ranks();
  if (ranks > 1 && transport->rank() == 0) {
    const BadInput error(fmt::format(
        "{}: key 'train' is missing: a network is run by one process, not {}", job, ranks));
    std::fprintf(stderr, "ow: %s: %s\n", error.category(), error.what());
  }
  transport->close();
  return ranks == 1;
}

}  // namespace

int in_ranks(const jobs::Job& job, bool split, const std::function<int(ranks::Transport*)>& body) {
  const std::string& path = job.base().path;
  if (split) return body(nullptr);
  if (!job.is_training()) return runs_alone(path) ? body(nullptr) : 2;
  ranks::TransportOptions options;
  options.owns_process = true;
  const auto transport = ranks::open_transport(options);
  try {
    int status = 0;
    try {
      status = body(transport.get());
    } catch (const std::bad_alloc&) {
      throw BadInput(path +
                     ": not enough memory; train.store.directory keeps the weights in a file, "
                     "--no-check leaves out the reference, which has its own");
    }
    transport->close();
    return status;
  } catch (const Error& error) {
    transport->fail(error.exit_status(), error.what());
    // Rank 0 finds bad input itself or hears of it, and says so for all.
    if (transport->rank() > 0 && error.exit_status() == 2) return 2;
    throw;
  } catch (const std::exception& error) {
    transport->fail(InternalError("").exit_status(), error.what());
    throw;
  }
}

}  // namespace ow::cli
