// SPDX-License-Identifier: Apache-2.0
#include "arguments.h"

#include <string>

#include <fmt/format.h>

#include "ow/base/error.h"

namespace ow {
namespace {

bool is_float(ElementType type) {
  return type == ElementType::F16 || type == ElementType::Bf16 || type == ElementType::F32;
}

bool is_signed(ElementType type) {
  return type == ElementType::I8 || type == ElementType::I16 || type == ElementType::I32;
}

std::string text(const Argument& integer) {
  return integer.negative() ? std::to_string(static_cast<int64_t>(integer.bits()))
                            : std::to_string(integer.bits());
}

}  // namespace

std::vector<uint32_t> argument_words(const ElfImage& image, const ElfLaunch& launch,
                                     const std::vector<Argument>& arguments) {
  if (arguments.size() != launch.arguments.size()) {
    const std::string takes = launch.arguments.empty()
                                  ? "no arguments"
                                  : fmt::format("{} arguments ({})", launch.arguments.size(),
                                                fmt::join(launch.parameters, ", "));
    throw BadInput(
        fmt::format("{}: '{}' takes {}, not {}", image.path, launch.name, takes, arguments.size()));
  }
  std::vector<uint32_t> words;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = arguments[i];
    const ElementType type = launch.arguments[i];
    const auto refuse = [&](const std::string& limit, const std::string& given) {
      throw BadInput(fmt::format("{}: argument {} of '{}' is {}{}: {} was given", image.path, i + 1,
                                 launch.name, launch.parameters[i], limit, given));
    };
    if (argument.integer() && !is_float(type)) {
      const uint32_t bits = 8 * element_bytes(type) - (is_signed(type) ? 1 : 0);
      const int64_t most = (int64_t{1} << bits) - 1;
      const int64_t least = is_signed(type) ? -most - 1 : 0;
      const auto value = static_cast<int64_t>(argument.bits());
      const bool fits =
          argument.negative() ? value >= least : argument.bits() <= static_cast<uint64_t>(most);
      if (!fits) refuse(fmt::format(", from {} to {}", least, most), text(argument));
    } else if (argument.integer()) {
      refuse("", "the integer " + text(argument));
    } else if (*argument.type() != type) {
      refuse("", element_name(*argument.type()));
    }
    words.push_back(static_cast<uint32_t>(argument.bits()));
  }
  return words;
}

}  // namespace ow
