// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>

#include "query/match/matcher.h"
#include "query/projection/projection.h"
#include "tests/oracle/oracle.h"
#include "tests/support/random_nested.h"
#include "wire/bson/json.h"

// Does mongod show documents as our projections do, byte for byte, and refuse the same ones? Random projections, by a
// random filter, of random documents full of arrays.
namespace partita::test {
namespace {

using bson::Document;
using bson::View;
using bson::Writer;

constexpr std::string_view kCollection = "projected";
constexpr std::int32_t kDocuments = 25;
/// What is no $slice of find is tried as the expression of that name, which is another test's.
constexpr std::int64_t kSliceArity = 28667;
constexpr std::int64_t kSliceOfNoArray = 28724;

std::string path_of(Random& random) {
  static constexpr std::string_view kNames[] = {"a", "b", "0"};
  std::string path(random.one_in(2) ? "a" : "b");
  for (auto parts = random.below(3); parts > 0; --parts) path += "." + std::string(random.pick(kNames));
  return path;
}

std::int32_t small(Random& random) { return static_cast<std::int32_t>(random.below(7)) - 3; }

void add_slice(Writer& writer, std::string_view path, Random& random) {
  Writer slice = writer.document(path);
  if (random.one_in(2)) return slice.add("$slice", small(random));
  bson::ArrayWriter pair = slice.array("$slice");
  pair.push(small(random));
  pair.push(static_cast<std::int32_t>(1 + random.below(3)));
}

void add_element_match(Writer& writer, std::string_view path, Random& random) {
  Writer outer = writer.document(path);
  Writer match = outer.document("$elemMatch");
  if (random.one_in(2)) return match.add("$gt", small(random));
  if (random.one_in(2)) return Writer(match.document(path_of(random))).add("$gte", small(random));
  match.add(path_of(random), small(random));
}

void add_computed(Writer& writer, std::string_view path, Random& random) {
  switch (random.below(4)) {
    case 0:
      return writer.add(path, "$" + path_of(random));
    case 1:
      return writer.add(path, "text");
    case 2:
      return writer.null(path);
    default:
      return Writer(writer.document(path)).add("$literal", small(random));
  }
}

void add_nested_projection(Writer& writer, std::string_view path, Random& random, bool keep) {
  Writer inner = writer.document(path);
  inner.add(random.one_in(2) ? "a" : "b", keep ? 1 : 0);
  if (random.one_in(4)) add_slice(inner, "0", random);
}

/// Mostly of one kind, so that it is mostly taken. A longer path to the element that matched stands alone: where it leads
/// through what is no document, MongoDB goes on with its next name in the document around, and may find another field.
Document random_projection(Random& random) {
  const bool keeps = random.one_in(2);
  return Document::build([&](Writer& w) {
    if (random.one_in(4)) w.add("_id", random.one_in(2));
    const auto most = 1 + random.below(3);
    for (auto fields = most; fields > 0; --fields) {
      const bool alone = fields == most && random.one_in(2);
      const std::string path = path_of(random);
      const bool keep = random.one_in(20) ? !keeps : keeps;
      switch (random.below(9)) {
        case 0:
          add_slice(w, path, random);
          break;
        case 1:
          add_element_match(w, random.one_in(8) ? std::string_view(path) : std::string_view(path).substr(0, 1), random);
          break;
        case 2:
          w.add((alone ? path : path.substr(0, 1)) + ".$", keep);
          if (alone) return;
          break;
        case 3:
          if (keeps || random.one_in(6)) add_computed(w, path, random);
          break;
        case 4:
          add_nested_projection(w, path, random, keep);
          break;
        default:
          w.add(path, keep);
      }
    }
  });
}

Document random_filter(Random& random) {
  return Document::build([&](Writer& w) {
    const std::string path = path_of(random);
    switch (random.below(4)) {
      case 0:
        return w.add(path, static_cast<std::int32_t>(random.below(10)));
      case 1:
        return Writer(w.document(path)).add("$gte", static_cast<std::int32_t>(random.below(6)));
      case 2:
        return add_element_match(w, path, random);
      default:
        return;
    }
  });
}

struct Answer {
  std::int64_t code = 0;  ///< 0: taken.
  std::vector<Document> documents;
};

Document find(View filter, View projection) {
  return Document::build([&](Writer& w) {
    w.add("find", kCollection);
    w.add("filter", filter);
    w.add("projection", projection);
    Writer(w.document("sort")).add("_id", 1);
  });
}

Answer ask_mongod(View filter, View projection) {
  const Document command = find(filter, projection);
  const Document reply = Oracle::get()->run(command);
  if (reply["ok"].to_double() != 1) return {.code = reply["code"].exact_int64().value_or(-1), .documents = {}};
  return {.documents = Oracle::get()->query(command)};
}

Status project_all(const std::vector<Document>& documents, View filter, View spec, std::vector<Document>& out) {
  TRY(const query::Matcher matcher, query::Matcher::parse(filter));
  TRY(const query::Projection projection, query::Projection::parse_for_find(spec));
  for (const Document& document : documents) {
    query::MatchState state;
    if (!matcher.matches(document.view(), state)) continue;
    query::Arena arena;
    bson::Buffer bytes;
    Writer writer(bytes);
    CHECK_OK(projection.apply({document.view(), state.element}, writer, arena));
    writer.close();
    out.emplace_back(View::trusted(bytes.data()));
  }
  return {};
}

Answer ask_ours(const std::vector<Document>& documents, View filter, View spec) {
  Answer answer;
  const Status status = project_all(documents, filter, spec, answer.documents);
  answer.code = status.ok() ? 0 : static_cast<std::int64_t>(status.code());
  return answer;
}

/// Of documents whose answers differ, one that does so by itself.
std::string culprit(const std::vector<Document>& documents, View filter, View spec) {
  for (const Document& document : documents) {
    std::vector<Document> alone;
    alone.emplace_back(document.view());
    Oracle::get()->fill(kCollection.data(), alone);
    const std::int64_t theirs = ask_mongod(filter, spec).code;
    const std::int64_t ours = ask_ours(alone, filter, spec).code;
    if (theirs != ours) return "\n" + bson::to_json(document) + ": " + std::to_string(theirs) + ", ours " + std::to_string(ours);
  }
  return "";
}

void expect_same(const Answer& theirs, const Answer& ours, const std::string& what) {
  ASSERT_EQ(theirs.code, ours.code) << what;
  if (theirs.code != 0) return;
  ASSERT_EQ(theirs.documents.size(), ours.documents.size()) << what;
  for (std::size_t i = 0; i < ours.documents.size(); ++i) {
    ASSERT_TRUE(theirs.documents[i].view() == ours.documents[i].view())
        << what << "\nmongod: " << bson::to_json(theirs.documents[i]) << "\nours:   " << bson::to_json(ours.documents[i]);
  }
}

class ProjectionsOracle : public testing::TestWithParam<std::uint64_t> {
 protected:
  void SetUp() override {
    if (Oracle::get() == nullptr) GTEST_SKIP() << Oracle::why_not();
  }
  static std::vector<Document> fill(Random& random) {
    std::vector<Document> documents;
    for (std::int32_t id = 0; id < kDocuments; ++id) {
      documents.push_back(Document::build([&](Writer& w) {
        w.add("_id", id);
        if (!random.one_in(8)) add_nested(w, "a", random, 4);
        if (random.one_in(2)) add_nested(w, "b", random, 3);
      }));
    }
    Oracle::get()->fill(kCollection.data(), documents);
    return documents;
  }
};

TEST_P(ProjectionsOracle, ShowAndRefuseTheSame) {
  Random random(GetParam());
  int taken = 0;
  int refused = 0;
  for (int round = 0; round < 20; ++round) {
    const std::vector<Document> documents = fill(random);
    for (int i = 0; i < 60; ++i) {
      const Document projection = random_projection(random);
      const Document filter = random_filter(random);
      const Answer theirs = ask_mongod(filter, projection);
      if (theirs.code == kSliceArity || theirs.code == kSliceOfNoArray) continue;
      (theirs.code == 0 ? taken : refused)++;
      const std::string what = "seed " + std::to_string(GetParam()) + ": " + bson::to_json(projection) + " by " + bson::to_json(filter);
      const Answer ours = ask_ours(documents, filter, projection);
      expect_same(theirs, ours, theirs.code == ours.code ? what : what + culprit(documents, filter, projection));
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(taken, 300);
  EXPECT_GT(refused, 100);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ProjectionsOracle, seeds(6));

}  // namespace
}  // namespace partita::test
