// SPDX-License-Identifier: GPL-3.0-or-later
// A wildcard index has a key for each path and value that its scope takes from a document, between the values of the fields
// before and behind the wildcard:
//
//     {t: 1, "a.$**": 1, u: 1}   {t: 5, a: {x: 1, y: [2, 3]}, u: 6}   5 a.x 1 6 · 5 a.y 2 6 · 5 a.y 3 6
//
// A document that has nothing for the wildcard stands under MinKey as path and value, so that all that have one of the other
// fields are found by those alone. One that has nothing at all has no key.
#include "query/indexes/index_keys.h"

namespace partita::query {
namespace {

/// The other fields, and a path, are written once for each value: what that may take for one document.
constexpr std::size_t kMostBytes = 64 << 20;

Status refuse_array_beside(std::string_view path) {
  return error(Code{7246301}, "a field beside the wildcard of a compound wildcard index cannot hold an array. Found array at path: ", path);
}

}  // namespace

Status IndexKeyMaker::make_wildcard(bson::View document, IndexKeys& out) const {
  bool anything = false;
  out.values_.clear();
  for (const IndexField& field : fields_) {
    out.values_.emplace_back();
    if (field.form == KeyForm::kPathAndValue) continue;
    std::size_t part = 0;
    out.values_.back() = descend(document, field.path, part);
    if (out.values_.back().is_array()) return refuse_array_beside(field.path.prefix(part));
    anything |= !out.values_.back().missing();
  }
  out.walk_.reset(*wildcard_, document);
  while (out.walk_.next()) {
    add_wildcard_key(out.walk_.path(), out.walk_.value(), out);
    if (out.bytes_.size() > kMostBytes) {
      return error(Code::CannotBuildIndexKeys, "the keys of one document in a wildcard index would have more than ", kMostBytes >> 20, " MB");
    }
  }
  if (out.size() == 0 && anything) add_wildcard_key(std::nullopt, bson::Value::min_key(), out);
  out.multikey_ = out.walk_.arrays();
  out.sort();
  return {};
}

/// Without a path: MinKey in its place.
void IndexKeyMaker::add_wildcard_key(std::optional<std::string_view> path, bson::Value value, IndexKeys& out) const {
  out.begin_entry();
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const IndexField& field = fields_[i];
    if (field.form != KeyForm::kPathAndValue) {
      keys::encode_or_null(out.values_[i], field.direction, out.bytes_, &out.types_, collation_.get());
      continue;
    }
    path ? append_wildcard_path(*path, out.bytes_) : keys::encode(bson::Value::min_key(), out.bytes_);
    keys::encode(value, field.direction, out.bytes_, &out.types_, collation_.get());
  }
  out.end_entry();
}

}  // namespace partita::query
