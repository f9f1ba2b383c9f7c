// SPDX-License-Identifier: Apache-2.0
#ifndef OW_EXECUTE_TRAIN_LOSS_H_
#define OW_EXECUTE_TRAIN_LOSS_H_

#include <string>

#include "ow/memoryx/memoryx.h"

namespace ow::jobs {

// Why a step's loss is not finite, as far as the weights that it was computed with show. Call it
// before their update.
std::string cause_of_loss(const memoryx::MemoryX& memory);

}  // namespace ow::jobs

#endif  // OW_EXECUTE_TRAIN_LOSS_H_
