// SPDX-License-Identifier: Apache-2.0
#ifndef OW_RANKS_MPI_TRANSPORT_H_
#define OW_RANKS_MPI_TRANSPORT_H_

#include <memory>
#include <string>

#include "ow/ranks/mailbox.h"
#include "ow/ranks/transport.h"

namespace ow::ranks {

// What the other ranks say about a rank that has ended.
std::string ended_text(int rank, const std::string& what);
// The line in which this rank reports a failure. Empty for bad input, which rank 0 reports.
std::string line_of(int rank, const Mailbox::Failure& failure);

// The ranks that mpirun started. Call it once per process.
std::unique_ptr<Transport> open_mpi(const TransportOptions& options);

}  // namespace ow::ranks

#endif  // OW_RANKS_MPI_TRANSPORT_H_
