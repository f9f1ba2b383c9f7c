// SPDX-License-Identifier: Apache-2.0
// The functions of a plan as text. A function has several blocks. Values that only its block uses
// are local, others stand in scratch memory, whose places are reused.
#ifndef OW_SIMGEN_SRC_FUNCTIONS_H_
#define OW_SIMGEN_SRC_FUNCTIONS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ow/simgen/plan.h"

namespace ow::simgen {

class Functions {
 public:
  Functions(const Design& design, const Plan& plan, std::string name, size_t steps);

  size_t count() const { return texts_.size(); }
  const std::string& text(size_t function) const { return texts_[function]; }
  size_t slots() const { return slots_; }
  size_t bank_bits() const { return bank_bits_; }

 private:
  void place_sources();
  void cut(size_t steps);
  void find_uses();
  void use(Bit bit, size_t block);
  void assign_slots();
  std::vector<Bit> enables_of(const Condition& condition) const;

  std::string value(Bit bit) const;
  std::string test_of(const Condition& condition) const;
  std::string tiles_of(const Condition& condition) const;
  void write_function(size_t function);
  void write_block(size_t block, std::string* text);
  void write_table(Bit bit, std::string* text) const;
  std::string table_text(const Node& table) const;
  bool local(Bit bit, size_t block) const;
  void write_read(const Step& step, size_t condition, std::string* text) const;
  void write_commit(const Group& group, size_t number, std::string* text) const;
  void write_bank(const Group& group, std::string* text) const;
  void write_words(const char* name, const Word& word, std::string* text) const;
  void write_save(const Group& group, std::string* text) const;
  std::string next_value(const Group& group, size_t reg, const std::string& enable) const;

  const Design& design_;
  const Plan& plan_;
  std::string name_;
  std::vector<std::string> sources_;  // by bit: where it stands; empty: a table
  std::vector<size_t> function_of_;   // by block
  std::vector<size_t> home_;          // by bit: the block that makes it
  std::vector<size_t> last_;          // by bit: the last block that reads it from outside
  std::vector<uint8_t> in_memory_;    // by bit: it has a slot
  std::vector<size_t> last_local_;    // by bit: the step that reads it last where it is local
  std::vector<size_t> slot_;          // by bit
  std::vector<size_t> saved_slot_;    // by register, of saved groups
  std::vector<uint8_t> saved_;        // by group
  std::vector<std::vector<size_t>> first_words_;  // by bank and port: the first bit in State::m
  size_t slots_ = 0;
  size_t bank_bits_ = 0;
  size_t block_ = 0;  // that is being written
  size_t step_ = 0;   // of all blocks: the one that is being written, or looked at
  std::vector<std::string> texts_;
};

}  // namespace ow::simgen

#endif  // OW_SIMGEN_SRC_FUNCTIONS_H_
