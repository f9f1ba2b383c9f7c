// SPDX-License-Identifier: Apache-2.0
// The reader of plans that were kept (plan_file.h).
#ifndef OW_COMPILE_KEPT_ORDERS_H_
#define OW_COMPILE_KEPT_ORDERS_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ow/tensor/training.h"

namespace ow::jobs {

constexpr const char* kPlanFormat = "openwafer-plan-1";

struct KeptOrders {
  std::vector<SumOrder> forward, delta;  // of each layer
};

// BadInput, one line with the file: what is no JSON, no plan of a training, or one of other inputs,
// of which the first that differs is named; orders that are none, or not one a layer.
KeptOrders read_orders(const std::string& path, const nlohmann::json& inputs, size_t layers);

}  // namespace ow::jobs

#endif  // OW_COMPILE_KEPT_ORDERS_H_
