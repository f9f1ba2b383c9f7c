// SPDX-License-Identifier: Apache-2.0
// Elementary functions in double from fixed polynomials (N125): additions, multiplications and
// divisions alone, so that every host computes the same bits. Not correctly rounded.
#ifndef OW_GOLDEN_ELEMENTARY_H_
#define OW_GOLDEN_ELEMENTARY_H_

namespace ow::golden {

// ln x of a normal x > 0. Absolute error below 2^-51 (1 + |ln x|).
double fixed_log(double x);

// e^x for |x| <= 700. Relative error below 2^-50.
double fixed_exp(double x);

// sin a and cos a for 0 <= a <= 2^20. Absolute error below 2^-51.
struct SinCos {
  double sin, cos;
};
SinCos fixed_sin_cos(double a);

}  // namespace ow::golden

#endif  // OW_GOLDEN_ELEMENTARY_H_
