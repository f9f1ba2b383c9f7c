// SPDX-License-Identifier: Apache-2.0
// A batch of a stream as a message between ranks. It holds whether it is the last batch and its
// step. For each grid row it holds the number of wavelets, their data, and one bit per wavelet for
// control wavelets.
#ifndef OW_SWARMX_BATCH_MESSAGE_H_
#define OW_SWARMX_BATCH_MESSAGE_H_

#include <cstddef>
#include <memory>

#include "ow/memoryx/weight_stream.h"
#include "ow/ranks/transport.h"

namespace ow::swarmx {

ranks::Message pack_batch(const memoryx::WaveletBatch& batch, bool last);

// ProtocolError for another number of grid rows, or for a message of
// the wrong length.
std::shared_ptr<const memoryx::WaveletBatch> unpack_batch(const ranks::Message& message,
                                                          size_t rows, bool* last);

}  // namespace ow::swarmx

#endif  // OW_SWARMX_BATCH_MESSAGE_H_
