// SPDX-License-Identifier: Apache-2.0
// Runs an executable on a machine: the only code above the library that drives one. It loads the
// program, copies activations and parameters, launches the phases, feeds the weights' streams and
// takes what leaves.
#ifndef OW_EXECUTE_EXECUTOR_H_
#define OW_EXECUTE_EXECUTOR_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "openwafer/runtime.h"
#include "ow/compile/executable.h"
#include "ow/execute/edge_time.h"
#include "ow/memoryx/time_model.h"
#include "ow/memoryx/weight_stream.h"
#include "ow/runtime/elf.h"
#include "ow/runtime/machine.h"
#include "ow/tensor/network.h"

namespace ow::jobs {

// A word that left the grid.
struct Left {
  uint32_t data = 0;
  uint64_t cycle = 0;
};

// What a launch did.
struct Launched {
  uint64_t first_cycle = 0;  // of the launch
  uint64_t rest_cycle = 0;   // the grid came to rest
  // By tile, row by row: low words of the cycle count at the launch and after each phase;
  // after the next one that leaves its end, if it does not (leaves_end).
  std::vector<std::vector<uint32_t>> ends;
};

class Executor {
 public:
  // Loads the program. BadInput if the machine is not what the executable was made for, or if the
  // program lacks a kernel of its phases.
  Executor(const Runtime& machine, const ElfImage& program, const Executable& executable);

  const Runtime& machine() const { return machine_; }
  const Run& run() const { return *run_; }
  uint64_t cycle() const { return machine_.cycle(); }

  // Other phases of the same program, at the same places.
  void set_phases(const Executable& executable);

  // The ports of the weights, and of what leaves the grid in the west and in the east, by grid row.
  // None where nothing leaves.
  std::vector<StreamPort> weight_ports() const { return stream_ports(*run_, "weights"); }
  const std::vector<StreamPort>& west_ports() const { return west_; }
  const std::vector<StreamPort>& east_ports() const { return east_; }

  // Activations as blocks of tiles (placement.h): `samples` of them a grid column from byte address
  // `addr` on; samples that x does not have are zeros. Done when it returns.
  void write(uint32_t addr, const Activations& x);
  // `samples` of the features of a value. `gathered`: the blocks of the grid rows stand one after
  // another, each row's own in its place.
  Activations read(uint32_t addr, int features, int samples, bool gathered = false);
  // Words of each tile, row by row and equally many, from a byte address on.
  void write_tiles(uint32_t addr, const std::vector<uint32_t>& words, size_t each);
  // Words for all tiles.
  void write_all(uint32_t addr, const std::vector<uint32_t>& words);

  // Launches the first `phases` phases and runs the machine until it is at rest. Meanwhile feeds
  // the stream; `edge`, if given, must be open, and each of the stream's layers is a phase of it.
  // Throws as Event::wait, with the hang report; ProtocolError if the stream was not taken whole.
  Launched launch(size_t phases, float scale, memoryx::WeightStream* weights, uint64_t limit,
                  EdgeTime* edge = nullptr);

  // Who takes what leaves in the west from now on, as it comes, by grid row. Null: it is kept.
  void on_west(std::function<void(size_t row, const Left& left)> take) {
    *west_taker_ = std::move(take);
  }
  // Takes what has left a port since the last call and is kept.
  std::vector<Left> take(const StreamPort& port);

  // Called now and then while the machine works.
  void on_progress(std::function<void()> call) { progress_ = std::move(call); }

 private:
  void check_machine() const;
  void load(const ElfImage& program);
  void listen(const std::string& stream, std::vector<StreamPort>* ports);
  void write_list();
  bool make_wavelets(size_t row, size_t room, std::vector<Wavelet>* wavelets);
  void tick();

  Runtime machine_;
  Executable executable_;
  std::vector<uint32_t> kernels_;  // addresses of the phases' kernels
  std::unique_ptr<Run> run_;
  uint32_t memory_ = 0;  // byte address of the program's export `memory`
  std::vector<StreamPort> west_, east_;
  std::shared_ptr<std::map<StreamPort, std::vector<Left>>> left_;
  std::shared_ptr<std::function<void(size_t row, const Left& left)>> west_taker_;
  std::function<void()> progress_;
  uint32_t ticks_ = 0;
  memoryx::WeightStream* weights_ = nullptr;  // of the launch
  EdgeTime* edge_ = nullptr;
};

}  // namespace ow::jobs

#endif  // OW_EXECUTE_EXECUTOR_H_
