// SPDX-License-Identifier: Apache-2.0
// The program of a job's tiles: it runs the list of phases that the compiler wrote
// (ow/firmware/job.h). Nothing of a network is in it; the kernels are those of the kinds of layers.
//
//   run -> phase -> { weights_done, drain_done } -> phase -> ... -> rest
#include "job.h"

OW_EXPORT(u32, samples);
OW_EXPORT(u32, lanes);
OW_EXPORT(u32, ring);
OW_EXPORT(u32, grid_rows);
OW_EXPORT(u32, relay);
#ifndef half
OW_EXPORT(u32, half);
#endif
OW_EXPORT_HEAP(u32, memory);
OW_FLOW(weights, sums, result);

OW_NOINIT float loss_scale;
OW_NOINIT uint32_t parts_left;
static OW_NOINIT struct ow_phase* next_phase;
static OW_NOINIT uint32_t phases_left;
static OW_NOINIT uint32_t* next_end;  // where the cycle of the running phase's end goes

#ifndef OW_JOB_ONCE  // a forward pass alone has no turns, and small tiles need the bytes
// The end of a turn: to the first phase of the next one, or after the last one on, with the words
// of the first one for the next time.
static __attribute__((noinline)) void end_turn(struct ow_phase* record) {
  struct ow_turns* t = (struct ow_turns*)(record + 1);
  uint32_t* words = (uint32_t*)((uint8_t*)record - t->bytes);
  int32_t turns = 4;
  if (t->left > 0) {
    --t->left;
    next_phase = (struct ow_phase*)words;
  } else {
    t->left = t->more;
    turns *= -(int32_t)t->more;
  }
  const struct ow_change* end = (const struct ow_change*)((uint8_t*)t + record->bytes);
  for (const struct ow_change* c = (const struct ow_change*)(t + 1); c < end; ++c) {
    words[c->word] += (uint32_t)(c->by * turns);
  }
}
#endif

static void run_phases(void) {
  while (phases_left > 0) {
    struct ow_phase* phase = next_phase;
    const uint32_t bytes = phase->bytes;
    uint8_t* parameters = (uint8_t*)(phase + 1);
    next_phase = (struct ow_phase*)(parameters + (bytes & ~OW_PHASE_ENDS));
#ifndef OW_JOB_ONCE
    if (phase->kernel == 0) {
      end_turn(phase);
      continue;
    }
#endif
    next_end += bytes & OW_PHASE_ENDS;
    --phases_left;
    parts_left = 0;
    ((void (*)(const void*))(uintptr_t)phase->kernel)(parameters);
    if (parts_left > 0) return;
    *next_end = ow_cycles();
  }
}

static void end_part(void) {
  if (--parts_left > 0) return;
  *next_end = ow_cycles();
  run_phases();
}
OW_TASK(weights_done) { end_part(); }
OW_TASK(drain_done) { end_part(); }

OW_LAUNCH(run, u32 phases, u32 count, u32 ends, f32 scale) {
  next_end = (uint32_t*)(uintptr_t)ends;
  *next_end = ow_cycles();
  next_phase = (struct ow_phase*)(uintptr_t)phases;
  phases_left = count;
  loss_scale = scale;
  // Descriptors that no kernel changes.
  ow_dsr_mem2(DSR_ACC, OW_F32, OW_ACC_ADDR(0), samples, 4, ring, (int32_t)samples * 4);
  ow_dsr_mem2(DSR_RESULT, OW_F32, OW_ACC_ADDR(0), lanes, 4, OW_ACC_LINES, (int32_t)lanes * 4);
  ow_dsr_fabric_in(DSR_WEIGHTS, half_type(), weights.in, 0);
  run_phases();
}

void set_row(uint32_t dsr, enum ow_type type, uint32_t addr, uint32_t count) {
  ow_dsr_mem1(dsr, type, addr, count, (int32_t)ow_type_bytes(type));
}

void send_words(uint32_t addr, uint32_t queue, uint32_t words) {
  set_row(DSR_IN, OW_F32, addr, words);
  ow_dsr_fabric_out(DSR_OUT, OW_F32, queue, words, 0);
  ow_mov(OW_F32, OW_CTL(DSR_OUT, DSR_IN, OW_NONE, 0));
}

void receive_words(uint32_t addr, uint32_t queue, uint32_t words) {
  ow_dsr_fabric_in(DSR_IN, OW_F32, queue, words);
  set_row(DSR_OUT, OW_F32, addr, words);
  ow_mov(OW_F32, OW_CTL(DSR_OUT, DSR_IN, OW_NONE, 0));
}

// The tile's block to the edge, then the blocks of the tiles that are farther from it.
OW_PHASE(send, struct ow_send, p) {
  if (p->words == 0) return;
  set_row(DSR_A, OW_F32, p->addr, p->words);
  ow_dsr_fabric_out(DSR_OUT, OW_F32, result.out, p->words, 0);
  ow_mov(OW_F32, OW_CTL(DSR_OUT, DSR_A, OW_NONE, 0));
  const uint32_t words = p->words * relay;
  if (words == 0) return;
  ow_dsr_fabric_in(DSR_IN, OW_F32, result.in, words);
  ow_dsr_fabric_out(DSR_OUT, OW_F32, result.out, words, 0);
  ow_mov(OW_F32, OW_CTL(DSR_OUT, DSR_IN, OW_NONE, 0));
}
