// SPDX-License-Identifier: Apache-2.0
// Arguments of launches as words of ow_args.
#ifndef OW_SRC_ARGUMENTS_H_
#define OW_SRC_ARGUMENTS_H_

#include <cstdint>
#include <vector>

#include "openwafer/argument.h"
#include "ow/runtime/elf.h"

namespace ow {

// A word for each argument. BadInput if there are more or fewer than the launch has, or if one is
// of another type or does not fit.
std::vector<uint32_t> argument_words(const ElfImage& image, const ElfLaunch& launch,
                                     const std::vector<Argument>& arguments);

}  // namespace ow

#endif  // OW_SRC_ARGUMENTS_H_
