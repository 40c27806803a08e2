// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "wire/error/status.h"

// PCRE2 is seen by regex.cpp alone.
struct pcre2_real_code_8;
struct pcre2_real_match_data_8;
struct pcre2_real_match_context_8;

namespace partita::query {

/// What matching needs and may forget: one for each scan, used by one thread and by any number of Regex. Costs nothing until
/// the first match.
class RegexScratch {
 public:
  RegexScratch();
  ~RegexScratch();
  RegexScratch(RegexScratch&&) noexcept;
  RegexScratch& operator=(RegexScratch&&) noexcept;

 private:
  friend class Regex;
  void set_up();
  struct Handles;
  std::unique_ptr<Handles> handles_;
};

/// Whether a pattern is worth translating into machine code: a scan is, one of thousands in a list is not.
enum class RegexUse : std::uint8_t { kOften, kSeldom };

/// A regular expression of PCRE2 over UTF-8, compiled once. Immutable: any thread may match with it.
class Regex {
 public:
  /// `options` are of i, m, s, u and x, as MongoDB takes them. `who` stands before its complaints.
  static Result<Regex> compile(std::string_view pattern, std::string_view options, RegexUse use = RegexUse::kOften,
                               std::string_view who = "");

  /// Whether it matches anywhere in the text, which is valid UTF-8 (zeros included). Some patterns would take years on some
  /// texts: those end with a failure, after some hundredths of a second.
  Result<bool> matches(std::string_view text, RegexScratch& scratch) const;

  /// Where a part of the text begins and ends; kNowhere twice for a group that took no part in the match.
  struct Span {
    static constexpr std::size_t kNowhere = SIZE_MAX;
    std::size_t begin = kNowhere;
    std::size_t end = kNowhere;
  };
  /// The first match from `from` on, where a character begins: `spans` are the whole and its groups. Bounded like matches().
  Result<bool> find(std::string_view text, std::size_t from, RegexScratch& scratch, std::vector<Span>& spans) const;

 private:
  struct Free {
    void operator()(pcre2_real_code_8* code) const;
  };
  explicit Regex(pcre2_real_code_8* code) : code_(code) {}

  int search(std::string_view text, std::size_t from, std::size_t starts, RegexScratch& scratch) const;
  int search_patiently(std::string_view text, std::size_t from, RegexScratch& scratch) const;
  int search_bounded(std::string_view text, std::size_t from, RegexScratch& scratch) const;

  std::unique_ptr<pcre2_real_code_8, Free> code_;
  std::size_t steps_ = 0;         // For one search.
  bool searches_onwards_ = true;  // False where the pattern asks for the place at which a search began: \G.
};

}  // namespace partita::query
