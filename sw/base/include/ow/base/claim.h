// SPDX-License-Identifier: Apache-2.0
// One program at a time writes a file or a directory.
#ifndef OW_BASE_CLAIM_H_
#define OW_BASE_CLAIM_H_

#include <string>

namespace ow {

// Holds a file or a directory that this program is going to write. Another program that claims it
// meanwhile gets a BadInput, which names the process and the host of the first one.
//
// The claim is a lock of the system on a file beside `path` (".NAME.lock"; ".lock" in a directory),
// which the destructor removes. The system itself frees the lock of a program that was killed, and
// the file that is left then blocks nobody. Links to one file are one claim.
//
// Nothing is claimed if `path` is empty, is neither a file nor a directory (/dev/null), or if no
// lock can be made: its directory is missing or cannot be written, or its file system has no locks.
class Claim {
 public:
  explicit Claim(const std::string& path);
  ~Claim();
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

 private:
  std::string lock_;  // the file that is locked
  int file_ = -1;
};

}  // namespace ow

#endif  // OW_BASE_CLAIM_H_
