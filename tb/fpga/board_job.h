// SPDX-License-Identifier: Apache-2.0
// The digits job on a board behind a wire.
#ifndef OW_TB_BOARD_JOB_H_
#define OW_TB_BOARD_JOB_H_

#include <cstddef>
#include <functional>
#include <memory>

#include "openwafer/grid.h"
#include "ow/execute/run_job.h"
#include "ow/uart/wire.h"

namespace ow::fpga {

// The digits of configs/digits-mini.yaml, or of its variant for 1x2 tiles, the first `samples` (0:
// all), by the network that its training makes on the golden model. The same bytes cross the wire
// each time.
jobs::RunReport digits_on_board(GridShape grid, size_t samples,
                                const std::function<std::unique_ptr<uart::Wire>()>& wire);

}  // namespace ow::fpga

#endif  // OW_TB_BOARD_JOB_H_
