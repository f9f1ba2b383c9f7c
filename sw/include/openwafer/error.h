// SPDX-License-Identifier: Apache-2.0
// Categories of error. Every message is one line that says what was wrong, where, and what the
// limit is. `main` turns a category into an exit status.
#ifndef OPENWAFER_ERROR_H_
#define OPENWAFER_ERROR_H_

#include <stdexcept>
#include <string>

namespace ow {

class Error : public std::runtime_error {
 public:
  Error(const char* category, int exit_status, const std::string& what)
      : std::runtime_error(what), category_(category), exit_status_(exit_status) {}
  const char* category() const { return category_; }
  int exit_status() const { return exit_status_; }

 private:
  const char* category_;
  int exit_status_;
};

// The user's files or parameters are wrong; nothing was simulated.
class BadInput : public Error {
 public:
  explicit BadInput(const std::string& what) : Error("bad input", 2, what) {}
};

// The machine failed or stopped: a trap, an engine fault, a hang.
class DeviceFault : public Error {
 public:
  explicit DeviceFault(const std::string& what) : Error("device fault", 3, what) {}
};

// A rule of the fabric was broken: a credit too many, or a malformed response packet.
class ProtocolError : public Error {
 public:
  explicit ProtocolError(const std::string& what) : Error("protocol error", 3, what) {}
};

// A bug in this software.
class InternalError : public Error {
 public:
  explicit InternalError(const std::string& what) : Error("internal error", 3, what) {}
};

}  // namespace ow

#endif  // OPENWAFER_ERROR_H_
