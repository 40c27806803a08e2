// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/storage/temporary_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace partita::shards {
namespace {

Status failed(const char* what, const std::string& folder) {
  const int reason = errno;
  const Code code = reason == ENOSPC || reason == EDQUOT ? Code::OutOfDiskSpace : Code::InternalError;
  return error(code, what, " a temporary file in ", folder, " failed: ", std::strerror(reason));
}

class TemporaryFile final : public query::RunFile {
 public:
  TemporaryFile(int file, std::string folder) : file_(file), folder_(std::move(folder)) {}
  ~TemporaryFile() override { ::close(file_); }

  Status append(std::span<const std::uint8_t> bytes) override {
    while (!bytes.empty()) {
      const ssize_t written = ::write(file_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return failed("writing to", folder_);
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return {};
  }

  Status read(std::uint64_t offset, std::span<std::uint8_t> room) override {
    while (!room.empty()) {
      const ssize_t got = ::pread(file_, room.data(), room.size(), static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return failed("reading from", folder_);
      if (got == 0) return error(Code::InternalError, "a temporary file in ", folder_, " has been cut short");
      room = room.subspan(static_cast<std::size_t>(got));
      offset += static_cast<std::uint64_t>(got);
    }
    return {};
  }

 private:
  const int file_;
  const std::string folder_;
};

}  // namespace

TemporaryFiles::TemporaryFiles(const std::string& data_directory) : folder_(data_directory + "/_tmp") {}

/// Where the file system has no files without a name, it gets one for a moment.
Result<std::unique_ptr<query::RunFile>> TemporaryFiles::open() {
  if (::mkdir(folder_.c_str(), S_IRWXU) != 0 && errno != EEXIST) return failed("making the folder of", folder_);
  int file = ::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {
    std::string name = folder_ + "/run-XXXXXX";
    file = ::mkostemp(name.data(), O_CLOEXEC);
    if (file >= 0) ::unlink(name.c_str());
  }
  if (file < 0) return failed("opening", folder_);
  return std::make_unique<TemporaryFile>(file, folder_);
}

}  // namespace partita::shards
