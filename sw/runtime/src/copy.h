// SPDX-License-Identifier: Apache-2.0
// A copy under way between the host and tiles.
#ifndef OW_SRC_COPY_H_
#define OW_SRC_COPY_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime_state.h"

namespace ow {

class Copy : public Event::State {
 public:
  Copy(Runtime::State* machine, std::vector<CopyStep> steps);

  // Call it when the device has something to tell.
  void pump();
  bool done() override { return work(kDoneCycles); }
  void wait(uint64_t cycles) override;
  void cancel() override;

 private:
  bool over() const { return done_ || !failure_.empty(); }
  std::unique_ptr<Bulk> bulk() const;
  bool work(uint64_t cycles);
  void release();
  void throw_late(const std::string& how);
  [[noreturn]] void throw_failure();
  void abandon();

  Runtime::State* machine_;
  std::unique_ptr<Bulk> bulk_;  // of the step under way
  std::vector<CopyStep> steps_;
  size_t next_ = 0;
  bool done_ = false;
  std::string failure_;  // it will never be done
};

}  // namespace ow

#endif  // OW_SRC_COPY_H_
