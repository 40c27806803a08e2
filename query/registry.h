// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cassert>
#include <map>
#include <string_view>

namespace partita::query {

/// One line of documentation that is also a test: `code` applied to `given` yields `expected`. All three are relaxed
/// JSON; an expected failure is written "error 14". What `given` is depends on the kind of entry: a document for filters,
/// expressions and updates, an array of documents for stages and accumulators.
struct Example {
  std::string_view code;
  std::string_view given;
  std::string_view expected;
};

/// All entries of one kind (operators, stages...), by name. Filled before main() by the files that define them and only
/// read afterwards, hence safe from any thread. Parsers, reference pages and tests all look here.
template <class Entry>
class Registry {
 public:
  static const Entry* find(std::string_view name) {
    const auto found = entries().find(name);
    return found == entries().end() ? nullptr : &found->second;
  }
  static const std::map<std::string_view, Entry>& all() { return entries(); }

  static void add(const Entry& entry) {
    [[maybe_unused]] const bool added = entries().emplace(entry.name, entry).second;
    assert(added && "two entries of one name");
  }

 private:
  static std::map<std::string_view, Entry>& entries() {
    static std::map<std::string_view, Entry> all;
    return all;
  }
};

/// `const Register kLimit{{.name = "$limit", ...}};` at the end of a file puts its entry into the registry.
template <class Entry>
struct RegisterEntry {
  RegisterEntry(const Entry& entry) { Registry<Entry>::add(entry); }  // NOLINT: reads as a declaration at its use.
};

}  // namespace partita::query
