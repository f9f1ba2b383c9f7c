// SPDX-License-Identifier: Apache-2.0
#include "cell_force.h"

#include <fmt/format.h>

#include <string>

#include "ow/base/error.h"
#include "ow/isa/isa.h"

namespace ow::wafer {
namespace {

constexpr size_t kRowBytes = isa::kBankWordBytes;

bool ends_with(const std::string& name, const std::string& end) {
  return name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
}

// Reports a cell that no tile has, with the place in the file that asks for it.
[[noreturn]] void refuse(const TileFault& f, const std::string& what) {
  throw BadInput(f.where.empty() ? what : f.where + ": " + what);
}

void check_row(const TileFault& f, int row, const sim::Cell& bank) {
  if (static_cast<size_t>(row) * kRowBytes + kRowBytes > bank.size) {
    refuse(f, fmt::format("row {} of a memory bank: must be from 0 to {}", row,
                          bank.size / kRowBytes - 1));
  }
}

}  // namespace

CellForce CellForce::memory(const std::vector<sim::Cell>& cells, const TileFault& f) {
  std::vector<sim::Cell> banks;
  for (const sim::Cell& c : cells) {
    const std::string name = c.name;
    if (name.find("u_sram") != std::string::npos && ends_with(name, "mem")) banks.push_back(c);
  }
  if (banks.empty()) throw InternalError("the tile model has no memory banks");
  if (static_cast<size_t>(f.bank) >= banks.size()) {
    refuse(f, fmt::format("memory bank {}: must be from 0 to {}", f.bank, banks.size() - 1));
  }
  const sim::Cell& c = banks.at(static_cast<size_t>(f.bank));
  const auto bit = [&c](int row, int n) {
    return c.data + row * static_cast<int>(kRowBytes) + n / 8;
  };
  check_row(f, f.row, c);
  CellForce force;
  force.byte_ = bit(f.row, f.bit);
  force.mask_ = static_cast<uint8_t>(1u << f.bit % 8);
  force.value_ = f.value;
  if (f.coupling == TileFault::Coupling::None) return force;
  check_row(f, f.other_row, c);
  force.coupling_ = f.coupling;
  force.other_ = bit(f.other_row, f.other_bit);
  force.other_mask_ = static_cast<uint8_t>(1u << f.other_bit % 8);
  force.when_ = f.when;
  force.was_ = (*force.byte_ & force.mask_) != 0;
  force.other_was_ = (*force.other_ & force.other_mask_) != 0;
  return force;
}

CellForce CellForce::flip_flop(const std::vector<sim::Cell>& cells, const TileFault& f) {
  std::vector<sim::Cell> found;
  for (const sim::Cell& c : cells) {
    if (ends_with(c.name, f.name)) found.push_back(c);
  }
  if (found.empty()) refuse(f, fmt::format("a tile has no register '{}'", f.name));
  const sim::Cell& c = found.front();
  if (found.size() > 1) {
    refuse(f, fmt::format("'{}' is the end of the names of {} registers, as {} and {}", f.name,
                          found.size(), c.name, found.back().name));
  }
  const size_t elements = c.size * 8 / static_cast<size_t>(c.stride);
  if (static_cast<size_t>(f.bit) >= c.size * 8 || f.bit % c.stride >= c.bits) {
    const std::string words =
        elements == 1
            ? ""
            : fmt::format(" in each of {} words, which begin every {} bits", elements, c.stride);
    refuse(f, fmt::format("bit {} of register {}: it has bits 0 to {}{}", f.bit, f.name, c.bits - 1,
                          words));
  }
  CellForce force;
  force.byte_ = c.data + f.bit / 8;
  force.mask_ = static_cast<uint8_t>(1u << f.bit % 8);
  force.value_ = f.value;
  return force;
}

bool CellForce::apply() {
  const bool is = (*byte_ & mask_) != 0;
  was_ = forced(is);
  if (is == was_) return false;
  *byte_ = static_cast<uint8_t>(*byte_ ^ mask_);
  return true;
}

// The value of the cell at the end of a cycle in which it would hold `is`. An aggressor acts after
// the write, also on a cell of its own word.
bool CellForce::forced(bool is) {
  using Coupling = TileFault::Coupling;
  if (coupling_ == Coupling::None) return value_;
  const bool other = (*other_ & other_mask_) != 0;
  const bool turns = other != other_was_ && other == when_;
  other_was_ = other;
  switch (coupling_) {
    case Coupling::State:
      return other == when_ ? value_ : is;
    case Coupling::Set:
      return turns ? value_ : is;
    case Coupling::Invert:
      return turns ? !is : is;
    default:  // Hold
      return other == when_ && is == value_ && was_ != is ? was_ : is;
  }
}

}  // namespace ow::wafer
