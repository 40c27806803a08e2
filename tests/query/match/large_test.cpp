// SPDX-License-Identifier: GPL-3.0-or-later
// Filters as large as a message may be, and patterns that would take years.
#include <gtest/gtest.h>

#include <chrono>

#include "query/match/matcher.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Document;

double milliseconds_of(const auto& action) {
  const auto begin = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

/// A sanitizer makes everything some times slower.
constexpr double kPatience = 20;

Document in_list(std::int32_t count, bool texts) {
  return Document::build([&](bson::Writer& out) {
    bson::Writer field = out.document("a");
    bson::ArrayWriter list = field.array("$in");
    for (std::int32_t i = 0; i < count; ++i) {
      const auto value = static_cast<std::int32_t>(static_cast<std::uint32_t>(i) * 2654435761U);
      if (texts) {
        const Document text = Document::build([&](bson::Writer& w) { w.add("", std::to_string(value)); });
        list.push(text[""]);
      } else {
        list.push(bson::Value::of(value));
      }
    }
  });
}

TEST(LargeFilters, a_million_operands_are_read_at_once) {
  for (const bool texts : {false, true}) {
    const Document filter = in_list(texts ? 500'000 : 1'000'000, texts);
    const double took = milliseconds_of([&] { ASSERT_TRUE(Matcher::parse(filter).ok()); });
    RecordProperty(texts ? "texts" : "numbers", std::to_string(took));
    EXPECT_LT(took, 100 * kPatience);
  }
}

TEST(LargeFilters, patterns_that_never_end_are_ended) {
  constexpr std::string_view kPatterns[] = {"^(x+x+)+$", "(x|x)*y|z$", "^(x*)*$", "(x+)+[yz]", ".*.*.*.*[yz]", "^(?:x?x?x?)*$"};
  for (const std::string_view pattern : kPatterns) {
    const auto filter = Document::build([&](bson::Writer& out) { out.add("a", bson::Regex{pattern, ""}); });
    const auto matcher = Matcher::parse(filter);
    ASSERT_TRUE(matcher.ok()) << pattern;
    for (const std::size_t length : {30, 3000, 300'000}) {
      const auto document = Document::build([&](bson::Writer& out) { out.add("a", std::string(length, 'x') + "!"); });
      MatchState state;
      const double took = milliseconds_of([&] { (void)matcher->matches(document, state); });
      EXPECT_LT(took, 100 * kPatience) << pattern << " " << length;
      EXPECT_TRUE(state.failure.ok() || state.failure.code() == Code{51156});
    }
  }
}

TEST(LargeFilters, many_patterns_share_their_scratch) {
  const auto filter = Document::build([&](bson::Writer& out) {
    bson::Writer field = out.document("a");
    bson::ArrayWriter list = field.array("$in");
    for (int i = 0; i < 2000; ++i) {
      const Document regex = Document::build([&](bson::Writer& w) { w.add("", bson::Regex{"^" + std::to_string(i) + "$", ""}); });
      list.push(regex[""]);
    }
  });
  const auto matcher = Matcher::parse(filter);
  ASSERT_TRUE(matcher.ok());
  MatchState state;
  for (const auto& [text, expected] : {std::pair("1999", true), std::pair("2000", false)})
    EXPECT_EQ(matcher->matches(Document::build([&](bson::Writer& out) { out.add("a", text); }), state), expected);
}

TEST(LargeFilters, elemMatch_goes_as_deep_as_documents) {
  Document filter = Document::build([](bson::Writer& out) { out.add("a", 1); });
  Document document = filter.copy();
  for (int level = 0; level < 60; ++level) {
    filter = Document::build([&](bson::Writer& out) { bson::Writer(out.document("a")).add("$elemMatch", filter.view()); });
    document = Document::build([&](bson::Writer& out) { out.array("a").push(document.view()); });
  }
  const auto matcher = Matcher::parse(filter);
  ASSERT_TRUE(matcher.ok());
  MatchState state;
  for (int again = 0; again < 2; ++again) EXPECT_TRUE(matcher->matches(document, state));
  EXPECT_EQ(state.element, 0);
}

}  // namespace
}  // namespace partita::query
