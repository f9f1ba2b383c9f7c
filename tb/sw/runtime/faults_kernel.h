// SPDX-License-Identifier: Apache-2.0
// Commands of the faults firmware, shared with the host: each makes the tile stop for a reason, or
// shows that it runs again.
#ifndef OW_FAULTS_KERNEL_H_
#define OW_FAULTS_KERNEL_H_

#include <stdint.h>

enum ow_fault {
  OW_FAULT_NONE = 0,        // moves 7 into ow_faults_sum by a tensor instruction
  OW_FAULT_LOAD = 1,        // loads from outside memory
  OW_FAULT_STORE = 2,       // stores outside memory
  OW_FAULT_MISALIGNED = 3,  // loads a word from an odd address
  OW_FAULT_ILLEGAL = 4,     // an instruction that does not exist
  OW_FAULT_JUMP = 5,        // jumps outside memory
  OW_FAULT_ECALL = 6,
  OW_FAULT_HANDLED = 7,         // loads from outside memory, with a trap handler that returns
  OW_FAULT_OPERATION = 8,       // a tensor operation that does not exist
  OW_FAULT_DESCRIPTOR = 9,      // a tensor instruction with an unused descriptor
  OW_FAULT_ADDRESS = 10,        // a tensor instruction that writes beyond memory
  OW_FAULT_BELOW = 11,          // one that reads below address 0
  OW_FAULT_RED_REGISTERS = 12,  // a drain with a period of 0
  OW_FAULT_RED_STORE = 13,      // a drain that stores outside memory
  OW_FAULT_OVERRUN = 14,        // the core pushes into the output queue of a running thread
  OW_FAULT_DATA_TASK = 15,      // waits for data, then adds each wavelet to ow_faults_sum
  OW_FAULT_TASK_LOAD = 16,      // waits for data, and loads from outside memory in its task
  OW_FAULT_TAKERS = 17,         // a thread and a drain read the same input queue
  OW_FAULT_THREAD0 = 18,        // a tensor operation that does not exist, for which the core waits
  OW_FAULT_SELFTEST = 19,       // starts the memory self-test
  OW_FAULT_SEED = 20,           // seeds the random generator while a conversion uses it
  OW_FAULT_TWO_QUEUES = 21      // binds a colour to a second queue while a thread reads the first
};

#define OW_FAULTS_QUEUE 2   // input queue of the data task, output queue of the overrun
#define OW_FAULTS_ROWS 4    // input queue whose control wavelets close accumulator rows
#define OW_FAULTS_THREAD 3  // thread of the tensor instructions

#endif  // OW_FAULTS_KERNEL_H_
