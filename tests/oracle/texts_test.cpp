// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "query/text/query.h"
#include "shards/catalog/text_definition.h"
#include "tests/oracle/oracle.h"
#include "tests/support/random.h"
#include "wire/bson/json.h"

// Does mongod find the same documents by their words as we do, with the same scores? Texts are made of words that are in no
// list of stop words, theirs or ours.
namespace partita::test {
namespace {

using bson::Document;
using bson::Writer;

constexpr std::string_view kCollection = "texts";

class RandomTexts {
 public:
  explicit RandomTexts(std::uint64_t seed) : random_(seed) {}
  Random& random() { return random_; }

  std::string_view word() {
    static constexpr std::string_view kWords[] = {
        "apple", "Apples", "APPLE", "running", "runner", "runs", "Café", "cafés", "cafe", "crème", "creme", "naïve", "señor", "tables",
        "table", "Übung", "übungen", "maison", "maisons", "niño", "niñas", "straße", "wordless", "clock", "dogs", "x86",
        "snake_case", "42", "3.14", "κόσμος", "ΚΟΣΜΟΣ", "мир", "Миры", "ışık", "IŞIK", "日本語", "𝒳yz", "electricity", "Electrical"};
    return kWords[random_.below(std::size(kWords))];
  }
  std::string text(std::size_t most) {
    static constexpr std::string_view kBetween[] = {" ", " ", " ", " ", ", ", "-", ". ", "\t", "\n", " – ", "/", "«", "^"};
    std::string made;
    for (std::size_t words = 1 + random_.below(most); words > 0; --words) {
      made += word();
      if (words > 1) made += kBetween[random_.below(std::size(kBetween))];
    }
    return made;
  }

  std::string_view language() {
    static constexpr std::string_view kLanguages[] = {"english", "french", "german", "spanish", "none", "turkish", "EN"};
    return kLanguages[random_.below(std::size(kLanguages))];
  }

  std::string search() {
    std::string made;
    for (std::size_t parts = 1 + random_.below(3); parts > 0; --parts) {
      if (random_.one_in(5)) made += '-';
      if (random_.one_in(4)) {
        made += '"' + text(2) + '"';
      } else {
        made += word();
      }
      if (!random_.one_in(10)) made += ' ';
    }
    return made;
  }

  Document document(std::int32_t id) {
    return Document::build([&](Writer& w) {
      w.add("_id", id);
      if (random_.one_in(5)) w.add("language", language());
      if (!random_.one_in(4)) w.add("a", text(6));
      if (random_.one_in(2)) add_list(w);
      if (random_.one_in(2)) add_object(w);
      if (random_.one_in(4)) w.add("n", id);
    });
  }

  /// Options of an index.
  Document definition() {
    return Document::build([&](Writer& w) {
      const bool wildcard = random_.one_in(3);
      {
        Writer key = w.document("key");
        if (random_.one_in(4)) key.add("n", 1);
        if (wildcard) key.add("$**", "text");
        else key.add("a", "text");
        if (random_.one_in(2)) key.add("b.c", "text");
      }
      w.add("name", "words");
      if (random_.one_in(2)) {
        Writer weights = w.document("weights");
        weights.add("a", static_cast<std::int32_t>(1 + random_.below(20)));
        weights.add("l", static_cast<std::int32_t>(1 + random_.below(20)));
      }
      w.add("default_language", language());
    });
  }

 private:
  void add_list(Writer& w) {
    bson::ArrayWriter list = w.array("l");
    for (std::size_t i = random_.below(4); i > 0; --i) {
      if (random_.one_in(5)) {
        list.array().push(text(2));
      } else {
        list.push(text(3));
      }
    }
  }
  void add_object(Writer& w) {
    Writer object = w.document("b");
    if (random_.one_in(3)) object.add("language", language());
    object.add("c", text(4));
    object.add("d", text(2));
  }

