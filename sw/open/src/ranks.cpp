// SPDX-License-Identifier: Apache-2.0
#include "ow/open/ranks.h"

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/ranks/transport.h"

namespace ow {
std::shared_ptr<GridRanks> join_ranks(int parts, const std::string& who, int* status) {
  ranks::TransportOptions options;
  options.first_speaks = true;
  options.owns_process = true;
  auto transport = ranks::open_transport(options);
  const int ranks = transport->ranks();
  *status = 0;
  if (parts != 0 && ranks != parts) {
    const bool first = transport->rank() == 0;
    transport->close();
    if (!first) return nullptr;
    throw BadInput(fmt::format("{}: split={} needs {} processes, here {} (mpirun -n {} ...)", who,
                               parts, parts, ranks == 1 ? "is one" : fmt::format("are {}", ranks),
                               parts));
  }
  auto joined = std::make_shared<GridRanks>(std::move(transport));
  if (joined->rank() == 0) return joined;
  *status = serve_parts(joined.get());
  return nullptr;
}

}  // namespace ow
