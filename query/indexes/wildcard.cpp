// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/indexes/wildcard.h"

#include <algorithm>

#include "query/keys/hash.h"
#include "query/keys/text.h"
#include "query/path/path_rules.h"
#include "query/projection/projection.h"

namespace partita::query {
namespace {

using Reach = WildcardScope::Reach;

/// One field of a projection on its way to being listed.
struct Listing {
  bson::View::Iterator at;
  std::size_t path_size;
};

Status computed() {
  return error(Code{51271}, "Bad projection specification, cannot use computed fields when parsing a spec in kBanComputedFields mode");
}

}  // namespace

Result<std::vector<ProjectedPath>> projected_paths(bson::View projection) {
  std::vector<ProjectedPath> paths;
  std::vector<Listing> open{{projection.begin(), 0}};
  std::string path;
  while (!open.empty()) {
    if (open.back().at == std::default_sentinel) {
      open.pop_back();
      continue;
    }
    const bson::Field field = *open.back().at;
    ++open.back().at;
    path.resize(open.back().path_size);
    if (!path.empty()) path += '.';
    path += field.name;
    if (field.name.starts_with('$')) return computed();
    if (field.value.is_document()) {
      open.push_back({field.value.as_document().begin(), path.size()});
    } else if (field.value.is_bool() || field.value.is_number()) {
      paths.push_back({path, field.value.truthy()});
    } else {
      return computed();
    }
  }
  return paths;
}

Result<WildcardScope> WildcardScope::parse(std::string_view below, bson::View projection) {
  WildcardScope scope;
  if (!below.empty()) {
    if (!projection.empty()) {
      return error(Code::FailedToParse, "The field 'wildcardProjection' is only allowed when 'key' is {\"$**\": 1}");
    }
    scope.includes_ = true;
    scope.excludes_id_ = false;
    scope.listed_.emplace_back(below);
    return scope;
  }
  if (projection.empty()) return scope;
  TRY(auto paths, projected_paths(projection));
  CHECK_OK(Projection::parse(projection).status());
  // The _id goes its own way: kept or dropped whatever happens to the others, and dropped when nothing is said.
  const auto is_id = [](const ProjectedPath& one) { return one.path == "_id"; };
  const auto others = std::ranges::find_if_not(paths, is_id);
  const auto id = std::ranges::find_if(paths, is_id);
  scope.includes_ = others != paths.end() ? others->kept : id->kept;
  for (auto& [path, kept] : paths) {
    if (path == "_id") continue;
    scope.listed_.push_back(std::move(path));
  }
  scope.excludes_id_ = id == paths.end() ? !scope.includes_ : !id->kept;
  if (scope.includes_ && id != paths.end() && id->kept) scope.listed_.emplace_back("_id");
  return scope;
}

Reach WildcardScope::reach(std::string_view path) const {
  if (excludes_id_ && lies_in(path, "_id")) return Reach::kOutside;
  const auto holds = [&](const std::string& listed) { return lies_in(path, listed); };
  const auto leads = [&](const std::string& listed) { return lies_in(listed, path); };
  const bool inside = std::ranges::any_of(listed_, holds);
  if (inside) return includes_ ? Reach::kInside : Reach::kOutside;
  if (!includes_) return Reach::kInside;
  return std::ranges::any_of(listed_, leads) ? Reach::kLeadsTo : Reach::kOutside;
}

bool WildcardScope::covers(std::string_view path) const {
  const auto cuts = [&](const std::string& listed) { return !includes_ && lies_in(listed, path); };
  return reach(path) == Reach::kInside && std::ranges::none_of(listed_, cuts);
}

std::uint64_t WildcardScope::array_bit(std::string_view path) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(path.data());
  return std::uint64_t{1} << (keys::hash({bytes, path.size()}) & 63);
}

std::uint64_t WildcardScope::array_bits(std::string_view path) {
  std::uint64_t bits = array_bit(path);
  for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.', dot + 1)) {
    bits |= array_bit(path.substr(0, dot));
  }
  return bits;
}

void append_wildcard_path(std::string_view path, bson::Buffer& key) {
  key.push(static_cast<std::uint8_t>(bson::TypeClass::kString));
  keys::put_text(path, key);
}

void WildcardWalk::reset(const WildcardScope& scope, bson::View document) {
  scope_ = &scope;
  levels_.clear();
  path_.clear();
  arrays_ = 0;
  levels_.push_back({document.begin()});
}

bool WildcardWalk::next() {
  while (!levels_.empty()) {
    Level& level = levels_.back();
    if (level.at == std::default_sentinel) {
      levels_.pop_back();
      continue;
    }
    const bson::Field field = *level.at;
    ++level.at;
    path_.resize(level.path_size);
    if (!level.in_array) {
      if (levels_.size() > 1) path_ += '.';
      path_ += field.name;
    }
    if (take(field)) return true;
  }
  return false;
}

/// Whether the field has a key; opens it where what is in it may have.
bool WildcardWalk::take(const bson::Field& field) {
  const Reach reach = scope_->reach(path_);
  if (reach == Reach::kOutside) return false;
  const bool inside = reach == Reach::kInside;
  value_ = field.value;
  const bool element = levels_.back().in_array;
  if (value_.is_array() && !element) {
    arrays_ |= WildcardScope::array_bit(path_);
    if (value_.as_document().empty()) {
      value_ = {};  // Missing is written as undefined.
      return inside;
    }
    levels_.push_back({value_.as_document().begin(), true, path_.size()});
    return false;
  }
  if (value_.is_document() && !value_.as_document().empty()) {
    levels_.push_back({value_.as_document().begin(), false, path_.size()});
    return false;
  }
  return inside;
}

}  // namespace partita::query
