// SPDX-License-Identifier: Apache-2.0
// Texts that end an answer, wherever the borders of its pieces lie.
#ifndef OW_SERVE_STOP_STRINGS_H_
#define OW_SERVE_STOP_STRINGS_H_

#include <string>
#include <vector>

namespace ow::serve {

class StopStrings {
 public:
  // BadInput for an empty one.
  explicit StopStrings(std::vector<std::string> stops);

  // Takes the next piece of the text and gives what can be shown. What may be the beginning of a
  // stop string waits for the next pieces. All that is shown in the end is the text before the stop
  // string that is complete first, the longest one if several end there.
  std::string add(const std::string& piece);
  // What still waits, at the end of the text; nothing after a stop string.
  std::string finish();

  // A stop string has come. Pieces after it are left out.
  bool stopped() const { return stopped_; }

 private:
  bool stop();

  std::vector<std::string> stops_;
  std::string held_;
  bool stopped_ = false;
};

}  // namespace ow::serve

#endif  // OW_SERVE_STOP_STRINGS_H_
