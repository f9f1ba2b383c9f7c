// SPDX-License-Identifier: Apache-2.0
// Texts as the data of a training, for which a program needs tokenizers.
#ifndef OW_CLI_TEXT_DATA_H_
#define OW_CLI_TEXT_DATA_H_

#include "cli.h"
#include "ow/execute/run_job.h"

namespace ow::cli {

// The tokens of data.file by data.tokenizer. Null in a program without ow_text_data.
[[gnu::weak]] TokenText read_text_data(const DataSource& source);

// Goes on as ow-text if the job's data is a text and this program has no tokenizers. `file`: of the
// job, which is read again. `joined`: it cannot, as its ranks have been joined; then BadInput.
void find_tokenizers(const Context& context, const jobs::Job& job, const std::string& file,
                     bool joined);

}  // namespace ow::cli

#endif  // OW_CLI_TEXT_DATA_H_
