// SPDX-License-Identifier: Apache-2.0
// Included when Verilator's runtime is compiled (cmake/OwVerilate.cmake), so that its messages
// reach verilated_stop.cpp.
#ifndef OW_SIM_SRC_VERILATED_STOP_H_
#define OW_SIM_SRC_VERILATED_STOP_H_

int ow_verilated_print(const char* format, ...) __attribute__((format(printf, 1, 2)));
#define VL_PRINTF ow_verilated_print

#endif  // OW_SIM_SRC_VERILATED_STOP_H_
