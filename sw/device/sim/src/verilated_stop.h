// SPDX-License-Identifier: Apache-2.0
// What Verilator's runtime is compiled with (cmake/OwVerilate.cmake): its texts come to
// verilated_stop.cpp.
#ifndef OW_SIM_SRC_VERILATED_STOP_H_
#define OW_SIM_SRC_VERILATED_STOP_H_

int ow_verilated_print(const char* format, ...) __attribute__((format(printf, 1, 2)));
#define VL_PRINTF ow_verilated_print

#endif  // OW_SIM_SRC_VERILATED_STOP_H_
