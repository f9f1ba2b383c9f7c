// SPDX-License-Identifier: Apache-2.0
// Products of resident matrices as regions of a language model make them (sw/firmware/region): one
// by rows (parameters.attention), and then, if parameters.output has passes, one by columns of its
// result. All tiles are armed before column 0 sends the vector, at the same cycle.
//
// Memory: matrices, vectors and results where the host puts them. Cycles: see `ow bench language`.
#include "ow/measure/products.h"

#include "region.h"

const struct ow_flow* const region_flows[OW_REGION_FLOWS] = {&row, &up};

OW_EXPORT(u32, times, 2);  // when the first vector was sent, when the last sum was there

static void end(void) { times[1] = ow_cycles(); }

static void load_second(void) {
  LOAD(OW_DSR_SENT, OW_PRODUCT_SECOND);
  LOAD(OW_DSR_SENT_TO, OW_PRODUCT_SECOND_OUT);
}

static void again(void) {
  if (is_last_row()) {
    if (my_column == 0) load_second();
    send_loaded();  // it waits at the others while they are armed
  }
  arm_b(&parameters.output, end);
}

OW_LAUNCH(measure) {
  arm_a(&parameters.attention, 0, parameters.output.passes > 0 ? again : end);
  if (my_column == 0) {
    LOAD(OW_DSR_SENT, OW_PRODUCT_FIRST);
    LOAD(OW_DSR_SENT_TO, OW_PRODUCT_FIRST_OUT);
  } else if (is_last_row()) {
    load_second();
  }
  const uint32_t begin = (ow_cycles() / OW_PRODUCT_BEGIN + 1) * OW_PRODUCT_BEGIN;
  while (ow_cycles() < begin) {
  }
  times[0] = ow_cycles();
  if (my_column == 0) send_loaded();
}

// There are no tokens.
void start(void) {}
void inbox_there(void) {}
void command_there(void) {}
