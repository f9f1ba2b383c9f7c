// SPDX-License-Identifier: Apache-2.0
#include "board_job.h"

#include "ow/check/training_job.h"
#include "ow/golden/network.h"
#include "ow/open/board.h"

namespace ow::fpga {

jobs::RunReport digits_on_board(GridShape grid, size_t samples,
                                const std::function<std::unique_ptr<uart::Wire>()>& wire) {
  jobs::RunParams params =
      jobs::read_job(grid == GridShape{1, 2} ? OW_SOURCE_DIR "/configs/digits-mini-1x2.yaml"
                                             : OW_SOURCE_DIR "/configs/digits-mini.yaml")
          .network();
  uart::Session::Options session;
  session.number = 1;
  jobs::RunOptions run =
      golden::network_run(OW_FIRMWARE_DIR "/forward_mini.elf", OW_FIRMWARE_DIR "/train.elf");
  run.tile = jobs::kMiniTile;
  run.make = [&](GridShape) { return uart::open_board(wire(), session); };
  run.limit = samples;
  run.dense = false;
  return jobs::run_network(params, run);
}

}  // namespace ow::fpga
