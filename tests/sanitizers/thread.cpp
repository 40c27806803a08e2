// SPDX-License-Identifier: GPL-3.0-or-later
//
// What ThreadSanitizer is told, in every program of the preset `tsan`, the server included.
//
// It sees accesses only in code compiled for it. WiredTiger is not: its atomics and spinlocks are unseen, so what they order
// looks unordered, while the calls it makes into libc (memcpy, free, pwrite) are seen. A report with a frame of the engine in
// it therefore says nothing. Races between our own threads are still found, also those around calls of the engine, since
// what they share is ours.

#if defined(__SANITIZE_THREAD__)

// NOLINTBEGIN: the names by which the library finds them.
extern "C" const char* __tsan_default_options() {
  // A history long enough that both sides of a race have their stacks; the exit code tells a report from a failed test.
  return "history_size=4:second_deadlock_stack=1:exitcode=66";
}

extern "C" const char* __tsan_default_suppressions() {
  return
      // Buffers that one thread fills by memcpy and another writes, copies or frees under a lock of the engine's own.
      "race:^__wt_\n"
      // The static functions of the same sources, by the file that their debugging information names.
      "race:wiredtiger-11.3.1/src/\n";
}
// NOLINTEND

#endif
