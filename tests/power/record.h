// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>

namespace partita::power {

/// What the interposed library tells of a server's files, in memory that the two processes share and that outlives either.
/// Lock-free for readers; the library writes under a lock of its own.
struct JournalFile {
  std::atomic<std::uint64_t> inode;    ///< 0: not in use.
  std::atomic<std::uint64_t> written;  ///< Bytes from the start up to the end of the furthest write that has returned.
  std::atomic<std::uint64_t> synced;   ///< The same, as of the beginning of the last sync that has returned.
};

struct Record {
  static constexpr int kJournalFiles = 1024;

  std::atomic<std::uint64_t> sync_delay_us;    ///< Set by the test: how much longer every sync of the journal takes.
  std::atomic<std::uint64_t> journal_syncs;    ///< That have returned.
  std::atomic<std::uint64_t> syncs_on_io;      ///< Syncs of any file on a thread that serves connections.
  std::atomic<std::uint64_t> longest_sync_us;  ///< Of the journal.
  std::atomic<std::uint64_t> sync_begun_us;    ///< When the sync of the journal that is under way has; 0: none is.
  std::atomic<std::uint64_t> failures;         ///< Of the library itself: the image is not to be trusted.
  JournalFile journal[kJournalFiles];
};

// Where the library finds what it needs.
constexpr const char* kDatabaseVariable = "PARTITA_POWER_DATABASE";  ///< The data directory.
constexpr const char* kImageVariable = "PARTITA_POWER_IMAGE";        ///< Gets its files as they were at their last sync.
constexpr const char* kRecordVariable = "PARTITA_POWER_RECORD";      ///< A file of the size of Record.

}  // namespace partita::power
