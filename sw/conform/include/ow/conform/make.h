// SPDX-License-Identifier: Apache-2.0
// Makes suites: what is right comes from golden and from the instruction-set model. The same seed
// gives the same suite everywhere.
#ifndef OW_CONFORM_MAKE_H_
#define OW_CONFORM_MAKE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "ow/conform/door.h"
#include "ow/conform/suite.h"

namespace ow::conform {

// `documents`: the folder of the reference pages, whose rules the reports quote. BadInput if they
// are not there.
Suite make_suite(uint64_t seed, const std::string& documents);

// The rules of the pages by their ids, each with its section and first sentences.
std::map<std::string, Rule> read_rules(const std::string& documents);

// A device that is golden itself: a grid without cycles. `fault` is one of model_faults
// (sw/conform/model/faults.h); empty: none.
std::unique_ptr<Door> make_model(const std::string& fault = "");

}  // namespace ow::conform

#endif  // OW_CONFORM_MAKE_H_
