// SPDX-License-Identifier: Apache-2.0
// Text of an SVG.
#ifndef OW_PLOT_SRC_SVG_TEXT_H_
#define OW_PLOT_SRC_SVG_TEXT_H_

#include <string>

namespace ow::plot {

// Text that is legal in XML, whatever the bytes were: UTF-8 without control characters.
std::string escaped(const std::string& text);

}  // namespace ow::plot

#endif  // OW_PLOT_SRC_SVG_TEXT_H_
