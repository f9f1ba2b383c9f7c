// SPDX-License-Identifier: Apache-2.0
// Files, read and written as a whole. Every failure is a BadInput that names the file and the
// reason.
#ifndef OW_BASE_FILE_H_
#define OW_BASE_FILE_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

namespace ow {

// The file as it is; a directory is no file. `limit`: the most bytes that are taken.
std::string read_text(const std::string& path, size_t limit = size_t{1} << 30);

// The file's contents, unpacked if it is gzip-compressed (it begins with 1f 8b). `limit`: the most
// bytes that may come out; `line_limit`: of a line, in a file that is not compressed: what is no
// text is refused before all of it is read. A compressed file that is damaged, cut short, or has
// anything behind its end is refused.
std::string read_bytes(const std::string& path, size_t limit, size_t line_limit = SIZE_MAX);

// Writes to a temporary file beside `path` and renames it, so that a reader finds the old file or
// the whole new one; what is no regular file, as /dev/stdout, is written to.
void write_file(const std::string& path, const std::string& contents);

// The same for contents that come piece by piece, packed by gzip if wanted: nothing of them is kept
// in memory. The file has its name from close() on; without that the temporary one goes again.
class FileWriter {
 public:
  enum class Packing { None, Gzip };

  // BadInput if it cannot be written.
  explicit FileWriter(std::string path, Packing packing = Packing::None);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  // What goes wrong here close() says.
  void append(const void* data, size_t bytes);
  void close();

 private:
  struct Deflater;
  void put(const void* data, size_t bytes);
  void pack(const void* data, size_t bytes, bool end);

  std::string path_, first_;  // the latter is written to
  std::FILE* file_ = nullptr;
  std::unique_ptr<Deflater> packed_;
  int error_ = 0;  // the first one
};

// Refused as write_file would be, before the work whose results are to be written there. No path,
// no check.
void check_writable(const std::string& path);

// A path that stands in a file, taken from that file's directory.
std::string beside(const std::string& file, const std::string& path);

}  // namespace ow

#endif  // OW_BASE_FILE_H_
