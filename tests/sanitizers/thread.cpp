// SPDX-License-Identifier: GPL-3.0-or-later
//
// What ThreadSanitizer is told, in every program of the preset `tsan`, the server included.
//
// It sees accesses only in code compiled for it. WiredTiger is not: its atomics and spinlocks are unseen, so what they order
// would look unordered, while the calls it makes into libc (memcpy, free, pwrite) are seen. So these are left out as well,
// which works by library: under this preset the engine is a shared one. Races between our own threads are found, also around
// calls of the engine, since what they share is ours.

#if defined(__SANITIZE_THREAD__)

// NOLINTBEGIN: the names by which the sanitizer finds them.
extern "C" const char* __tsan_default_options() {
  // The exit code tells a report from a failed test. Crash tests kill a forked child that has threads of its own.
  return "second_deadlock_stack=1:exitcode=66:die_after_fork=0";
}

extern "C" const char* __tsan_default_suppressions() {
  // Pages and log buffers that one thread fills and another writes out or frees, under locks of the engine's own.
  return "called_from_lib:libwiredtiger.so\n"
         // Its own threads, whose joins are then not seen either.
         "thread:__wt_thread_create\n";
}
// NOLINTEND

#endif
