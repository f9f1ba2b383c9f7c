// SPDX-License-Identifier: Apache-2.0
#ifndef OW_SWARMX_MPI_TRANSPORT_H_
#define OW_SWARMX_MPI_TRANSPORT_H_

#include <memory>
#include <string>

#include "ow/swarmx/transport.h"

namespace ow::swarmx {

// What the others say of a rank that has ended.
std::string ended_text(int rank, const std::string& what);

// The ranks that mpirun started. Once a process.
std::unique_ptr<Transport> open_mpi(const TransportOptions& options);

}  // namespace ow::swarmx

#endif  // OW_SWARMX_MPI_TRANSPORT_H_
