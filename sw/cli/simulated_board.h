// SPDX-License-Identifier: Apache-2.0
// The board that ow-fpga-sim simulates, as `--device fpga-sim` asks for it.
#ifndef OW_CLI_SIMULATED_BOARD_H_
#define OW_CLI_SIMULATED_BOARD_H_

#include <memory>

#include "ow/device/device.h"
#include "ow/uart/wire.h"

namespace ow::cli {

// Starts ow-fpga-sim with a grid of this shape, and connects to its pseudo-terminal. It ends with
// the wire. BadInput if the program is not built or has no such grid.
std::unique_ptr<uart::Wire> start_simulated_board(GridShape grid);

}  // namespace ow::cli

#endif  // OW_CLI_SIMULATED_BOARD_H_