  Random random_;
};

class TextsOracle : public testing::TestWithParam<std::uint64_t> {
 protected:
  void SetUp() override {
    if (Oracle::get() == nullptr) GTEST_SKIP() << Oracle::why_not();
  }
};

void make_index(const Document& definition) {
  const Document reply = Oracle::get()->run(Document::build([&](Writer& w) {
    w.add("createIndexes", kCollection);
    w.array("indexes").push(definition.view());
  }).view());
  ASSERT_EQ(reply["ok"].to_double(), 1) << bson::to_json(reply);
}

Document shown(std::int32_t id, double score) {
  return Document::build([&](Writer& w) {
    w.add("_id", id);
    w.add("s", score);
  });
}

std::string theirs(bson::View operand, bool by_null) {
  const Document command = Document::build([&](Writer& w) {
    w.add("find", kCollection);
    {
      Writer filter = w.document("filter");
      filter.add("$text", operand);
      if (by_null) filter.null("n");
    }
    {
      Writer projection = w.document("projection");
      projection.add("_id", 1);
      Writer(projection.document("s")).add("$meta", "textScore");
    }
    Writer(w.document("sort")).add("_id", 1);
    w.add("batchSize", 10000);
  });
  std::string found;
  for (const Document& row : Oracle::get()->query(command.view())) found += bson::to_json(row) + "\n";
  return found;
}

std::string ours(const query::text::Query& query, const std::vector<Document>& documents, bool by_null) {
  std::string found;
  for (const Document& document : documents) {
    if (by_null && document.view().has("n")) continue;
    if (query.matches(document, false)) found += bson::to_json(shown(document["_id"].as_int32(), query.score(document))) + "\n";
  }
  return found;
}

/// The document of the first line that is in one answer only.
std::string first_difference(const std::string& a, const std::string& b, const std::vector<Document>& documents) {
  for (const Document& document : documents) {
    const std::string id = "{\"_id\":" + std::to_string(document["_id"].as_int32()) + ",";
    const auto line = [&](const std::string& answer) {
      const std::size_t at = answer.find(id);
      return at == std::string::npos ? std::string() : answer.substr(at, answer.find('\n', at) - at);
    };
    if (line(a) != line(b)) return "\n" + bson::to_json(document);
  }
  return "";
}

TEST_P(TextsOracle, AreFoundAlike) {
  RandomTexts texts(GetParam());
  int found_some = 0;
  constexpr int kRounds = 600;
  std::vector<Document> documents;
  std::shared_ptr<const query::text::Spec> spec;
  bool by_null = false;
  for (int round = 0; round < kRounds; ++round) {
    if (round % 60 == 0) {
      const Document definition = texts.definition();
      documents.clear();
      for (std::int32_t id = 0; id < 80; ++id) documents.push_back(texts.document(id));
      Oracle::get()->fill(kCollection.data(), documents);
      make_index(definition);
      const auto settled = shards::text_definition(definition);
      ASSERT_TRUE(settled.ok()) << settled.status().message();
      auto parsed = query::text::Spec::parse(settled->view());
      ASSERT_TRUE(parsed.ok());
      spec = std::make_shared<const query::text::Spec>(std::move(*parsed));
      by_null = definition["key"].as_document().has("n");
    }
    const std::string words = texts.search();
    Random& random = texts.random();
    const Document operand = Document::build([&](Writer& w) {
      w.add("$search", words);
      if (random.one_in(4)) w.add("$language", texts.language());
      if (random.one_in(6)) w.add("$caseSensitive", true);
      if (random.one_in(6)) w.add("$diacriticSensitive", true);
    });
    const auto search = query::text::Search::parse(bson::Value::of(operand.view()));
    ASSERT_TRUE(search.ok());
    const auto query = query::text::Query::make(*search, spec);
    ASSERT_TRUE(query.ok());
    const std::string answer = theirs(operand, by_null);
    found_some += answer.empty() ? 0 : 1;
    const std::string found = ours(**query, documents, by_null);
    ASSERT_EQ(answer, found) << "round " << round << ": " << bson::to_json(operand) << first_difference(answer, found, documents);
  }
  EXPECT_GT(found_some, kRounds / 3);
}

INSTANTIATE_TEST_SUITE_P(Seeds, TextsOracle, seeds(4));

}  // namespace
}  // namespace partita::test
