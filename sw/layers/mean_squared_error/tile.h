// SPDX-License-Identifier: Apache-2.0
// Mean squared error: a part of train_loss.c. Targets have the layout of the last tensor. Cycles: 5
// instructions of `samples` elements per output, 2 elements per cycle.
#ifndef OW_LAYERS_MEAN_SQUARED_ERROR_TILE_H_
#define OW_LAYERS_MEAN_SQUARED_ERROR_TILE_H_

static void squares(const struct ow_train_tensor* out, uint32_t owned) {
  uint32_t deltas = own_deltas(out);
  uint32_t pitch = ow_train_params.samples * 2;
  for (uint32_t l = 0; l < owned; ++l) {
    widen(X, out->addr + l * pitch);
    widen(P, ow_train_params.targets_addr + l * pitch);
    ow_sub(OW_F32, ctl(X, X, P));
    ow_mul_s(OW_F32, ctl(X, X, OW_NONE), ow_train_run.scale);
    narrow(deltas + l * pitch, X);
  }
}

#endif  // OW_LAYERS_MEAN_SQUARED_ERROR_TILE_H_
