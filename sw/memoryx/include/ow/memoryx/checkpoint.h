// SPDX-License-Identifier: Apache-2.0
// A training on disk: a safetensors file that other programs can read, too, written as a whole or
// not at all. A file that was cut short or changed is refused.
//
//   <name>             F32  masters
//   <name>_mask        U8   1 where a weight is kept (masked parameters)
//   optimizer.<k>.<name> F32  moment k
//   openwafer.crc32    U32  check sums: of the header, then of the tensors before it, in their
//   order
//
// The header's metadata have the format, the numbers of RunState and, as `job.<key>`, its words.
#ifndef OW_MEMORYX_CHECKPOINT_H_
#define OW_MEMORYX_CHECKPOINT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ow/base/durable_file.h"
#include "ow/memoryx/job_keys.h"
#include "ow/memoryx/store.h"

namespace ow::memoryx {

// What a run needs besides its arrays. All random numbers belong to the seed and to counts, so
// these are the random state and the position in the data as well.
struct RunState {
  uint64_t step = 0;     // steps that were done, skipped ones too
  uint64_t updates = 0;  // those that were not skipped
  float loss_scale = 1;
  uint64_t good_steps = 0;  // of the loss scale
  JobKeys job;              // all else that later bits hang on
};
bool operator==(const RunState& a, const RunState& b);

// `calls`: the system's, if null. BadInput: it cannot be written; what stood there before still
// does.
void save_checkpoint(const std::string& path, const Store& store, const RunState& state,
                     FileCalls* calls = nullptr);

// Reads what the file says of itself, and none of its arrays. BadInput: no checkpoint, or one of a
// format that another version of this program writes.
RunState read_state(const std::string& path);

// Reads the whole file and compares its check sums. BadInput, with the reason: no checkpoint, cut
// short, changed.
RunState check_checkpoint(const std::string& path);

// Checks the file, and that it is of this store's parameters, masks and moments; then reads them.
// BadInput as above, or with the first parameter that differs; then the store has not changed.
RunState load_checkpoint(const std::string& path, Store& store);

// "<directory>/checkpoint-000000000123.safetensors": their order is that of their names.
std::string checkpoint_path(const std::string& directory, uint64_t step);
// Those of a directory, the newest first; none if it is not there.
std::vector<std::string> checkpoints_in(const std::string& directory);
// Removes all but the newest `keep`, and what interrupted writing has left.
void remove_old_checkpoints(const std::string& directory, size_t keep, FileCalls* calls = nullptr,
                            const std::string& newest = "");

}  // namespace ow::memoryx

#endif  // OW_MEMORYX_CHECKPOINT_H_
