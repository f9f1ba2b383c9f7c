// SPDX-License-Identifier: Apache-2.0
// The shape of the language model that tests use.
#ifndef OW_TB_COMPILE_SMALL_LANGUAGE_H_
#define OW_TB_COMPILE_SMALL_LANGUAGE_H_

#include "ow/graph/language_model.h"

namespace ow::jobs {

// The Llama form with five blocks.
inline LanguageShape small_shape() {
  LanguageShape s;
  s.width = 64;
  s.layers = 5;
  s.heads = 8;
  s.kv_heads = 4;
  s.head_size = 8;
  s.hidden = 172;
  s.vocabulary = 512;
  s.positions = 512;
  s.epsilon = 1e-5;
  return s;
}

}  // namespace ow::jobs

#endif  // OW_TB_COMPILE_SMALL_LANGUAGE_H_
