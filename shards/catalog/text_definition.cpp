// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/catalog/text_definition.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "query/text/language.h"
#include "query/path/field_path.h"
#include "shards/catalog/index_options.h"
#include "shards/catalog/wildcard_definition.h"
#include "wire/bson/json.h"

namespace partita::shards {
namespace {

constexpr std::string_view kText = "text";
constexpr std::string_view kOptions[] = {"weights", "default_language", "language_override", "textIndexVersion"};
constexpr std::int32_t kVersion = 3;
constexpr double kMostWeight = 100000;

Status cannot(std::string_view why) { return error(Code::CannotCreateIndex, why); }

bool is_text(bson::Value value) { return value.is_string() && value.as_string() == kText; }

Status wrong_type(std::string_view name, std::string_view expected, bson::Value found) {
  return error(Code::TypeMismatch, "The field '", name, "' must be ", expected, ", but got ", found.type_name());
}

class TextDefinition {
 public:
  explicit TextDefinition(bson::View definition) : definition_(definition) {}

  Status check() {
    CHECK_OK(read_key(definition_["key"].as_document()));
    CHECK_OK(read_weights(definition_["weights"]));
    CHECK_OK(read_languages());
    return check_version(definition_["textIndexVersion"]);
  }

  bson::Document write() const {
    return bson::Document::build([&](bson::Writer& out) {
      write_key(out);
      for (const bson::Field& field : definition_) {
        if (field.name != "key" && !is_text_option(field.name)) out.add(field);
      }
      {
        bson::Writer weights = out.document("weights");
        for (const auto& [path, weight] : weights_) weights.add(path, weight);
      }
      out.add("default_language", language_);
      out.add("language_override", override_);
      out.add("textIndexVersion", kVersion);
    });
  }

 private:
  /// Fields with texts stand together; others before and behind them.
  Status read_key(bson::View key) {
    for (auto at = key.begin(); at != key.end(); ++at) {
      const auto& [path, value] = *at;
      if (path == kTextField) {
        CHECK_OK(read_own_form(at, key.end()));
      } else if (is_text(value)) {
        if (!behind_.empty()) return cannot("'text' fields in index must all be adjacent");
        if (path != kWildcard) CHECK_OK(check_index_path(path));
        weights_.emplace(path, 1);
        texts_ = true;
      } else {
        CHECK_OK(check_other(path, value));
        (texts_ ? behind_ : before_).push_back({path, value});
      }
    }
    return {};
  }

  template <class Iterator, class End>
  Status read_own_form(Iterator& at, End end) {
    if (!is_text(at->value)) return cannot("Index key contains an illegal field name: '_fts'");
    if (texts_) return cannot("'text' fields in index must all be adjacent");
    texts_ = true;
    ++at;
    if (at == end || at->name != kTextFieldEnd) return cannot("expected _ftsx after _fts");
    return at->value.exact_int64() == 1 ? Status() : cannot("expecting _ftsx:1");
  }

  static Status check_other(std::string_view path, bson::Value value) {
    if (value.is_string()) return cannot("Can't use more than one index plugin for a single index.");
    if (is_wildcard(path)) return cannot("Can't use more than one index plugin for a single index.");
    CHECK_OK(check_index_path(path));
    const double direction = value.to_double().value_or(0);
    const bool is_one = (direction >= 1 && direction < 2) || (direction <= -1 && direction > -2);
    return is_one ? Status() : cannot("expected value 1 or -1 for non-text key in compound index");
  }

  Status read_weights(bson::Value given) {
    if (given.is_string() && given.as_string() == kWildcard) {
      weights_.emplace(kWildcard, 1);
    } else if (given.is_string()) {
      return cannot("text index option 'weights' must be an object");
    } else if (!given.missing()) {
      if (!given.is_document()) return wrong_type("weights", "an object", given);
      for (const auto& [path, weight] : given.as_document()) CHECK_OK(read_weight(path, weight));
    }
    return weights_.empty() ? cannot("text index option 'weights' must specify fields or the wildcard") : Status();
  }

  Status read_weight(std::string_view path, bson::Value weight) {
    if (!weight.is_number()) return cannot("weight for text index needs numeric type");
    const double number = std::trunc(weight.to_double().value_or(0));
    if (!(number > 0 && number < kMostWeight)) {
      return error(Code::CannotCreateIndex, "text index weight must be in the exclusive interval (0,100000) but found: ", bson::to_shell(weight));
    }
    if (path != kWildcard) CHECK_OK(check_weighed(path));
    weights_.insert_or_assign(std::string(path), static_cast<std::int32_t>(number));
    return {};
  }

  static Status check_weighed(std::string_view path) {
    if (path.empty()) return cannot("weight cannot be on an empty field");
    if (path.starts_with('.') || path.ends_with('.') || path.find("..") != std::string_view::npos) {
      return cannot("weight cannot have empty path component");
    }
    if (path.starts_with('$') || path.find(".$") != std::string_view::npos) return cannot("weight cannot have path component with $ prefix");
    return {};
  }

  Status read_languages() {
    const bson::Value language = definition_["default_language"];
    const bson::Value field = definition_["language_override"];
    if (!language.missing()) {
      if (!language.is_string()) return wrong_type("default_language", "a string", language);
      language_ = language.as_string();
      if (query::text::Language::find(language_) == nullptr) return cannot("default_language is not valid");
    }
    if (field.missing()) return {};
    if (!field.is_string()) return wrong_type("language_override", "a string", field);
    override_ = field.as_string();
    const bool is_name = !override_.empty() && !override_.starts_with('$') && override_.find('.') == std::string_view::npos;
    return is_name ? Status() : cannot("language_override is not valid");
  }

  static Status check_version(bson::Value version) {
    if (version.missing()) return {};
    if (!version.is_number()) return wrong_type("textIndexVersion", "a number", version);
    const double number = std::trunc(version.to_double().value_or(0));
    if (number == 1 || number == 2) return cannot("text indexes of a textIndexVersion before 3 are not supported");
    return number == kVersion ? Status() : error(Code::CannotCreateIndex, "bad textIndexVersion: ", bson::to_shell(version));
  }

  void write_key(bson::Writer& out) const {
    bson::Writer key = out.document("key");
    for (const bson::Field& field : before_) key.add(field);
    key.add(kTextField, kText);
    key.add(kTextFieldEnd, 1);
    for (const bson::Field& field : behind_) key.add(field);
  }

  bson::View definition_;
  bool texts_ = false;
  std::vector<bson::Field> before_, behind_;
  std::map<std::string, std::int32_t, std::less<>> weights_;
  std::string_view language_ = "english";
  std::string_view override_ = "language";
};

}  // namespace

bool is_text_key(bson::View key) {
  return std::ranges::any_of(key, [](const bson::Field& field) { return is_text(field.value); });
}

bool is_text_option(std::string_view name) { return std::ranges::find(kOptions, name) != std::end(kOptions); }

void write_text_options(bson::View definition, bson::Writer& out) {
  for (const std::string_view name : kOptions) out.add(name, definition[name]);
}

Result<bson::Document> text_definition(bson::View definition) {
  TextDefinition read(definition);
  CHECK_OK(read.check());
  return read.write();
}

}  // namespace partita::shards
