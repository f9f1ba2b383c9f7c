// SPDX-License-Identifier: Apache-2.0
// What the parts of a suite are made with.
#ifndef OW_CONFORM_MAKE_MAKER_H_
#define OW_CONFORM_MAKE_MAKER_H_

#include <string>
#include <vector>

#include "../model/grid.h"
#include "ow/base/rng.h"
#include "ow/conform/suite.h"

namespace ow::conform {

using Rules = std::vector<std::string>;

class Maker {
 public:
  explicit Maker(uint64_t seed) : rng_(seed) {}

  // Begins a test. Rules of its steps are added to those of the test.
  void begin(const std::string& name, const std::string& about, Needs needs,
             const Rules& rules = {});
  // A test whose differences are reported and never fail.
  void begin_timing(const std::string& name, const std::string& about, Needs needs,
                    const Rules& rules);
  // A request whose answer the model gives. InternalError if the model refuses it.
  std::string ask(const std::string& request, const Rules& rules = {});
  // A request whose answer stands in a document.
  void expect(const std::string& request, const std::string& expected, const Rules& rules = {});

  Rng& rng() { return rng_; }
  uint32_t pick(uint32_t n) { return static_cast<uint32_t>(rng_.below(n)); }
  uint32_t word() { return static_cast<uint32_t>(rng_.next()); }

  std::vector<Test> take() { return std::move(tests_); }

 private:
  void add(const std::string& request, const std::string& expected, const Rules& rules);

  Rng rng_;
  ModelGrid model_;
  std::vector<Test> tests_;
};

// "write 0 0 100 ..." and the like.
std::string write_line(int row, int col, uint32_t address, const std::vector<uint32_t>& words);
std::string read_line(int row, int col, uint32_t address, size_t count);
std::string send_line(char side, int index, int colour, const std::vector<Word>& words);
std::string take_line(char side, int index, int colour);

// The parts.
void make_arithmetic(Maker* maker);
void make_reductions(Maker* maker);
void make_core(Maker* maker);
void make_core_programs(Maker* maker);
void make_counters(Maker* maker);
void make_threads(Maker* maker);
void make_fifos(Maker* maker);
void make_rows(Maker* maker);
void make_router_states(Maker* maker);
void make_ramp_states(Maker* maker);
void make_tensor(Maker* maker);
void make_fabric(Maker* maker);
void make_filters(Maker* maker);
void make_ramp(Maker* maker);
void make_dotw(Maker* maker);
void make_layers(Maker* maker);
void make_forms(Maker* maker);
void make_layer_forms(Maker* maker);
void make_stops(Maker* maker);
void make_timing(Maker* maker);
void make_cycles(Maker* maker);
void make_engine_cycles(Maker* maker);
void make_row_cycles(Maker* maker);
void make_small_tile(Maker* maker);
void make_control(Maker* maker);
void make_training(Maker* maker);
void make_passes(Maker* maker, const std::string& documents);

// The folders of the kinds of layers, in the tree or beside the pages of an installed kit, sorted.
std::vector<std::string> kind_folders(const std::string& documents);

}  // namespace ow::conform

#endif  // OW_CONFORM_MAKE_MAKER_H_
