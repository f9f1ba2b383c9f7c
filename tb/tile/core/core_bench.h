// SPDX-License-Identifier: Apache-2.0
// Drives ow_core_tb: clock, program loading, random refusals, and the retired instructions.
#ifndef OW_TB_CORE_BENCH_H_
#define OW_TB_CORE_BENCH_H_

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

#include "Vow_core_tb.h"
#include "ow/isa/isa.h"
#include "ow/iss/lockstep.h"
#include "verilated.h"

namespace ow {

// The small core (ow_core_serial) takes several cycles per instruction, so tests wait this many
// times as long, and its reset ends later.
constexpr bool kSerial = OW_CORE_SERIAL != 0;
constexpr int kWait = kSerial ? 12 : 1;
constexpr int kResetCycles = kSerial ? 75 : 0;
// Cycles from reading the cycle count to retiring, for the instruction that reads it.
constexpr int kRetireCycles = kSerial ? 3 : 2;

class CoreBench : public LockstepModel {
 public:
  static constexpr uint32_t kBytes = isa::kFull.sram_bytes;

  // `refuse` of 256 requests are refused at random, from `seed`.
  explicit CoreBench(uint64_t seed = 1, unsigned refuse = 0)
      : model_(std::make_unique<Vow_core_tb>(&context_)), random_(seed), refuse_(refuse) {
    model_->rst_i = 1;
    model_->tensor_ready_i = 1;
    model_->dsr_ready_i = 1;
    for (int i = 0; i < 3; ++i) clock();
    model_->rst_i = 0;
    clock();
  }

  Vow_core_tb& top() { return *model_; }
  uint64_t cycle() const { return cycle_; }
  void set_cycle(uint64_t cycle) { cycle_ = cycle; }

  // Computes the combinational outputs for the present inputs.
  void settle() {
    model_->clk_i = 0;
    model_->cycle_i = cycle_;
    model_->eval();
  }

  void clock() {
    if (refuse_ != 0) {
      const uint64_t dice = random_();
      model_->stall_i = ((dice & 255) < refuse_ ? 1 : 0) | ((dice >> 8 & 255) < refuse_ ? 2 : 0) |
                        ((dice >> 16 & 255) < refuse_ ? 4 : 0) |
                        ((dice >> 24 & 255) < refuse_ ? 8 : 0);
    }
    settle();
    if (model_->fetch_gnt_o) ++fetches_;
    issued_ = model_->issue_o;
    model_->clk_i = 1;
    model_->eval();
    ++cycle_;
  }

  void clocks(int n) {
    for (int i = 0; i < n; ++i) clock();
  }
  // Clocks the core until it is where the pipelined core would be after `n` cycles.
  void wait(int n) { clocks(n * kWait); }

  uint64_t fetches() const { return fetches_; }
  // Whether an instruction was issued in the last cycle.
  bool issued() const { return issued_; }

  uint32_t memory_bytes() const override { return kBytes; }
  unsigned descriptors() const override { return OW_CORE_DSRS; }

  void load(uint32_t addr, const std::vector<uint8_t>& bytes) {
    for (size_t i = 0; i < bytes.size(); i += 8) {
      uint64_t word = 0;
      for (size_t k = 0; k < 8 && i + k < bytes.size(); ++k) {
        word |= static_cast<uint64_t>(bytes[i + k]) << (8 * k);
      }
      model_->host_we_i = 1;
      model_->host_addr_i = static_cast<uint32_t>(addr + i);
      model_->host_wdata_i = word;
      clock();
    }
    model_->host_we_i = 0;
  }

  void load_words(uint32_t addr, const std::vector<uint32_t>& words) {
    std::vector<uint8_t> bytes;
    for (uint32_t word : words) {
      for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<uint8_t>(word >> (8 * i)));
    }
    load(addr, bytes);
  }

  void halt() {
    model_->run_i = 0;
    wait(50);
  }

  void boot(uint32_t pc) {
    model_->boot_pc_i = pc;
    model_->core_rst_i = 1;
    clock();
    model_->core_rst_i = 0;
    clocks(kResetCycles);
    model_->run_i = 1;
  }

  void start(const std::vector<uint8_t>& image, uint32_t pc) override {
    halt();
    load(0, image);
    boot(pc);
  }

  // Clocks until an instruction retires; false after 2,000 cycles without one. The cycle is the one
  // in which it was executed.
  bool next(Retire* retire, uint64_t* seen_cycle) override {
    for (int i = 0; i < 2000; ++i) {
      clock();
      if (model_->ret_valid_o) {
        *retire = retired();
        *seen_cycle = cycle_ - kRetireCycles;
        return true;
      }
    }
    return false;
  }

  Retire retired() {
    Retire r;
    r.trap = model_->ret_trap_o;
    r.pc = model_->ret_pc_o;
    r.insn = model_->ret_insn_o;
    r.rd_we = model_->ret_rd_we_o;
    r.rd = model_->ret_rd_o;
    r.rd_data = model_->ret_rd_data_o;
    r.mem_we = model_->ret_mem_we_o;
    r.mem_addr = model_->ret_mem_addr_o;
    r.mem_wdata = model_->ret_mem_wdata_o;
    return r;
  }

  std::vector<uint32_t> read_words(uint32_t addr, size_t count) override {
    std::vector<uint32_t> words;
    for (size_t i = 0; i < count; ++i, addr += 4) {
      model_->host_addr_i = addr;
      settle();
      words.push_back(static_cast<uint32_t>(model_->host_rdata_o >> (addr & 4 ? 32 : 0)));
    }
    return words;
  }

 private:
  VerilatedContext context_;
  std::unique_ptr<Vow_core_tb> model_;
  std::mt19937_64 random_;
  unsigned refuse_;
  uint64_t cycle_ = 0;
  uint64_t fetches_ = 0;
  bool issued_ = false;
};

}  // namespace ow

#endif  // OW_TB_CORE_BENCH_H_
