// SPDX-License-Identifier: Apache-2.0
// Kernels that stream weights or activations. openwafer/tile/kernels.h says what they do.
#include "k.h"

#define AXPYI(name, type, bytes)                                                            \
  void name(uint32_t nz, uint32_t a, uint32_t x, uint32_t idx, uint32_t y, uint32_t work) { \
    k_vector(K_R, type, work, nz, bytes);                                                   \
    k_vector(K_Y, OW_I16, idx, nz, 2);                                                      \
    ow_gather(type, OW_CTL(K_R, OW_NONE, K_Y, 0), y);                                       \
    k_vector(K_X, type, x, nz, bytes);                                                      \
    ow_fma_s(type, OW_CTL(K_R, K_X, OW_NONE, 0), a);                                        \
    ow_scatter(type, OW_CTL(OW_NONE, K_R, K_Y, 0), y);                                      \
  }
AXPYI(ow_axpyi_f16, OW_F16, 2)
AXPYI(ow_axpyi_f32, OW_F32, 4)

void ow_spmm_stream(const struct ow_spmm* spmm) {
  // Loaded together: otherwise each load would wait for memory between two register writes.
  const struct ow_spmm s = *spmm;
  // As many rows in the ring as the cache holds, so that a row with few weights does not wait.
  uint32_t ring = 128u / s.samples;
  ow_reg_write(OW_REG_RED_ACC, s.samples << OW_RED_ACC_SAMPLES_LSB | ring << OW_RED_ACC_RING_LSB);
  ow_reg_write(OW_REG_RED_COUNT, s.outputs << OW_RED_COUNT_ROWS_LSB);
  ow_reg_write(OW_REG_RED_PHASE, OW_RED_PHASE_PERIOD(1));
  ow_reg_write(OW_REG_RED_ACT_EQ, OW_RED_ENABLE | OW_RED_TO_MEMORY | OW_RED_ROUND_F16);
  ow_reg_write(OW_REG_RED_DST, s.y);
  ow_reg_write(OW_REG_RED_PITCH, s.pitch << OW_RED_PITCH_PITCH_LSB);
  k_matrix(K_P, OW_F16, s.x, s.samples, 2, s.features, s.samples * 2);
  ow_dsrw(K_ACC_A, OW_DSR_DIM0, K_DIM(s.samples, 4));
  ow_dsrw(K_ACC_A, OW_DSR_DIM1, K_DIM(ring, 0));
  ow_dsrw(K_X, OW_DSR_KIND,
          OW_DSR0_KIND(OW_KIND_FABRIC_IN) | OW_DSR0_TY(OW_F16) | s.queue << OW_DSR0_QUEUE_NO_LSB);
  ow_dsrw(K_X, OW_DSR_DIM0, 0);
  ow_axpyw(OW_CTL(K_ACC_A, K_P, K_X, OW_K_THREAD_A));
  ow_drain(OW_CTL(OW_NONE, OW_NONE, OW_NONE, OW_K_THREAD_B) | OW_THEN_ACTIVATE(s.task));
}

void ow_actgemv_load(uint32_t inputs, uint32_t outputs, uint32_t w, uint32_t y, uint32_t queue) {
  k_matrix(K_KEEP_X, OW_F16, w, outputs, 2, inputs, outputs * 2);
  k_matrix(K_KEEP_ACC, OW_F32, OW_ACC_ADDR(0), outputs, 4, 1, 0);
  ow_dsrw(K_KEEP_W, OW_DSR_KIND,
          OW_DSR0_KIND(OW_KIND_FABRIC_IN) | OW_DSR0_TY(OW_F16) | OW_DSR0_QUEUE_NO(queue));
  ow_dsrw(K_KEEP_W, OW_DSR_DIM0, 0);
  k_vector(K_KEEP_Y, OW_F16, y, outputs, 2);
}

void ow_actgemv_run(void) {
  // The first product of a row is added to +0. A stream without products would leave the row as it
  // was. The counter of consumed wavelets reveals this case while the row is already on its way to
  // y.
  uint32_t before = ow_reg_read(OW_REG_COUNTER(OW_COUNT_WEIGHTS));
  ow_axpyw(OW_CTL(K_KEEP_ACC, K_KEEP_X, K_KEEP_W, OW_K_THREAD_A));
  ow_cvt(OW_F32, OW_CTL(K_KEEP_Y, K_KEEP_ACC, OW_NONE, OW_K_THREAD_A));
  if (ow_reg_read(OW_REG_COUNTER(OW_COUNT_WEIGHTS)) == before) {
    ow_mov_s(OW_F16, OW_CTL(K_KEEP_Y, OW_NONE, OW_NONE, OW_K_THREAD_A), 0);
  }
  k_wait(K_KEEP_Y);
}

void ow_nonzeros_to(uint32_t queue) {
  ow_dsrw(K_KEEP_OUT, OW_DSR_KIND,
          OW_DSR0_KIND(OW_KIND_FABRIC_OUT) | OW_DSR0_TY(OW_F16) | OW_DSR0_QUEUE_NO(queue) |
              OW_CLOSE(1, 0) | OW_SKIP_ZEROS | OW_TAGGED);
}

void ow_send_nonzeros(uint32_t n, uint32_t x) {
  ow_dsrw(K_KEEP_V, OW_DSR_ADDRESS, x);
  ow_dsrw(K_KEEP_V, OW_DSR_DIM0, K_DIM(n, 2));
  ow_mov(OW_F16, OW_CTL(K_KEEP_OUT, K_KEEP_V, OW_NONE, 0));
}
