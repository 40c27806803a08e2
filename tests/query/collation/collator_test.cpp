// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/collation/collator.h"

#include <gtest/gtest.h>

#include <thread>

#include "query/collation/locales.h"
#include "query/keys/encode.h"
#include "tests/support/random_collation.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Document;
using bson::Value;
using test::Random;

Collation collation(std::string_view json) { return Collator::make(bson::parse_json(json).value()).value(); }

std::string key_of(Value value, const Collation& collation, keys::Direction direction = keys::Direction::kAscending) {
  bson::Buffer key;
  keys::encode(value, direction, key, nullptr, collation.get());
  return std::string(key.text());
}

TEST(Collator, ShowsEveryOption) {
  EXPECT_EQ(bson::to_json(collation("{locale: 'fr_CA', strength: 2.9, caseFirst: null}")->spec()),
            R"({"locale":"fr_CA","caseLevel":false,"caseFirst":"off","strength":2,"numericOrdering":false,)"
            R"("alternate":"non-ignorable","maxVariable":"punct","normalization":false,"backwards":true,"version":"57.1"})");
  EXPECT_EQ(collation("{locale: 'simple', strength: 1}"), nullptr);
}

// What a locale has of its own counts for a query, and not for a collection that says nothing of it.
TEST(Collator, OfACollectionHasTheUsualOptions) {
  const Document danish = bson::parse_json("{locale: 'da'}").value();
  EXPECT_EQ(Collator::make(danish).value()->spec()["caseFirst"].as_string(), "upper");
  EXPECT_EQ(Collator::make_default(danish, "create.collation").value()->spec()["caseFirst"].as_string(), "off");
}

TEST(Collator, SaysWhatItDoesNotTake) {
  const auto refusal = [](std::string_view json) { return std::string(Collator::make(bson::parse_json(json).value()).status().message()); };
  EXPECT_EQ(refusal("{locale: 'fr_FR'}"), "Field 'locale' is invalid in: { locale: \"fr_FR\" }. Did you mean 'fr'?");
  EXPECT_EQ(refusal("{locale: 'de__PHONEBOOK'}"), "Field 'locale' is invalid in: { locale: \"de__PHONEBOOK\" }. Did you mean 'de'?");
  EXPECT_EQ(refusal("{locale: 'no'}"), "Field 'locale' is invalid in: { locale: \"no\" }");
  EXPECT_EQ(refusal("{locale: 'en', strength: 6}"), "BSON field 'strength' value must be <= 5, actual value '6'");
  EXPECT_EQ(refusal("{locale: 'en', a: 1}"), "BSON field 'collation.a' is an unknown field.");
  EXPECT_EQ(refusal("{locale: 'en', strength: 1, strength: 1}"), "BSON field 'collation.strength' is a duplicate field");
}

// ICU takes any name: one that it knows nothing of would compare as others do, and only its data tells.
TEST(Collator, KnownLocalesAreOpened) {
  for (const std::string name : {"af", "de@collation=phonebook", "en_US_POSIX", "nb", "sv@collation=standard", "zh@collation=stroke", "zh_Hant", "zu"}) {
    EXPECT_TRUE(is_known_locale(name)) << name;
    const Document spec = Document::build([&](bson::Writer& out) { out.add("locale", name); });
    EXPECT_TRUE(Collator::make(spec).ok()) << name;
  }
  for (const std::string_view name : {"", "xx", "en_GB", "yue", "en@", "en@collation=", "en@collation=emoji eor", "@collation=eor", "en@collation=stroke"}) {
    EXPECT_FALSE(is_known_locale(name)) << name;
  }
}

TEST(Collator, ComparesByItsOptions) {
  EXPECT_TRUE(collation("{locale: 'en', strength: 2}")->compare("a", "A") == 0);
  EXPECT_TRUE(collation("{locale: 'en', strength: 2}")->compare("a", "\u00e4") < 0);
  EXPECT_TRUE(collation("{locale: 'en', strength: 1}")->compare("a", "\u00e4") == 0);
  EXPECT_TRUE(collation("{locale: 'en', numericOrdering: true}")->compare("a10", "a9") > 0);
  EXPECT_TRUE(collation("{locale: 'en', alternate: 'shifted'}")->compare("a-b", "ab") == 0);
  EXPECT_TRUE(collation("{locale: 'en'}")->compare("", "a") < 0);
}

// The bytes of a key are in the order of the texts, whatever they are: empty, long, not in Unicode at all.
TEST(Collator, KeysAreInItsOrder) {
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    const Collation collation = Collator::make(test::random_collation(random)).value();
    std::vector<Document> texts;
    for (int i = 0; i < 20; ++i) {
      std::string text;
      const std::size_t length = random.one_in(20) ? 700 : random.below(5);
      while (text.size() < length) text += random.pick(test::kCollatedPieces);
      if (random.one_in(10)) text += '\xFF';
      texts.push_back(Document::build([&](bson::Writer& out) {
        bson::Writer nested = out.document("v");
        nested.add("t", text);
        nested.add("n", 1);
      }));
    }
    for (const Document& a : texts) {
      for (const Document& b : texts) {
        const auto order = bson::compare(a["v"], b["v"], collation.get());
        EXPECT_EQ(order < 0, key_of(a["v"], collation) < key_of(b["v"], collation));
        EXPECT_EQ(order == 0, key_of(a["v"], collation) == key_of(b["v"], collation)) << bson::to_json(a) << bson::to_json(b);
        EXPECT_EQ(order < 0, key_of(a["v"], collation, keys::Direction::kDescending) > key_of(b["v"], collation, keys::Direction::kDescending));
        const Value text = a["v"].as_document()["t"];
        EXPECT_EQ(keys::encoded_size({reinterpret_cast<const std::uint8_t*>(key_of(text, collation).data()), key_of(text, collation).size()}),
                  key_of(text, collation).size());
      }
    }
  }
}

TEST(Collator, IsUsedByManyThreads) {
  const Collation shared = collation("{locale: 'en', strength: 2, numericOrdering: true}");
  const std::string expected = [&] {
    bson::Buffer key;
    shared->append_sort_key("Abc 123", key);
    return std::string(key.text());
  }();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 2000; ++round) {
        bson::Buffer key;
        shared->append_sort_key("aBC 123", key);
        EXPECT_EQ(key.text(), expected);
        EXPECT_TRUE(shared->compare("a10", "A9") > 0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace partita::query
