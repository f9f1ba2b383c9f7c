// SPDX-License-Identifier: Apache-2.0
// A training on disk: a safetensors file that other programs can read too. It is written whole or
// not at all. A file that was cut short or changed is refused.
//
//   <name>             F32  masters
//   <name>_mask        U8   1 where a weight is kept (masked parameters)
//   optimizer.<k>.<name> F32  moment k
//   openwafer.crc32    U32  check sums: of the header, then of the tensors before it, in order
//
// The header's metadata hold the format, the numbers of RunState and, as `job.<key>`, its job keys.
#ifndef OW_MEMORYX_CHECKPOINT_H_
#define OW_MEMORYX_CHECKPOINT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ow/base/durable_file.h"
#include "ow/memoryx/job_keys.h"
#include "ow/memoryx/store.h"

namespace ow::memoryx {

// What a run needs besides its arrays. All random numbers follow from the seed and these counts, so
// the counts are also the random state and the position in the data.
struct RunState {
  uint64_t step = 0;     // steps done, including skipped ones
  uint64_t updates = 0;  // steps done that were not skipped
  float loss_scale = 1;
  uint64_t good_steps = 0;  // steps without overflow, for the loss scale
  JobKeys job;              // everything else that later bits depend on
};
bool operator==(const RunState& a, const RunState& b);

// `calls`: null means the system's calls. BadInput if it cannot be written; the old file then
// remains.
void save_checkpoint(const std::string& path, const Store& store, const RunState& state,
                     FileCalls* calls = nullptr);

// Reads the header and none of the arrays. BadInput if this is no checkpoint, or one whose format
// belongs to another version of this program.
RunState read_state(const std::string& path);

// Whether a file of weights, safetensors or NumPy's, says that it is a checkpoint, of whatever
// version.
bool is_checkpoint(const std::string& path);

// Reads the whole file and compares its check sums. BadInput, with the reason, if this is no
// checkpoint, or if it was cut short or changed.
RunState check_checkpoint(const std::string& path);

// Checks the file, compares it with this store's parameters, masks and moments, then reads them.
// BadInput as above, or with the first parameter that differs. The store is unchanged after an
// error.
RunState load_checkpoint(const std::string& path, Store& store);

// "<directory>/checkpoint-000000000123.safetensors". Sorting by name sorts by step.
std::string checkpoint_path(const std::string& directory, uint64_t step);
// Whether a file of this name is a checkpoint. Other names are the user's.
bool names_checkpoint(const std::string& name);
// The checkpoints in a directory, newest first. Empty if there is no such directory. BadInput if it
// cannot be read.
std::vector<std::string> checkpoints_in(const std::string& directory);
// Removes all but the newest `keep`, and leftovers of interrupted writes. Other files stay.
// Checkpoints later than `newest` neither count nor go.
void remove_old_checkpoints(const std::string& directory, size_t keep, FileCalls* calls = nullptr,
                            const std::string& newest = "");

}  // namespace ow::memoryx

#endif  // OW_MEMORYX_CHECKPOINT_H_
