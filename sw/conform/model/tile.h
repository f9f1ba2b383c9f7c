// SPDX-License-Identifier: Apache-2.0
// A tile without cycles: the instruction-set model runs the core, golden's definitions the tensor
// instructions. What has to wait for a wavelet waits, everything else happens at once.
#ifndef OW_CONFORM_MODEL_TILE_H_
#define OW_CONFORM_MODEL_TILE_H_

#include <map>
#include <optional>
#include <vector>

#include "engine/model.h"
#include "ow/iss/iss.h"
#include "router.h"

namespace ow::conform {

class Tile : private IssMemory {
 public:
  explicit Tile(const Wrong* wrong);

  Router& router() { return router_; }
  // Whether a queue is bound to the colour; if not, its wavelet for the ramp stops the tile.
  bool ramp_takes(int colour);
  void ramp(int colour, const Word& word);

  // Words of SRAM or registers; false: an address that is neither.
  bool host_write(uint32_t address, uint32_t value);
  bool host_read(uint32_t address, uint32_t* value) const;

  // Does what can be done now; false: nothing.
  bool work();
  // Requests of one word that the core has sent, since it was asked last.
  std::vector<uint32_t> take_requests();

 private:
  bool fetch(uint32_t address, uint32_t* instruction) override;
  bool load(uint32_t address, unsigned bytes, uint32_t* value) override;
  bool store(uint32_t address, unsigned bytes, uint32_t value) override;

  int queue_of(int colour) const;
  void write_register(uint32_t offset, uint32_t value, bool by_core);
  uint32_t status() const;
  void control(uint32_t value);

  bool step_core();
  // An instruction of the engine, or ow.next; nothing: it waits.
  bool special(uint32_t instruction, bool* ran);
  int ready_task() const;  // -1: none
  bool next_task();
  // The engine's cause for an instruction that is not right; 0: it is.
  uint32_t fault_of(const ow_engine::Insn& insn) const;
  void stop(const ow_engine::Insn& insn, uint32_t cause, uint32_t address = 0);
  void stop_by(isa::ErrorSource source, uint32_t cause, uint32_t unit, uint32_t address);
  ow_engine::Dsr dsr(int number) const;
  bool reads_queue(const ow_engine::Insn& insn, int queue) const;
  // Whether an instruction that waits reads this input queue, or uses this descriptor.
  bool queue_is_read(int queue) const;
  bool descriptor_is_used(uint32_t number) const;
  // Whether an instruction has to wait for one that is under way (I22, I122).
  bool launch_waits(const ow_engine::Insn& insn) const;
  void step_descriptor(uint32_t word);
  bool run_tensor(const ow_engine::Insn& insn);
  void execute(const ow_engine::Insn& insn);
  void axpyw(const ow_engine::Insn& insn);
  void dotw(const ow_engine::Insn& insn);
  bool drain();
  void drain_row(uint32_t action, const std::vector<uint32_t>& row, uint32_t* stored,
                 uint32_t* biases);
  void complete(const ow_engine::Insn& insn);
  bool inject();

  const Wrong* wrong_;
  Router router_;
  ow_engine::Machine machine_;
  Iss iss_;
  std::map<uint32_t, uint32_t> registers_;
  bool running_ = false, asleep_ = false;
  bool only_sram_ = false;                   // loads of the present instruction
  std::vector<ow_engine::Insn> waiting_;     // on microthreads, or on thread 0
  std::vector<std::vector<uint32_t>> rows_;  // closed and not drained
  std::optional<ow_engine::Insn> drain_;     // under way
  uint32_t drained_ = 0, stored_ = 0, biases_ = 0;
  uint32_t activated_ = 0, blocked_ = 0;
  std::vector<uint32_t> requests_;
};

}  // namespace ow::conform

#endif  // OW_CONFORM_MODEL_TILE_H_
