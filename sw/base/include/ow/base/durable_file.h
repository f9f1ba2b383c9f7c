// SPDX-License-Identifier: Apache-2.0
// Files that appear as a whole or not at all, even if the program or the machine stops.
#ifndef OW_BASE_DURABLE_FILE_H_
#define OW_BASE_DURABLE_FILE_H_

#include <cstddef>
#include <string>

namespace ow {

// The system calls that a durable write needs. Each returns what the system's call returns: -1 and
// errno on error. Tests inject failures and crashes here.
class FileCalls {
 public:
  virtual ~FileCalls() = default;
  virtual int create(const std::string& file, const std::string& temporary);
  virtual long write(int file, const void* data, size_t bytes);
  virtual int sync(int file);
  virtual int close(int file);
  virtual int rename(const std::string& from, const std::string& to);
  virtual int sync_directory(const std::string& path);
  virtual int remove(const std::string& path);
};

// Writes to a temporary name beside the file that `path` names, following symbolic links. commit()
// flushes the file, renames it and flushes the directory. The new file has the mode of the old one.
// Without a commit the temporary file is removed. Errors are BadInput with path and reason; the old
// file at `path` then remains.
class DurableFile {
 public:
  explicit DurableFile(std::string path, FileCalls* calls = nullptr);  // null: the system's calls
  ~DurableFile();
  DurableFile(const DurableFile&) = delete;
  DurableFile& operator=(const DurableFile&) = delete;

  void append(const void* data, size_t bytes);
  void commit();

 private:
  [[noreturn]] void fail() const;

  FileCalls system_;
  FileCalls& calls_;
  std::string path_;
  std::string target_;  // the file that `path_` names
  std::string temporary_;
  int file_ = -1;
  bool there_ = false;  // the temporary file exists
};

}  // namespace ow

#endif  // OW_BASE_DURABLE_FILE_H_
