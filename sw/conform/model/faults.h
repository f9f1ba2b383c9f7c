// SPDX-License-Identifier: Apache-2.0
// The fault of a model, of those of ow/conform/make.h.
#ifndef OW_CONFORM_MODEL_FAULTS_H_
#define OW_CONFORM_MODEL_FAULTS_H_

#include <string>

namespace ow::conform {

// Empty: none.
struct Wrong {
  std::string fault;
  bool operator()(const char* name) const { return fault == name; }
};

}  // namespace ow::conform

#endif  // OW_CONFORM_MODEL_FAULTS_H_
