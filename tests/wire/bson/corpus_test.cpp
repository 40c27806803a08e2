// SPDX-License-Identifier: GPL-3.0-or-later
//
// The BSON specification's own cases: tools/bson_corpus fetches them. Each file has documents as bytes and as extended JSON
// that must turn into one another, and bytes and texts that must be refused.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/json_spaces.h"
#include "wire/bson/base64.h"
#include "wire/bson/json.h"
#include "wire/bson/validate.h"

namespace partita::bson {
namespace {

namespace fs = std::filesystem;

fs::path corpus_folder() {
  const auto variable = [](const char* name) { return std::string(std::getenv(name) == nullptr ? "" : std::getenv(name)); };
  if (const auto cache = variable("PARTITA_CACHE"); !cache.empty()) return fs::path(cache) / "bson_corpus";
  if (const auto cache = variable("XDG_CACHE_HOME"); !cache.empty()) return fs::path(cache) / "partita/bson_corpus";
  return fs::path(variable("HOME")) / ".cache/partita/bson_corpus";
}

/// Where we take more than the specification's drivers must, and why.
bool is_taken_on_purpose(std::string_view description) {
  constexpr std::string_view kOnPurpose[] = {
      "Bad $date (number, not string or hash)",  // The older extended JSON says so, and people write it.
      "Inexact",                                 // More than 34 digits are rounded, as mongod itself rounds them.
  };
  return std::any_of(std::begin(kOnPurpose), std::end(kOnPurpose),
                     [description](std::string_view known) { return description.find(known) != std::string_view::npos; });
}

std::string_view text_of(View entry, std::string_view name) {
  const Value value = entry[name];
  return value.is_string() ? value.as_string() : std::string_view();
}

std::string bytes_of(const Document& document) {
  const auto bytes = document.view().bytes();
  return std::string(bytes.begin(), bytes.end());
}

/// A document's bytes, or the reason why the text was refused.
std::string parsed(std::string_view json) {
  const auto document = parse_json(json);
  return document.ok() ? bytes_of(*document) : document.status().message();
}

bool accepts(const std::string& bytes) {
  const auto document = validate({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  return document.ok() && document->size() == bytes.size();
}

/// JSON leaves these open: which characters are escaped, and how a double's digits are laid out.
bool is_spelled_otherwise(std::string_view json) {
  constexpr std::string_view kTheirs[] = {"\\u00e9", "\\u2606", "E+18"};
  return std::any_of(std::begin(kTheirs), std::end(kTheirs),
                     [json](std::string_view theirs) { return json.find(theirs) != std::string_view::npos; });
}

class BsonCorpus : public testing::Test {
 protected:
  /// Calls `check` for each entry of the list of that name, in all files.
  template <class Check>
  void each(std::string_view list, Check check) {
    if (!fs::is_directory(corpus_folder())) GTEST_SKIP() << "no BSON corpus; tools/bson_corpus fetches it";
    for (const auto& file : fs::directory_iterator(corpus_folder())) {
      if (file.path().extension() != ".json") continue;
      std::ifstream in(file.path());
      const std::string text(std::istreambuf_iterator<char>(in), {});
      const auto cases = parse_json(text);
      ASSERT_TRUE(cases.ok()) << file.path() << ": " << cases.status().message();
      if (!cases->view().has(list)) continue;
      for (const Field& entry : cases->view()[list].as_document()) {
        const View fields = entry.value.as_document();
        SCOPED_TRACE(file.path().filename().string() + ": " + std::string(text_of(fields, "description")));
        check(*cases, fields);
        ++entries_;
      }
    }
    EXPECT_GT(entries_, 50);
  }

 private:
  int entries_ = 0;
};

TEST_F(BsonCorpus, TurnsBytesAndJsonIntoOneAnother) {
  each("valid", [](View, View entry) {
    const std::string bytes = hex_decoded(text_of(entry, "canonical_bson")).value();
    ASSERT_TRUE(accepts(bytes));
    const View document = View::trusted(reinterpret_cast<const std::uint8_t*>(bytes.data()));
    if (entry.has("lossy")) return;  // JSON has no form for a NaN's payload.
    EXPECT_EQ(parsed(to_json(document, JsonStyle::kCanonical)), bytes);
    for (const char* form : {"canonical_extjson", "degenerate_extjson"}) {
      if (entry.has(form)) {
        EXPECT_EQ(parsed(text_of(entry, form)), bytes) << form;
      }
    }
  });
}

TEST_F(BsonCorpus, PrintsBothStyles) {
  each("valid", [](View, View entry) {
    const std::string bytes = hex_decoded(text_of(entry, "canonical_bson")).value();
    const View document = View::trusted(reinterpret_cast<const std::uint8_t*>(bytes.data()));
    const auto expect_form = [&](const char* form, JsonStyle style) {
      const std::string_view expected = text_of(entry, form);
      if (!entry.has(form) || is_spelled_otherwise(expected)) return;
      EXPECT_EQ(to_json(document, style), test::json_without_spaces(expected));
    };
    expect_form("canonical_extjson", JsonStyle::kCanonical);
    expect_form("relaxed_extjson", JsonStyle::kRelaxed);
  });
}

TEST_F(BsonCorpus, TakesDegenerateBytes) {
  each("valid", [](View, View entry) {
    if (entry.has("degenerate_bson")) {
      EXPECT_TRUE(accepts(hex_decoded(text_of(entry, "degenerate_bson")).value()));
    }
  });
}

TEST_F(BsonCorpus, RefusesBadBytes) {
  each("decodeErrors", [](View, View entry) { EXPECT_FALSE(accepts(hex_decoded(text_of(entry, "bson")).value())); });
}

TEST_F(BsonCorpus, RefusesBadJson) {
  each("parseErrors", [](View cases, View entry) {
    if (is_taken_on_purpose(text_of(entry, "description"))) return;
    constexpr std::string_view kDecimal = "0x13";
    std::string json(text_of(entry, "string"));
    if (text_of(cases, "bson_type") == kDecimal) json = "{\"d\": {\"$numberDecimal\": \"" + json + "\"}}";
    EXPECT_FALSE(parse_json(json).ok()) << json;
  });
}

}  // namespace
}  // namespace partita::bson
