// SPDX-License-Identifier: Apache-2.0
// What the model can do wrong on purpose: each fault breaks the rules of one section of a document.
// The kit must find every one of them.
#ifndef OW_CONFORM_MODEL_FAULTS_H_
#define OW_CONFORM_MODEL_FAULTS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace ow::conform {

struct Fault {
  const char* name;
  const char* document;  // "numerics.md"
  const char* section;   // "Operations"
};

// All that there are.
const std::vector<Fault>& model_faults();

// The fault of a model; empty: none.
struct Wrong {
  std::string fault;
  bool operator()(const char* name) const { return fault == name; }
};

}  // namespace ow::conform

#endif  // OW_CONFORM_MODEL_FAULTS_H_
