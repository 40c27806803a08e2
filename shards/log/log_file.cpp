// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/log/log_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>

#include "shards/storage/error.h"

namespace partita::shards {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kReadAhead = 128 << 10;

Status failed(int code, const char* what, const fs::path& path) {
  Status status = wt_failure(code, what);
  return error(status.code(), "the log's file ", path.string(), ": ", status.message());
}

/// All of it, in as many calls as it takes.
int write_all(int file, iovec* parts, int count, off_t offset) {
  while (count > 0) {
    const ssize_t written = ::pwritev(file, parts, count, offset);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    offset += written;
    auto left = static_cast<std::size_t>(written);
    for (; count > 0 && left >= parts->iov_len; ++parts, --count) left -= parts->iov_len;
    if (count == 0) break;
    parts->iov_base = static_cast<std::uint8_t*>(parts->iov_base) + left;
    parts->iov_len -= left;
  }
  return 0;
}

iovec part(const std::uint8_t* bytes, std::size_t size) { return {const_cast<std::uint8_t*>(bytes), size}; }

}  // namespace

std::string LogFile::name_of(Place base) {
  char name[32];
  std::snprintf(name, sizeof name, "%016llx.log", static_cast<unsigned long long>(base));
  return name;
}

bool LogFile::is_name(const std::string& name) {
  constexpr std::size_t kDigits = 16;
  return name.size() > kDigits && name.find_first_not_of("0123456789abcdef") == kDigits && name.substr(kDigits) == ".log";
}

Result<std::shared_ptr<LogFile>> LogFile::create(const fs::path& directory, const FileHeader& header) {
  const fs::path path = directory / name_of(header.base);
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return failed(errno, "open", path);
  std::shared_ptr<LogFile> made(new LogFile(path, file, header.size));
  made->header_ = header;
  int code = EINTR;
  while (code == EINTR) code = ::posix_fallocate(file, 0, static_cast<off_t>(header.size));
  if (code == 0) {
    const FileHeader::Encoded bytes = header.encode();
    iovec whole = part(bytes.data(), bytes.size());
    code = write_all(file, &whole, 1, 0);
  }
  if (code == 0) return made;
  ::unlink(path.c_str());
  return failed(code, "make", path);
}

Result<std::shared_ptr<LogFile>> LogFile::open(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return failed(errno, "open", path);
  struct stat about {};
  const int code = ::fstat(file, &about) == 0 ? 0 : errno;
  std::shared_ptr<LogFile> opened(new LogFile(path, file, static_cast<std::uint64_t>(about.st_size)));
  if (code != 0) return failed(code, "stat", path);
  FileHeader::Encoded bytes{};
  TRY(const std::size_t read, opened->read(0, bytes.data(), bytes.size()));
  // A header is written whole or not at all: a disk does not tear what lies in one of its sectors.
  if (std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; })) return std::shared_ptr<LogFile>();
  Result<std::optional<FileHeader>> header = FileHeader::decode(Bytes(bytes).first(read));
  if (!header.ok()) return error(header.status().code(), "the log's file ", path.string(), ": ", header.status().message());
  if (!*header || name_of((*header)->base) != path.filename()) {
    return error(Code::DataModifiedByRepair, "the log is damaged: the file ", path.string(), " does not begin with its header");
  }
  opened->header_ = **header;
  return opened;
}

LogFile::~LogFile() { ::close(file_); }

Status LogFile::write(Place at, const Frame& frame, Bytes record) const {
  const Frame::Header header = frame.encode(at, header_.salt);
  std::array<iovec, 2> parts{part(header.data(), header.size()), part(record.data(), record.size())};
  const int code = write_all(file_, parts.data(), record.empty() ? 1 : 2, static_cast<off_t>(at - header_.base));
  return code == 0 ? Status() : failed(code, "write", path_);
}

Result<std::size_t> LogFile::read(Place at, std::uint8_t* to, std::size_t size) const {
  std::size_t got = 0;
  while (got < size) {
    const ssize_t more = ::pread(file_, to + got, size - got, static_cast<off_t>(at - header_.base + got));
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return failed(errno, "read", path_);
    if (more == 0) break;
    got += static_cast<std::size_t>(more);
  }
  return got;
}

Status LogFile::sync() const { return ::fdatasync(file_) == 0 ? Status() : failed(errno, "sync", path_); }

Status LogFile::cut(Place end) {
  size_ = end - header_.base;
  return ::ftruncate(file_, static_cast<off_t>(size_)) == 0 ? Status() : failed(errno, "cut", path_);
}

Status remove_log_file(const fs::path& path) {
  return ::unlink(path.c_str()) == 0 || errno == ENOENT ? Status() : failed(errno, "remove", path);
}

std::uint64_t this_boot() {
  std::ifstream id("/proc/sys/kernel/random/boot_id");
  std::string text;
  std::getline(id, text);
  return std::hash<std::string>()(text);
}

Result<Directory> Directory::open(const fs::path& path) {
  Directory opened;
  opened.file_ = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened.file_ < 0) return failed(errno, "open", path);
  return opened;
}

Directory::~Directory() {
  if (file_ >= 0) ::close(file_);
}

Status Directory::sync() const { return ::fsync(file_) == 0 ? Status() : failed(errno, "sync", "its directory"); }

Result<Bytes> FrameReader::bytes(Place at, std::size_t size) {
  const bool there = at >= window_begin_ && at + size <= window_begin_ + window_.size();
  if (!there) {
    window_.clear();
    const std::size_t wanted = std::max(size, kReadAhead);
    TRY(const std::size_t got, file_->read(at, window_.prepare(wanted), wanted));
    window_.commit(got);
    window_begin_ = at;
  }
  const Bytes from = window_.bytes().subspan(at - window_begin_);
  return from.first(std::min(size, from.size()));
}

Result<std::optional<FrameReader::Found>> FrameReader::read() {
  const std::uint64_t left = file_->end() - at_;
  if (left < Frame::kHeaderSize) return std::optional<Found>();
  TRY(const Bytes header, bytes(at_, Frame::kHeaderSize));
  const std::optional<Frame> frame = Frame::decode(header, at_, file_->header().salt, left);
  if (!frame) return std::optional<Found>();
  TRY(const Bytes whole, bytes(at_, frame->room));
  if (whole.size() < frame->room) return std::optional<Found>();  // Somebody has made the file shorter.
  return std::optional<Found>({*frame, whole.subspan(Frame::kHeaderSize, frame->size)});
}

Result<bool> FrameReader::find_next() {
  for (at_ += Frame::kAlignment; at_ + Frame::kHeaderSize <= file_->end(); at_ += Frame::kAlignment) {
    TRY(const Bytes header, bytes(at_, Frame::kHeaderSize));
    if (Frame::decode(header, at_, file_->header().salt, file_->end() - at_)) return true;
  }
  return false;
}

}  // namespace partita::shards
