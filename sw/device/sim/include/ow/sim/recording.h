// SPDX-License-Identifier: Apache-2.0
// A run of a simulated grid, stored as the link words that came in at its edges. The machine is
// deterministic: the same words in the same cycles give the same run, whatever the host program
// was, and also in a model that writes waves (ow-wave).
#ifndef OW_SIM_RECORDING_H_
#define OW_SIM_RECORDING_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ow/device/device.h"

namespace ow {

struct Recording {
  struct Word {
    uint64_t cycle : 48;  // as many bits as the tiles' time has
    uint64_t port : 16;   // as EdgePorts numbers them
    uint64_t word;
  };
  std::string path;
  GridShape shape;
  uint64_t cycles = 0;
  uint64_t digest = 0;  // of the words that went out
  std::vector<Word> words;
};

// The digest after a word that went out through a port in a cycle.
uint64_t digest_word(uint64_t digest, uint64_t cycle, int port, uint64_t word);

// Writes a recording, compressed, cycle by cycle. The file gets its name at the end of the run.
// BadInput if it cannot be written.
class Recorder {
 public:
  Recorder(std::string path, GridShape shape, int ports);
  ~Recorder();  // end(), but prints why it failed
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Ends the recording where it is. BadInput if it could not be written. Nothing comes after it.
  void end();

  // The words of all ports in one cycle; 0 means none.
  void clock(const uint64_t* in, const uint64_t* out);

 private:
  struct File;
  std::unique_ptr<File> file_;
  int ports_;
  uint64_t cycle_ = 0;
  uint64_t digest_ = 0;
};

// BadInput if the file is not a recording or is damaged.
Recording read_recording(const std::string& path);

}  // namespace ow

#endif  // OW_SIM_RECORDING_H_
