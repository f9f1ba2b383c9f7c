// SPDX-License-Identifier: Apache-2.0
// Machines behind a wire that are ready to run: a session is open, all tiles are connected and out
// of reset.
#ifndef OW_OPEN_BOARD_H_
#define OW_OPEN_BOARD_H_

#include <memory>
#include <string>

#include "ow/uart/uart_device.h"

namespace ow::uart {

// Sets the fuses of a machine without defects. DeviceFault if the board does not answer, or one of
// its stations does not.
std::unique_ptr<UartDevice> open_board(std::unique_ptr<Wire> wire,
                                       const Session::Options& options = {});

// "uart:PATH" or "uart:PATH:BAUD": the board at a serial port. BadInput if it is neither.
bool is_board(const std::string& machine);
std::unique_ptr<UartDevice> open_board(const std::string& machine);

}  // namespace ow::uart

#endif  // OW_OPEN_BOARD_H_
