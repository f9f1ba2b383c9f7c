// SPDX-License-Identifier: Apache-2.0
#ifndef OW_SWARMX_MPI_TRANSPORT_H_
#define OW_SWARMX_MPI_TRANSPORT_H_

#include <memory>
#include <string>

#include "ow/swarmx/mailbox.h"
#include "ow/swarmx/transport.h"

namespace ow::swarmx {

// What the others say of a rank that has ended.
std::string ended_text(int rank, const std::string& what);
// The line that this rank says of a failure. Empty: bad input is rank 0's to say, which finds it
// itself or hears of it.
std::string line_of(int rank, const Mailbox::Failure& failure);

// The ranks that mpirun started. Once a process.
std::unique_ptr<Transport> open_mpi(const TransportOptions& options);

}  // namespace ow::swarmx

#endif  // OW_SWARMX_MPI_TRANSPORT_H_
