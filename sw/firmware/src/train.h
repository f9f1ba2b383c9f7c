// SPDX-License-Identifier: Apache-2.0
// Parts of the training program that its files share.
#ifndef OW_TRAIN_PROGRAM_H_
#define OW_TRAIN_PROGRAM_H_

#include "layer_pass.h"
#include "openwafer/tile/tile.h"
#include "ow/firmware/train.h"

extern struct ow_train_params ow_train_params;
extern struct ow_train_run ow_train_run;

// Descriptors after those of layer_pass.h. DSR_IN, DSR_OUT, DSR_A and DSR_B are set where they are
// used. The others belong first to the gradient pass and then to the loss.
enum { DSR_IN = 3, DSR_OUT = 4, DSR_A = 5, DSR_B = 6, DSR_PASS = 8 };

// Sends words on around the column: to the next grid row, and from the last row to the first.
void ring_send(uint32_t addr, uint32_t words);
void ring_receive(uint32_t addr, uint32_t words);

// Where the grid row's own deltas of a tensor are.
uint32_t own_deltas(const struct ow_train_tensor* tensor);

// Computes the deltas of the last tensor from its activations (docs/numerics.md, N13).
void loss_deltas(void);

#endif  // OW_TRAIN_PROGRAM_H_
