// SPDX-License-Identifier: Apache-2.0
// The streams that a training's tiles take, in the order of their program.
#ifndef OW_COMPILE_TRAIN_STREAMS_H_
#define OW_COMPILE_TRAIN_STREAMS_H_

#include "ow/compile/train_plan.h"
#include "ow/memoryx/stream_schedule.h"

namespace ow::jobs {

// Forward through all layers. In a step then, from the last layer to the first: the biases, whose
// gradients come first; the positions of the matrix, in pieces that the tiles gather; and its
// transposed weights, in windows. The first layer needs no deltas.
memoryx::TrainStreams streams_of(const TrainPlan& plan);

}  // namespace ow::jobs

#endif  // OW_COMPILE_TRAIN_STREAMS_H_
