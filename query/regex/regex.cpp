// SPDX-License-Identifier: GPL-3.0-or-later
// PCRE2 counts the steps that it takes from one place of the text on, and begins to count anew at the next place. To bound
// the whole, the steps that a first search allows at each place are few where the text is long. Should some place need more,
// the places are divided: a sixteenth of them, sixteen times as many steps at each, so that every search costs the same, and
// there are only so many of them. Nearly all that people write ends with the first search. Measured: a search that uses up
// its steps takes 1 to 3 ms.
#include "query/regex/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <array>

#include "query/interrupt.h"

namespace partita::query {
namespace {

constexpr std::size_t kMostPattern = 32764;  ///< Bytes, as in MongoDB.
constexpr std::size_t kStepsOfMachineCode = 500'000;
constexpr std::size_t kStepsOfInterpreter = 60'000;
constexpr std::size_t kLeastSteps = 32;
constexpr int kMostSearches = 24;
constexpr std::size_t kDivision = 16;
constexpr std::uint32_t kMostHeapKiB = 16 * 1024;

Result<std::uint32_t> flags_of(std::string_view options, std::string_view who) {
  std::uint32_t flags = PCRE2_UTF | PCRE2_USE_OFFSET_LIMIT;
  for (const char option : options) {
    switch (option) {
      case 'i':
        flags |= PCRE2_CASELESS;
        break;
      case 'm':
        flags |= PCRE2_MULTILINE;
        break;
      case 's':
        flags |= PCRE2_DOTALL;
        break;
      case 'x':
        flags |= PCRE2_EXTENDED;
        break;
      case 'u':  // All of them are Unicode.
        break;
      default:
        return error(Code{51108}, who, " invalid flag in regex options: ", option);
    }
  }
  return flags;
}

std::string message_of(int code) {
  std::array<PCRE2_UCHAR, 256> text{};
  pcre2_get_error_message(code, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

struct FreeContext {
  void operator()(pcre2_compile_context* context) const { pcre2_compile_context_free(context); }
  void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
};

PCRE2_SPTR bytes_of(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

/// The next place at which a character begins.
std::size_t on_character(std::string_view text, std::size_t place) {
  while (place < text.size() && (static_cast<std::uint8_t>(text[place]) & 0xC0) == 0x80) ++place;
  return std::min(place, text.size());
}

}  // namespace

struct RegexScratch::Handles {
  std::unique_ptr<pcre2_match_data, FreeContext> data{pcre2_match_data_create(1, nullptr)};
  std::unique_ptr<pcre2_match_context, FreeContext> context{pcre2_match_context_create(nullptr)};
};

void RegexScratch::set_up() {
  if (handles_ != nullptr) return;
  handles_ = std::make_unique<Handles>();
  pcre2_set_heap_limit(handles_->context.get(), kMostHeapKiB);
}

RegexScratch::RegexScratch() = default;
RegexScratch::~RegexScratch() = default;
RegexScratch::RegexScratch(RegexScratch&&) noexcept = default;
RegexScratch& RegexScratch::operator=(RegexScratch&&) noexcept = default;

void Regex::Free::operator()(pcre2_real_code_8* code) const { pcre2_code_free(code); }

Result<Regex> Regex::compile(std::string_view pattern, std::string_view options, RegexUse use, std::string_view who) {
  TRY(const std::uint32_t flags, flags_of(options, who));
  const std::unique_ptr<pcre2_compile_context, FreeContext> context(pcre2_compile_context_create(nullptr));
  pcre2_set_max_pattern_length(context.get(), kMostPattern);
  int problem = 0;
  PCRE2_SIZE place = 0;
  Regex regex(pcre2_compile(bytes_of(pattern), pattern.size(), flags, &problem, &place, context.get()));
  if (regex.code_ == nullptr) return error(Code{51091}, "Regular expression is invalid: ", message_of(problem));
  // Where it cannot be translated it is interpreted.
  const bool translated = use == RegexUse::kOften && pcre2_jit_compile(regex.code_.get(), PCRE2_JIT_COMPLETE) == 0;
  regex.steps_ = translated ? kStepsOfMachineCode : kStepsOfInterpreter;
  regex.searches_onwards_ = pattern.find("\\G") == std::string_view::npos;
  return regex;
}

/// Looks for a match that begins at one of so many places from `from` on.
int Regex::search(std::string_view text, std::size_t from, std::size_t starts, RegexScratch& scratch) const {
  RegexScratch::Handles& handles = *scratch.handles_;
  // To go once over the whole text is always allowed.
  const std::size_t whole = starts == 1 && steps_ == kStepsOfMachineCode ? text.size() : 0;
  pcre2_set_match_limit(handles.context.get(), static_cast<std::uint32_t>(std::max(steps_ / starts, kLeastSteps) + whole));
  pcre2_set_offset_limit(handles.context.get(), from + starts - 1);
  // The text has been validated when it came in.
  const std::uint32_t options = PCRE2_NO_UTF_CHECK;
  auto run = [&](std::uint32_t more) {
    return pcre2_match(code_.get(), bytes_of(text), text.size(), from, options | more, handles.data.get(),
                       handles.context.get());
  };
  const int found = run(0);
  if (found != PCRE2_ERROR_JIT_STACKLIMIT) return found;
  pcre2_set_match_limit(handles.context.get(), kStepsOfInterpreter);
  return run(PCRE2_NO_JIT);
}

/// After a search over the whole has met a place that needs more steps.
int Regex::search_patiently(std::string_view text, std::size_t from, RegexScratch& scratch) const {
  std::size_t starts = text.size() - from + 1;
  for (int searches = 0; searches < kMostSearches && searches_onwards_; ++searches) {
    if (!Interrupt::pass(Interrupt::kSteps).ok()) break;
    starts = std::max<std::size_t>(starts / kDivision, 1);
    const int found = search(text, from, starts, scratch);
    if (found == PCRE2_ERROR_MATCHLIMIT) continue;
    if (found != PCRE2_ERROR_NOMATCH || from + starts > text.size()) return found;
    from = on_character(text, from + starts);
    starts *= kDivision;  // The same number again.
  }
  return PCRE2_ERROR_MATCHLIMIT;
}

int Regex::search_bounded(std::string_view text, std::size_t from, RegexScratch& scratch) const {
  scratch.set_up();
  const int found = search(text, from, text.size() - from + 1, scratch);
  return found == PCRE2_ERROR_MATCHLIMIT ? search_patiently(text, from, scratch) : found;
}

namespace {

/// What a search over so many bytes has come to.
Result<bool> told(int found, std::size_t bytes) {
  constexpr std::size_t kBytesOfStep = 256;  // A text is gone over fast, but there may be many searches.
  CHECK_OK(Interrupt::pass(static_cast<std::int64_t>(1 + bytes / kBytesOfStep)));
  if (found >= 0) return true;
  if (found == PCRE2_ERROR_NOMATCH) return false;
  return error(Code{51156}, "Error occurred while executing the regular expression. Result code: ", found, ": ",
               message_of(found));
}

}  // namespace

Result<bool> Regex::matches(std::string_view text, RegexScratch& scratch) const {
  return told(search_bounded(text, 0, scratch), text.size());
}

Result<bool> Regex::find(std::string_view text, std::size_t from, RegexScratch& scratch, std::vector<Span>& spans) const {
  std::uint32_t groups = 0;
  pcre2_pattern_info(code_.get(), PCRE2_INFO_CAPTURECOUNT, &groups);
  scratch.set_up();
  if (pcre2_get_ovector_count(scratch.handles_->data.get()) <= groups)
    scratch.handles_->data.reset(pcre2_match_data_create(groups + 1, nullptr));
  TRY(const bool found, told(search_bounded(text, from, scratch), text.size() - from));
  spans.assign(groups + 1, Span());
  if (!found) return false;
  const PCRE2_SIZE* const places = pcre2_get_ovector_pointer(scratch.handles_->data.get());
  for (std::size_t i = 0; i <= groups; ++i)
    if (places[2 * i] != PCRE2_UNSET) spans[i] = {places[2 * i], places[2 * i + 1]};
  return true;
}

}  // namespace partita::query
