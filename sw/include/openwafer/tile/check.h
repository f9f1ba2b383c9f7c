// SPDX-License-Identifier: Apache-2.0
// Constants that do not fit stop the compilation instead of losing bits. A value known only at run
// time is not checked: it is cut to the width of the hardware's field.
#ifndef OPENWAFER_TILE_CHECK_H_
#define OPENWAFER_TILE_CHECK_H_

#include <stdint.h>

// A statement: an error with this text if the compiler knows that the condition is false.
#define OW_CHECK(name, condition, text)                                       \
  do {                                                                        \
    extern void ow_refused_##name(void) __attribute__((error(text)));         \
    if (__builtin_constant_p(condition) && !(condition)) ow_refused_##name(); \
  } while (0)

// Checks an integer constant, for enumerators and initialisers. Elsewhere n may be anything.
#define OW_CHECKED(n, limit, text)                                                                 \
  ((uint32_t)(n) + 0u * (uint32_t)sizeof(struct {                                                  \
                     int ow_unused;                                                                \
                     _Static_assert(                                                               \
                         __builtin_choose_expr(__builtin_constant_p(n), (n), 0) + 0ull <= (limit), \
                         text);                                                                    \
                   }))

// Fields of an instruction word.
#define OW_CHECK_CONSTANT(value)                                                            \
  do {                                                                                      \
    extern void ow_refused_variable(void)                                                   \
        __attribute__((error("operation and type of a tensor instruction are constants"))); \
    if (!__builtin_constant_p(value)) ow_refused_variable();                                \
  } while (0)

#define OW_CHECK_DSR(dsr) OW_CHECK(descriptor, (dsr) < 32u, "a descriptor is 0 to 31")
#define OW_CHECK_QUEUE(queue) OW_CHECK(queue, (queue) < 8u, "a queue is 0 to 7")
#define OW_CHECK_FIFO(fifo) OW_CHECK(fifo, (fifo) < 4u, "a FIFO register is 0 to 3")
#define OW_CHECK_TASK(task) OW_CHECK(task, (task) < 32u, "a task is 0 to 31")
#define OW_CHECK_THREAD(thread) \
  OW_CHECK(thread, (thread) < 13u, "a thread is 0 (the core waits) or a microthread 1 to 12")
#define OW_CHECK_LENGTH(length)                           \
  OW_CHECK(length, (length) >= 1u && (length) <= 0xFFFFu, \
           "the length of a dimension is 1 to 65,535")
// 0: until the stream ends.
#define OW_CHECK_STREAM(length) \
  OW_CHECK(stream_length, (length) <= 0xFFFFu, "the length of a stream is 0 to 65,535")
#define OW_CHECK_STEP(step)                           \
  OW_CHECK(step, (step) >= -32768 && (step) <= 32767, \
           "a step (a stride less what the dimensions below walked) is -32,768 to 32,767 bytes")

#endif  // OPENWAFER_TILE_CHECK_H_
