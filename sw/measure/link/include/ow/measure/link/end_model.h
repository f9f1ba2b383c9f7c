// SPDX-License-Identifier: Apache-2.0
// The Verilated end of a link (ow_link_end), of either size.
#ifndef OW_LINK_END_MODEL_H_
#define OW_LINK_END_MODEL_H_

#include <array>
#include <cstdint>
#include <memory>

#include "ow/measure/link/pair.h"

namespace ow::link {

class EndModel {
 public:
  // The context must outlive the model. All models that live at the same time must share it,
  // because a model that is destroyed informs the context that was used last.
  static std::unique_ptr<EndModel> make(VerilatedContext* context, const Shape& shape);
  virtual ~EndModel() = default;

  // Evaluates the model with clk_i as given; `out` gets its outputs.
  virtual void eval(bool clock) = 0;

  struct In {
    bool reset = false, enable = true, retrain = false, status = false;
    uint8_t cycle = 0, word = 0;  // the cycle count; which word of the status
    uint64_t tile = 0;
    Lanes lanes;
  } in;
  struct Out {
    uint64_t tile = 0;
    Lanes lanes;
    std::array<uint32_t, 7> taps{};  // 3 bits a lane
    bool up = false, idle = false;
    uint32_t status = 0;
  } out;
};

}  // namespace ow::link

#endif  // OW_LINK_END_MODEL_H_
