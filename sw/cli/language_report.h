// SPDX-License-Identifier: Apache-2.0
// `ow estimate --model`: what a language model costs on regions of tiles.
#ifndef OW_CLI_LANGUAGE_REPORT_H_
#define OW_CLI_LANGUAGE_REPORT_H_

#include <optional>
#include <string>

#include "cli.h"

namespace ow::cli {

struct LanguageQuestion {
  std::string model;         // folder; its config.json is read
  std::string region;        // ROWSxCOLUMNS; empty: by tiles, or N127
  std::optional<int> tiles;  // of a wafer
  int wafers = 1;
  std::optional<int> position;  // of the token; none: 128, or the middle of a shorter context
};

// Prints the estimate and puts it into the context's result; the exit status. BadInput if the model
// does not fit.
int estimate_model(Context& context, const LanguageQuestion& question);

}  // namespace ow::cli

#endif  // OW_CLI_LANGUAGE_REPORT_H_
