// SPDX-License-Identifier: Apache-2.0
// `ow info`: what this build is, and what a tile of it says of itself.
#include <cstdio>

#include "cli.h"
#include "ow/control_plane.h"
#include "ow/program.h"
#include "ow/sim.h"

namespace ow::cli {

void add_info(CLI::App& app, Context& context) {
  context.add(app, "info", "Show the version and the tile configuration of this build", [&context] {
    auto device = make_device(DeviceKind::Replicated, GridShape{1, 1});
    ControlPlane control(*device);
    const TileConfig config = read_config(control, 0, 0);
    std::printf("Openwafer %s\n", OW_VERSION);
    std::printf("device          %s\n", device->description().c_str());
    std::printf("lanes           %d x 16 bits\n", config.lanes);
    std::printf("threads         %d\n", config.threads);
    std::printf("data colours    %d\n", config.colours);
    std::printf("SRAM            %u bytes a tile\n", config.sram_bytes);
    nlohmann::json& result = context.result();
    result["version"] = OW_VERSION;
    result["lanes"] = config.lanes;
    result["threads"] = config.threads;
    result["colours"] = config.colours;
    result["sram_bytes"] = config.sram_bytes;
    return 0;
  });
}

}  // namespace ow::cli
