// SPDX-License-Identifier: Apache-2.0
// A batch of a stream as it goes from rank to rank: whether it is the last one, its layer, and for
// each grid row how many wavelets, their data, and a bit each for the control wavelets among them.
#ifndef OW_SWARMX_BATCH_MESSAGE_H_
#define OW_SWARMX_BATCH_MESSAGE_H_

#include <cstddef>
#include <memory>

#include "ow/memoryx/weight_stream.h"
#include "ow/swarmx/transport.h"

namespace ow::swarmx {

Message pack_batch(const memoryx::WaveletBatch& batch, bool last);

// Its wavelets get this colour. ProtocolError for another number of grid rows, and for a message
// that is shorter or longer than it says.
std::shared_ptr<const memoryx::WaveletBatch> unpack_batch(const Message& message, int colour,
                                                          size_t rows, bool* last);

}  // namespace ow::swarmx

#endif  // OW_SWARMX_BATCH_MESSAGE_H_
