// SPDX-License-Identifier: Apache-2.0
// A grid that several processes simulate, some of its rows each (sim:64x64,split=K).
//
// Rank 0 runs the program and has the edges of the grid. A part is a grid of its own in any engine.
// In each cycle rank 0 gives a part the words that come to it, from the edges and from the parts
// above and below, and gets those that leave it. A part that rests and to which nothing comes is
// not told of the cycle. So a grid does the same in any number of ranks.
#ifndef OW_SIM_SPLIT_H_
#define OW_SIM_SPLIT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "ow/device/device.h"
#include "ow/ranks/transport.h"
#include "ow/sim/sim.h"

namespace ow {

class SimDevice;
// Makes an engine for a grid or a part of one. BadInput if this process has not got the engine.
using EngineMaker = std::function<std::unique_ptr<SimDevice>(GridShape, const SimOptions&)>;

// The connection between the ranks, as long as rank 0 uses it. One grid at a time is split.
class GridRanks {
 public:
  explicit GridRanks(std::unique_ptr<ranks::Transport> transport);
  // In rank 0: the others end.
  ~GridRanks();
  GridRanks(const GridRanks&) = delete;
  GridRanks& operator=(const GridRanks&) = delete;

  int count() const { return transport_->ranks(); }
  int rank() const { return transport_->rank(); }
  // Those on this computer, this one too.
  int count_here() const { return transport_->ranks_here(); }

  // In ranks other than 0: simulates the parts that rank 0 asks for, until it ends. Returns the
  // exit status: 0, or 3 if the run has failed, which rank 0 reports. DeviceFault in rank 1 if rank
  // 0 has been lost.
  int serve(const EngineMaker& make);

  // For the grid in rank 0: sends a message; takes an answer, which may be an error; does both.
  void tell(int rank, ranks::Message message);
  ranks::Message answer(int rank);
  ranks::Message ask(int rank, ranks::Message message);
  bool used() const { return used_; }
  void set_used(bool used) { used_ = used; }

 private:
  std::unique_ptr<ranks::Transport> transport_;
  bool used_ = false;  // by a grid
};

// A grid over all ranks of `options`. `unit`: rows that stay together, those of a block. BadInput
// if there are fewer units than ranks, or the options ask for what a part does not have.
std::unique_ptr<SimDevice> make_split(GridShape shape, const SimOptions& options, int unit,
                                      const EngineMaker& make);
// The check of make_split() alone, for so many ranks.
void check_split(GridShape shape, int ranks, int unit, const std::string& who);

}  // namespace ow

#endif  // OW_SIM_SPLIT_H_
