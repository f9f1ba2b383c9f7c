// SPDX-License-Identifier: Apache-2.0
// A language model by the options of `ow generate` and `ow serve`, on what computes it.
#ifndef OW_CLI_LANGUAGE_OPTIONS_H_
#define OW_CLI_LANGUAGE_OPTIONS_H_

#include <memory>
#include <string>

#include "cli.h"
#include "ow/graph/language_model.h"
#include "ow/import/model_settings.h"
#include "ow/serve/token_ring.h"

namespace ow::cli {

struct LanguageOptions {
  std::string model;
  std::string device = "golden";
  std::string region;
  std::string type;
  int wafers = 1;
  std::string load = "ports";
};

void add_language_options(CLI::App* command, LanguageOptions* options);

// The files that are read, for Context::check_files.
std::vector<File> language_files(const LanguageOptions& options);

struct Language {
  LanguageModel model;
  LanguageRegion region;
};

// BadInput as the readers.
Language read_language(const LanguageOptions& options, const ModelSettings& settings);

// Loads it into the device, for so many users at a time. BadInput as the devices.
std::unique_ptr<serve::TokenRing> open_ring(const LanguageOptions& options,
                                            const Language& language, int slots);

}  // namespace ow::cli

#endif  // OW_CLI_LANGUAGE_OPTIONS_H_
