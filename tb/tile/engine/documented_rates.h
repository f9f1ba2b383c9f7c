// SPDX-License-Identifier: Apache-2.0
// The rates of docs/isa.md ("Operations"), line by line.
#ifndef OW_TB_ENGINE_DOCUMENTED_RATES_H_
#define OW_TB_ENGINE_DOCUMENTED_RATES_H_

#include <vector>

#include "instruction.h"

namespace ow_engine {

constexpr int kFillAndDrain = 16;  // cycles of an instruction besides its elements over the rate

enum class Source { kVectors, kScalar, kNeighbours, kRandom };  // b; with indices: those of x
enum class Result { kSram, kAccumulator };

struct Documented {
  std::vector<int> ops;
  std::vector<int> types;
  double rate;  // elements a cycle
  Source source = Source::kVectors;
  Result result = Result::kSram;
  int result_type = kNone;  // of conversions and reductions
};

// The table "Operations", line by line. Its 5.3 means 16 elements in three cycles, as "Engine
// timing" says.
inline std::vector<Documented> documented() {
  constexpr double kThreeVectors = 8 / 1.5;
  const std::vector<int> halfs = {kF16, kBf16}, shorts = {kF16, kBf16, kI16}, words = {kF32, kI32},
                         mixed = {kMixed, kMixedB},
                         as_add = {kAdd, kSub, kMax, kMin, kCmpEq, kCmpNe, kCmpLt, kCmpLe},
                         shifts = {kAnd, kOr, kXor, kSll, kSrl, kSra, kGate},
                         nonlinear = {kRcp, kRsqrt, kExp, kLog, kTanh, kSigmoid},
                         moves = {kGather, kScatter};
  constexpr auto kVectors = Source::kVectors, kScalar = Source::kScalar,
                 kNeighbours = Source::kNeighbours, kRandom = Source::kRandom;
  constexpr auto kSram = Result::kSram, kToAcc = Result::kAccumulator;
  return {
      {{kMov}, {kF16, kBf16, kI16, kI8}, 8},
      {{kMov}, words, 4},
      {as_add, shorts, 8},
      {as_add, words, 4},
      {{kMul}, shorts, 8},
      {{kMul}, words, 2},
      {{kFma}, shorts, 8, kScalar},
      {{kFma}, shorts, kThreeVectors},
      {{kFma}, words, 2, kScalar},
      {{kFma}, words, 2},
      {{kFma}, mixed, 8, kScalar, kToAcc},
      {{kFma}, mixed, 4, kScalar},
      {{kFma}, mixed, 3.5},
      {{kCvt}, {kBf16, kI16, kI8}, 8, kVectors, kSram, kF16},
      {{kCvt}, {kF16, kI16, kI8}, 8, kVectors, kSram, kBf16},
      {{kCvt}, {kF16, kBf16, kI8}, 8, kVectors, kSram, kI16},
      {{kCvt}, shorts, 7, kVectors, kSram, kI8},
      {{kCvt}, {kF16, kBf16, kI16, kI8, kI32}, 4, kVectors, kSram, kF32},
      {{kCvt}, {kF16, kBf16, kI16, kI8, kF32}, 4, kVectors, kSram, kI32},
      {{kCvt}, words, 3.5, kVectors, kSram, kF16},
      {{kCvt}, words, 3.5, kVectors, kSram, kBf16},
      {{kCvt}, words, 3.5, kVectors, kSram, kI16},
      {{kCvt}, words, 3.3, kVectors, kSram, kI8},
      {shifts, {kI16}, 8},
      {shifts, {kI32}, 4},
      {{kDot, kSum, kRMax, kRMin}, halfs, 8, kVectors, kSram, kF32},
      {{kDot, kSum, kRMax, kRMin}, {kI16}, 8, kVectors, kSram, kI32},
      {{kDot}, {kF32}, 2, kVectors, kSram, kF32},
      {{kDot}, {kI8}, 16, kVectors, kSram, kI32},
      {{kSum, kRMax, kRMin}, {kI8}, 8, kVectors, kSram, kI32},
      {{kSum, kRMax, kRMin}, {kF32}, 4, kVectors, kSram, kF32},
      {{kSum, kRMax, kRMin}, {kI32}, 4, kVectors, kSram, kI32},
      {moves, shorts, 8, kNeighbours},
      {{kGather}, words, 4, kNeighbours},
      {{kScatter}, words, 3.5, kNeighbours},
      {moves, shorts, 4, kRandom},
      {moves, words, 2.8, kRandom},
      {{kFmag}, halfs, kThreeVectors, kNeighbours},
      {{kFmag}, halfs, 3.3, kRandom},
      {{kFmag}, mixed, 8, kNeighbours, kToAcc},
      {{kFmag}, mixed, 3.8, kRandom, kToAcc},
      {{kFmag}, mixed, 2.9, kNeighbours},
      {{kFmag}, mixed, 2.2, kRandom},
      {{kFmag}, {kF32}, 2, kNeighbours, kToAcc},
      {{kFmag}, {kF32}, 1.8, kRandom, kToAcc},
      {{kFmag}, {kF32}, 1.9, kNeighbours},
      {{kFmag}, {kF32}, 1.4, kRandom},
      {nonlinear, halfs, 2},
  };
}

// Whether an operation reads a second source.
inline bool reads_b(int op) {
  switch (op) {
    case kMov:
    case kCvt:
    case kSum:
    case kRMax:
    case kRMin:
    case kRcp:
    case kRsqrt:
    case kExp:
    case kLog:
    case kTanh:
    case kSigmoid:
      return false;
    default:
      return true;
  }
}

}  // namespace ow_engine

#endif  // OW_TB_ENGINE_DOCUMENTED_RATES_H_
