// SPDX-License-Identifier: Apache-2.0
// A copy under way between the host and tiles.
#ifndef OW_SRC_COPY_H_
#define OW_SRC_COPY_H_

#include <functional>
#include <memory>
#include <string>

#include "runtime_state.h"

namespace ow {

class Copy : public Event::State {
 public:
  Copy(Runtime::State* machine, std::unique_ptr<Bulk> bulk, std::function<void()> finished)
      : machine_(machine), bulk_(std::move(bulk)), finished_(std::move(finished)) {}

  // Call it when the device has something to tell.
  void pump();
  bool done() override { return work(kDoneCycles); }
  void wait(uint64_t cycles) override;

 private:
  bool over() const { return done_ || !failure_.empty(); }
  bool work(uint64_t cycles);
  [[noreturn]] void throw_failure();
  void release();
  void throw_late(const std::string& how);
  void abandon();

  Runtime::State* machine_;
  std::unique_ptr<Bulk> bulk_;
  std::function<void()> finished_;
  bool done_ = false;
  std::string failure_;  // it will never be done
};

}  // namespace ow

#endif  // OW_SRC_COPY_H_
