// SPDX-License-Identifier: Apache-2.0
// A language model by the options of `ow generate` and `ow serve`, on what computes it.
#ifndef OW_CLI_LANGUAGE_OPTIONS_H_
#define OW_CLI_LANGUAGE_OPTIONS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli.h"
#include "openwafer/runtime.h"
#include "ow/graph/language_model.h"
#include "ow/import/model_settings.h"
#include "ow/open/machine.h"
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

// The machine of `device`, which may be golden.
struct LanguageMachine {
  MachineSpec spec;
  MachineOptions options;
};

// Call it first. Checks the files of the machine and of the model (Context::check_files). BadInput
// if the options do not go together. Joins the processes of a grid that is split: in those other
// than rank 0 it returns nothing when the run has ended, with their exit status.
std::optional<LanguageMachine> find_machine(Context* context, const LanguageOptions& options,
                                            int* status);

struct Language {
  LanguageModel model;
  LanguageRegion region;
};

// BadInput as the readers.
Language read_language(const LanguageOptions& options, const ModelSettings& settings);

// What computes, and its machines: none if that is golden.
struct LanguageDevice {
  std::unique_ptr<serve::TokenRing> ring;
  std::vector<Runtime> machines;

  // Call it before a run counts as done. BadInput if its recording cannot be written.
  void end_recording() const;
};

// Loads it into the device, for so many users at a time. BadInput as the devices.
LanguageDevice open_device(const LanguageOptions& options, const LanguageMachine& machine,
                           const Language& language, int slots);

}  // namespace ow::cli

#endif  // OW_CLI_LANGUAGE_OPTIONS_H_
