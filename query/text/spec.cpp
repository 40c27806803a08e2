// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/text/spec.h"

#include "query/keys/hash.h"

namespace partita::query::text {
namespace {

constexpr std::string_view kWildcard = "$**";

}  // namespace

Result<Spec> Spec::parse(bson::View definition) {
  Spec spec;
  for (const auto& [path, weight] : definition["weights"].as_document()) {
    if (path == kWildcard) {
      spec.wildcard_ = true;
    } else {
      spec.weights_.emplace(path, weight.to_double().value_or(1));
    }
  }
  spec.language_name_ = definition["default_language"].as_string();
  spec.language_ = Language::find(spec.language_name_);
  if (spec.language_ == nullptr) return error(Code::CannotCreateIndex, "default_language is not valid");
  spec.override_field_ = definition["language_override"].as_string();
  return spec;
}

/// The weight of the wildcard itself is taken and has no effect, as in mongod.
std::optional<double> Spec::weight(std::string_view path) const {
  const auto found = weights_.find(path);
  if (found != weights_.end()) return found->second;
  if (wildcard_) return 1;
  return std::nullopt;
}

bool Spec::reaches_below(std::string_view path) const {
  if (wildcard_) return true;
  std::string prefix(path);
  prefix += '.';
  const auto found = weights_.lower_bound(prefix);
  return found != weights_.end() && found->first.starts_with(prefix);
}

bool Spec::collect_names(std::vector<std::string_view>& names) const {
  for (const auto& [path, weight] : weights_) names.push_back(std::string_view(path).substr(0, path.find('.')));
  names.push_back(override_field_);
  return !wildcard_;
}

Status Walk::begin(const Spec& spec, bson::View document) {
  spec_ = &spec;
  levels_.clear();
  path_.clear();
  return open(document, &spec.language());
}

/// An object may say which language it is in; else it is that of what it lies in.
Status Walk::open(bson::View object, const Language* language) {
  const bson::Value named = object[spec_->override_field()];
  if (!named.missing()) {
    if (!named.is_string()) return error(Code{17261}, "found language override field in document with non-string type");
    language = Language::find(named.as_string());
    if (language == nullptr) return error(Code{17262}, "language override unsupported: ", named.as_string());
  }
  levels_.push_back({object.begin(), false, path_.size(), language});
  return {};
}

Result<bool> Walk::next() {
  while (!levels_.empty()) {
    Level& level = levels_.back();
    if (level.at == std::default_sentinel) {
      levels_.pop_back();
      continue;
    }
    const bson::Field field = *level.at;
    ++level.at;
    if (!level.in_array && spec_->wildcard() && field.name == spec_->override_field()) continue;
    path_.resize(level.path_size);
    if (!level.in_array) {
      if (levels_.size() > 1) path_ += '.';
      path_ += field.name;
    }
    TRY(const bool found, take(field.value));
    if (found) return true;
  }
  return false;
}

/// Whether the value is a text of the index; opens it where there may be some in it. An array right in an array is looked
/// into only where everything is.
Result<bool> Walk::take(bson::Value value) {
  const Level level = levels_.back();
  if (value.is_string()) {
    const auto weight = spec_->weight(path_);
    if (weight) text_ = {value.as_string(), level.language, *weight};
    return weight.has_value();
  }
  if (value.is_array()) {
    const bool wanted = spec_->wildcard() || (!level.in_array && (spec_->weight(path_) || spec_->reaches_below(path_)));
    if (wanted) levels_.push_back({value.as_document().begin(), true, path_.size(), level.language});
  } else if (value.is_document() && spec_->reaches_below(path_)) {
    CHECK_OK(open(value.as_document(), level.language));
  }
  return false;
}

Status TermSet::collect(const Spec& spec, bson::View document) {
  terms_.clear();
  CHECK_OK(walk_.begin(spec, document));
  while (true) {
    TRY(const bool more, walk_.next());
    if (!more) return {};
    tokenizer_.reset(*walk_.text().language, walk_.text().text);
    while (tokenizer_.next()) terms_.emplace(tokenizer_.term());
    if (tokenizer_.malformed()) return error(Code::BadValue, "text contains invalid UTF-8");
  }
}

std::string key_of_term(std::string_view term) {
  constexpr std::size_t kLongest = 256;
  constexpr std::size_t kBeginning = 224;
  if (term.size() <= kLongest) return std::string(term);
  std::uint64_t hash = keys::hash({reinterpret_cast<const std::uint8_t*>(term.data()), term.size()});
  std::string key(term.substr(0, kBeginning));
  for (int digit = 0; digit < 16; ++digit, hash <<= 4) key += "0123456789abcdef"[hash >> 60];
  return key;
}

}  // namespace partita::query::text
