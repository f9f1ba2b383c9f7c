// SPDX-License-Identifier: Apache-2.0
// What the parts of the program of jobs share: job.c (the reader of phases), column.c (what goes
// round a column) and the kernels of the kinds (sw/layers/<kind>/tile.c).
//
// A kernel returns when its work is done, or sets parts_left to the number of tasks that end it:
// weights_done, drain_done. There are two because an activation is one bit.
#ifndef OW_JOB_PROGRAM_H_
#define OW_JOB_PROGRAM_H_

#include "openwafer/tile/export.h"
#include "openwafer/tile/tile.h"
#include "ow/firmware/job.h"

// Defines a kernel: its parameters are `const type* p`.
#define OW_PHASE(name, type, p)        \
  void ow_phase_##name(const type* p); \
  __attribute__((used, section(".text.phase." #name))) void ow_phase_##name(const type* p)

extern uint32_t samples, lanes, ring, grid_rows, relay;
// The job's 16-bit type: a constant in programs that are built for one, which are smaller.
#ifdef OW_JOB_BF16
#define half ((uint32_t)OW_BF16)
#elif defined OW_JOB_F16
#define half ((uint32_t)OW_F16)
#else
extern uint32_t half;
#endif
// An instruction on this type, which an instruction has as a constant.
#define OW_HALF_DO(instruction, ...)     \
  do {                                   \
    if (half == OW_BF16) {               \
      instruction(OW_BF16, __VA_ARGS__); \
    } else {                             \
      instruction(OW_F16, __VA_ARGS__);  \
    }                                    \
  } while (0)
// The same for those that multiply 16-bit numbers and add in fp32.
#define OW_MIXED_DO(instruction, ...)      \
  do {                                     \
    if (half == OW_BF16) {                 \
      instruction(OW_MIXEDB, __VA_ARGS__); \
    } else {                               \
      instruction(OW_MIXED, __VA_ARGS__);  \
    }                                      \
  } while (0)
static inline enum ow_type half_type(void) { return (enum ow_type)half; }
extern struct ow_flow weights, sums, result;
extern float loss_scale;
extern uint32_t parts_left;
OW_TASK_DECLARE(weights_done);
OW_TASK_DECLARE(drain_done);

// Descriptors. Those of passes and gradients that never change are written once, at the start.
// DSR_IN, DSR_OUT, DSR_A and DSR_B are set where they are used, the others by kernels.
enum {
  DSR_X,
  DSR_ACC,
  DSR_WEIGHTS,
  DSR_ROWS,
  DSR_RESULT,
  DSR_INDICES,
  DSR_IN,
  DSR_OUT,
  DSR_A,
  DSR_B,
  DSR_KERNEL,                // and up
  DSR_ROUND = OW_NONE - 10,  // and up: column.c
};

// Gathered words are received on their own microthread and sent on that of the weights; the tile's
// own part is copied on that of the drain. So neither of the two starts on incomplete data.
enum { THREAD_WEIGHTS = 1, THREAD_DRAIN = 2, THREAD_GATHER = 3 };

static inline uint32_t pitch(void) { return samples * 2; }  // bytes of a feature
static inline uint32_t dealt_to(const struct ow_dealt* dealt, uint32_t row) {
  return dealt->share + (row < dealt->left);
}
// Features that stand before those of a grid row, sorted by owner.
static inline uint32_t dealt_before(const struct ow_dealt* dealt, uint32_t row) {
  return dealt->share * row + (row < dealt->left ? row : dealt->left);
}

// A descriptor of consecutive elements in memory.
void set_row(uint32_t dsr, enum ow_type type, uint32_t addr, uint32_t count);

// Words to or from a queue; the core waits.
void send_words(uint32_t addr, uint32_t queue, uint32_t words);
void receive_words(uint32_t addr, uint32_t queue, uint32_t words);
// fp32 numbers into the sums along the grid row, on the drain's microthread. The reducer, which
// sends there next, is started after them.
void send_results(uint32_t addr, uint32_t words);

// Joins `words` fp32 numbers of all tiles of a column, from the first grid row to the last: by
// sums, or by maxima. All tiles get the result at addr, which descriptor `dsr` names. What comes
// from the row above goes to `other` first, which `other_dsr` names.
void join_column(uint32_t addr, uint32_t dsr, uint32_t other, uint32_t other_dsr, uint32_t words,
                 int sum);

// The received words of a gather are there; all its words are sent. Only in programs with gathers
// (column.c), and called only where a gather came before.
__attribute__((weak)) void wait_gathered(void);
__attribute__((weak)) void wait_sent(void);

// The sums of a bias's deltas, to the west; the last ones go on while the core does.
void bias_gradients(uint32_t deltas, uint32_t rows, uint32_t work, uint32_t room);

#endif  // OW_JOB_PROGRAM_H_
