// SPDX-License-Identifier: Apache-2.0
// Printing from a tile: the host shows the text with the tile and the cycle.
//
//   ow_printf("row %u: sum %f", ow_reg_read(OW_REG_ROW), sum);
//
// A call stores a record of 8 words into a ring in SRAM, in about 60 cycles: the format, the cycle,
// up to 6 arguments. The formats stay in the ELF file, and the host formats (ow::Run::prints).
// Nothing waits: records that the host does not fetch in time are overwritten and counted as lost.
// Conversions: d i u x X o c p, f e g (doubles are rounded to floats), s (constant strings of the
// program). Each takes flags, width and precision, but no `*`.
#ifndef OPENWAFER_TILE_PRINT_H_
#define OPENWAFER_TILE_PRINT_H_

#include <stdint.h>

#include "openwafer/tile/export.h"

// The ring holds 16 records (520 bytes) unless the program sets another number once, at file scope.
// Two counts stand before them: of the records that are complete, and of those that were begun.
#define OW_PRINT_RECORDS(records)                                 \
  OW_EXPORT(u32, ow_print_ring, 2 + 8 * (records));               \
  const uint32_t ow_print_records = (records);                    \
  __attribute__((constructor)) static void ow_print_start(void) { \
    ow_print_ring[0] = ow_print_ring[1] = 0;                      \
  }                                                               \
  _Static_assert((records) >= 1, "OW_PRINT_RECORDS: at least one record")
extern const uint32_t ow_print_records;

#define ow_printf(...)                                                             \
  do {                                                                             \
    _Static_assert(OW_COUNT_(__VA_ARGS__) <= 7, "ow_printf: at most 6 arguments"); \
    if (0) ow_print_check(OW_PRINT_TYPES_(__VA_ARGS__));                           \
    static const char ow_format[] __attribute__((section(".ow_strings"), used)) =  \
        OW_PRINT_FIRST_(__VA_ARGS__, 0);                                           \
    ow_print_record(ow_format OW_PRINT_WORDS_(__VA_ARGS__));                       \
  } while (0)

void ow_print_record(const char* format, uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e,
                     uint32_t f);

// ---------------------------------------------------------------------- how the above is made
// ------
__attribute__((format(printf, 1, 2))) static inline void ow_print_check(const char* format, ...) {
  (void)format;
}
OW_ALWAYS_INLINE uint32_t ow_print_integer(uint32_t x) { return x; }
OW_ALWAYS_INLINE uint32_t ow_print_pointer(const volatile void* x) {
  return (uint32_t)(uintptr_t)x;
}
#define OW_PRINT_WORD_(x)                     \
  _Generic((x), float                         \
           : ow_float_bits, double            \
           : ow_f32_of_double, _Bool          \
           : ow_print_integer, char           \
           : ow_print_integer, signed char    \
           : ow_print_integer, unsigned char  \
           : ow_print_integer, short          \
           : ow_print_integer, unsigned short \
           : ow_print_integer, int            \
           : ow_print_integer, unsigned int   \
           : ow_print_integer, long           \
           : ow_print_integer, unsigned long  \
           : ow_print_integer, default        \
           : ow_print_pointer)(x)
// For this compiler uint32_t is a long. %u accepts it nevertheless.
#define OW_PRINT_TYPE_(x) _Generic((x), long : 0, unsigned long : 0u, default : (x))

#define OW_PRINT_FIRST_(format, ...) format
#define OW_PRINT_WORDS_(...) OW_GLUE(OW_PRINT_WORDS_, OW_COUNT_(__VA_ARGS__))(__VA_ARGS__)
#define OW_PRINT_WORDS_1(f) , 0, 0, 0, 0, 0, 0
#define OW_PRINT_WORDS_2(f, a) , OW_PRINT_WORD_(a), 0, 0, 0, 0, 0
#define OW_PRINT_WORDS_3(f, a, b) , OW_PRINT_WORD_(a), OW_PRINT_WORD_(b), 0, 0, 0, 0
#define OW_PRINT_WORDS_4(f, a, b, c) \
  , OW_PRINT_WORD_(a), OW_PRINT_WORD_(b), OW_PRINT_WORD_(c), 0, 0, 0
#define OW_PRINT_WORDS_5(f, a, b, c, d) \
  , OW_PRINT_WORD_(a), OW_PRINT_WORD_(b), OW_PRINT_WORD_(c), OW_PRINT_WORD_(d), 0, 0
#define OW_PRINT_WORDS_6(f, a, b, c, d, e) \
  , OW_PRINT_WORD_(a), OW_PRINT_WORD_(b), OW_PRINT_WORD_(c), OW_PRINT_WORD_(d), OW_PRINT_WORD_(e), 0
#define OW_PRINT_WORDS_7(f, a, b, c, d, e, g)                                                      \
  , OW_PRINT_WORD_(a), OW_PRINT_WORD_(b), OW_PRINT_WORD_(c), OW_PRINT_WORD_(d), OW_PRINT_WORD_(e), \
      OW_PRINT_WORD_(g)
#define OW_PRINT_WORDS_8(...) , 0, 0, 0, 0, 0, 0
#define OW_PRINT_WORDS_9(...) , 0, 0, 0, 0, 0, 0
#define OW_PRINT_TYPES_(...) OW_GLUE(OW_PRINT_TYPES_, OW_COUNT_(__VA_ARGS__))(__VA_ARGS__)
#define OW_PRINT_TYPES_1(f) f
#define OW_PRINT_TYPES_2(f, a) f, OW_PRINT_TYPE_(a)
#define OW_PRINT_TYPES_3(f, a, ...) f, OW_PRINT_TYPE_(a), OW_PRINT_TYPES_2_(__VA_ARGS__)
#define OW_PRINT_TYPES_4(f, a, ...) f, OW_PRINT_TYPE_(a), OW_PRINT_TYPES_3_(__VA_ARGS__)
#define OW_PRINT_TYPES_5(f, a, ...) f, OW_PRINT_TYPE_(a), OW_PRINT_TYPES_4_(__VA_ARGS__)
#define OW_PRINT_TYPES_6(f, a, ...) f, OW_PRINT_TYPE_(a), OW_PRINT_TYPES_5_(__VA_ARGS__)
#define OW_PRINT_TYPES_7(f, a, ...) f, OW_PRINT_TYPE_(a), OW_PRINT_TYPES_6_(__VA_ARGS__)
#define OW_PRINT_TYPES_8(...) "too many"
#define OW_PRINT_TYPES_9(...) "too many"
#define OW_PRINT_TYPES_2_(a) OW_PRINT_TYPE_(a)
#define OW_PRINT_TYPES_3_(a, ...) OW_PRINT_TYPE_(a), OW_PRINT_TYPES_2_(__VA_ARGS__)
#define OW_PRINT_TYPES_4_(a, ...) OW_PRINT_TYPE_(a), OW_PRINT_TYPES_3_(__VA_ARGS__)
#define OW_PRINT_TYPES_5_(a, ...) OW_PRINT_TYPE_(a), OW_PRINT_TYPES_4_(__VA_ARGS__)
#define OW_PRINT_TYPES_6_(a, ...) OW_PRINT_TYPE_(a), OW_PRINT_TYPES_5_(__VA_ARGS__)

#endif  // OPENWAFER_TILE_PRINT_H_
