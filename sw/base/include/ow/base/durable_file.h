// SPDX-License-Identifier: Apache-2.0
// Files that are there as a whole or not at all, whenever the program or the machine stops.
#ifndef OW_BASE_DURABLE_FILE_H_
#define OW_BASE_DURABLE_FILE_H_

#include <cstddef>
#include <string>

namespace ow {

// The calls that writing a file durably takes. Each gives what the system's own call gives: -1 and
// errno for an error. Tests put failures and crashes here.
class FileCalls {
 public:
  virtual ~FileCalls() = default;
  virtual int create(const std::string& path);
  virtual long write(int file, const void* data, size_t bytes);
  virtual int sync(int file);
  virtual int close(int file);
  virtual int rename(const std::string& from, const std::string& to);
  virtual int sync_directory(const std::string& path);
  virtual int remove(const std::string& path);
};

// Written to a temporary name beside `path`; commit() brings it to the disk, gives it its name, and
// brings that to the disk too. Without a commit the temporary file goes again. Errors are BadInput
// with path and reason; what stood at `path` before is then still there.
class DurableFile {
 public:
  explicit DurableFile(std::string path, FileCalls* calls = nullptr);  // null: the system's
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
  std::string temporary_;
  int file_ = -1;
  bool there_ = false;  // the temporary file
};

}  // namespace ow

#endif  // OW_BASE_DURABLE_FILE_H_
