// SPDX-License-Identifier: Apache-2.0
// Makes suites: what is right comes from golden and from the instruction-set model. The same seed
// gives the same suite everywhere.
#ifndef OW_CONFORM_MAKE_H_
#define OW_CONFORM_MAKE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ow/conform/door.h"
#include "ow/conform/fault.h"
#include "ow/conform/suite.h"

namespace ow::conform {

// `documents`: the folder of the reference pages, whose rules the reports quote. BadInput if they
// are not there.
Suite make_suite(uint64_t seed, const std::string& documents);

// The rules of the pages by their ids, each with its section and first sentences.
std::map<std::string, Rule> read_rules(const std::string& documents);

// A device that is golden itself: a grid without cycles. `fault` is one of
// model_faults(); empty: none. BadInput if there is none of this name.
std::unique_ptr<Door> make_model(const std::string& fault = "");
const std::vector<Fault>& model_faults();

}  // namespace ow::conform

#endif  // OW_CONFORM_MAKE_H_
