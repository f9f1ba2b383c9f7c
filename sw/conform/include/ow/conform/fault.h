// SPDX-License-Identifier: Apache-2.0
// What devices of the kit can do wrong on purpose: each fault breaks the rules of one section of a
// document. The kit must find every one of them.
#ifndef OW_CONFORM_FAULT_H_
#define OW_CONFORM_FAULT_H_

#include <memory>
#include <string>
#include <vector>

#include "ow/conform/door.h"

namespace ow::conform {

struct Fault {
  const char* name;
  const char* document;  // "numerics.md"
  const char* section;   // "Operations"
};

// Faults of two ends of a link, at their door.
const std::vector<Fault>& link_faults();

// The ends behind `door`, with one of link_faults(). BadInput if there is none of this name.
std::unique_ptr<Door> make_faulty_link(std::unique_ptr<Door> door, const std::string& fault);

}  // namespace ow::conform

#endif  // OW_CONFORM_FAULT_H_
