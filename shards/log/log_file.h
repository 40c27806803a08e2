// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "shards/log/frame.h"
#include "wire/bson/buffer.h"

namespace partita::shards {

/// One file of the log: a header, then frames. Has its room on the disk from the beginning, so that a full disk is met when
/// a file is made and not in the middle of a commit. Writers write where they have been given a place, all at once.
class LogFile {
 public:
  static Result<std::shared_ptr<LogFile>> create(const std::filesystem::path& directory, const FileHeader& header);
  /// nullptr when there is nothing in it; an error when it does not begin with a header that goes with its name.
  static Result<std::shared_ptr<LogFile>> open(const std::filesystem::path& path);
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  const FileHeader& header() const { return header_; }
  Place first() const { return header_.base + FileHeader::kSize; }
  /// Behind its last byte.
  Place end() const { return header_.base + size_; }
  const std::filesystem::path& path() const { return path_; }

  /// The frame's tag is made here, and its bytes are the kernel's when this returns.
  Status write(Place at, const Frame& frame, Bytes record) const;
  /// At most `size` bytes from there on; fewer at the end of the file.
  Result<std::size_t> read(Place at, std::uint8_t* to, std::size_t size) const;
  Status sync() const;
  /// Nothing is in it from there on.
  Status cut(Place end);

  static std::string name_of(Place base);
  static bool is_name(const std::string& name);

 private:
  LogFile(std::filesystem::path path, int file, std::uint64_t size) : path_(std::move(path)), file_(file), size_(size) {}

  const std::filesystem::path path_;
  const int file_;
  std::uint64_t size_;
  FileHeader header_;
};

Status remove_log_file(const std::filesystem::path& path);

/// Held open, for descriptors may run out. A sync makes what has been made and removed in it so after a power cut too.
class Directory {
 public:
  static Result<Directory> open(const std::filesystem::path& path);
  Directory() = default;
  Directory(Directory&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  Directory& operator=(Directory&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  ~Directory();
  Status sync() const;

 private:
  int file_ = -1;
};

/// Tells one run of the machine from the next.
std::uint64_t this_boot();

/// Walks over the frames of one file. One thread.
class FrameReader {
 public:
  FrameReader(std::shared_ptr<const LogFile> file, Place at) : file_(std::move(file)), at_(at) {}

  struct Found {
    Frame frame;
    Bytes record;  ///< Valid until the next call.
  };
  Place at() const { return at_; }
  const LogFile& file() const { return *file_; }
  /// The frame that begins here; nullopt where none does.
  Result<std::optional<Found>> read();
  void step_over(const Frame& frame) { at_ += frame.room; }
  /// Moves on to where the next one begins; false at the end of the file.
  Result<bool> find_next();
  /// What has been read ahead may have been written meanwhile.
  void forget() { window_.clear(); }

 private:
  /// So many bytes from `at` on, fewer at the end of the file.
  Result<Bytes> bytes(Place at, std::size_t size);

  std::shared_ptr<const LogFile> file_;
  Place at_;
  Place window_begin_ = 0;
  bson::Buffer window_;
};

}  // namespace partita::shards
