// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "wire/bson/view.h"

namespace partita::query {

/// The names of top-level fields that somebody asks for, one or the other, again and again. They are somebody else's.
class PassedNames {
 public:
  static constexpr std::size_t kMost = 8;

  /// The name's place; nullopt when there is no room left.
  std::optional<std::size_t> add(std::string_view name);
  std::size_t size() const { return names_.size(); }

 private:
  friend class FieldPass;
  static constexpr std::size_t kLengths = 32;
  static constexpr std::int8_t kNone = -1;
  struct Name {
    std::string_view text;
    std::int8_t next;  ///< Of those of about the same length.
  };
  std::vector<Name> names_;
  std::array<std::int8_t, kLengths> first_ = no_names();  ///< By length: most fields are passed over by this alone.

  static std::array<std::int8_t, kLengths> no_names() {
    std::array<std::int8_t, kLengths> none;
    none.fill(kNone);
    return none;
  }
};

/// Finds them in one pass over a document, which goes no further than what has been asked for: what lies before is known
/// then. Used again for the next document; the first field of a name counts. One thread.
class FieldPass {
 public:
  void start(bson::View document) {
    at_ = document.data() + 4;
    end_ = document.data() + document.size();
    found_ = 0;
  }
  bson::Value find(const PassedNames& names, std::size_t place) {
    if ((found_ >> place & 1) != 0 || walk(names, place)) return values_[place];
    return {};
  }

 private:
  bool walk(const PassedNames& names, std::size_t place);

  const std::uint8_t* at_ = nullptr;
  const std::uint8_t* end_ = nullptr;
  std::uint32_t found_ = 0;
  std::array<bson::Value, PassedNames::kMost> values_;
};

}  // namespace partita::query
