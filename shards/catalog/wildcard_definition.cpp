// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/catalog/wildcard_definition.h"

#include <algorithm>

#include "query/path/path_rules.h"

namespace partita::shards {
namespace {

using query::WildcardScope;

/// Of a.$** it is a; of $** nothing.
std::string_view below(const IndexSpec& spec) {
  const auto wildcard = std::ranges::find(spec.parts, query::KeyForm::kPathAndValue, &IndexSpec::Part::form);
  std::string_view path = wildcard->path;
  path.remove_suffix(path == kWildcard ? kWildcard.size() : kWildcard.size() + 1);
  return path;
}

/// Those that the projection keeps, or those that it leaves out.
std::vector<std::string> paths_of(const std::vector<query::ProjectedPath>& projection, bool kept) {
  std::vector<std::string> paths;
  for (const query::ProjectedPath& one : projection) {
    if (one.kept == kept) paths.push_back(one.path);
  }
  std::ranges::sort(paths, query::PathsBelowNext());
  return paths;
}

Status check_apart(const std::vector<std::string>& paths) {
  const auto inside = [](const std::string& path, const std::string& next) { return query::lies_in(next, path); };
  const auto found = std::ranges::adjacent_find(paths, inside);
  if (found == paths.end()) return {};
  return error(Code{7246200}, "Fields in Wildcard Projection cannot overlap, however '", *found, "' is overlapped with '", *(found + 1), "'");
}

/// The first path that the field is, or lies below.
const std::string* around(const std::string& field, const std::vector<std::string>& paths) {
  const auto found = std::ranges::find_if(paths, [&](const std::string& path) { return query::lies_in(field, path); });
  return found == paths.end() ? nullptr : &*found;
}

Status check_all_left_out(const std::vector<std::string>& fields, const std::vector<std::string>& left_out) {
  for (const std::string& field : fields) {
    if (around(field, left_out) != nullptr) continue;
    const bool last = std::ranges::all_of(left_out, [&](const std::string& path) { return query::PathsBelowNext()(path, field); });
    return error(Code{last ? 7246210 : 7246209}, "wildcardProjection paths must exclude all regular index fields, however '", field,
                 "' is not excluded.");
  }
  return {};
}

bool is_id_alone(const std::vector<std::string>& paths) { return paths.size() == 1 && paths.front() == "_id"; }

Status check_projection(const IndexSpec& spec, bson::View projection) {
  TRY(const auto paths, query::projected_paths(projection));
  const std::vector<std::string> kept = paths_of(paths, true);
  const std::vector<std::string> left_out = paths_of(paths, false);
  CHECK_OK(check_apart(kept));
  CHECK_OK(check_apart(left_out));
  std::vector<std::string> fields;
  for (const IndexSpec::Part& part : spec.parts) {
    if (part.form == query::KeyForm::kValue) fields.push_back(part.path);
  }
  std::ranges::sort(fields, query::PathsBelowNext());
  for (const std::string& field : fields) {
    const std::string* const overlapping = around(field, kept);
    if (overlapping == nullptr) continue;
    return error(Code{7246208}, "Index Key and Wildcard Projection cannot contain overlapping fields, however '", field,
                 "' index field is overlapping with '", *overlapping, "' wildcardProjection path.");
  }
  if (!left_out.empty() && !is_id_alone(left_out)) CHECK_OK(check_all_left_out(fields, left_out));
  if (kept.empty() || left_out.empty() || is_id_alone(kept) || is_id_alone(left_out)) return {};
  return error(Code{7246211}, "Inclusion and exclusion statements cannot combine in the wildcardProjection with an exception of "
               "explicitly including _id field");
}

}  // namespace

bool is_wildcard(std::string_view path) { return path == kWildcard || path.ends_with(".$**"); }

Status check_wildcard_key(const IndexSpec& spec) {
  if (std::ranges::count(spec.parts, query::KeyForm::kPathAndValue, &IndexSpec::Part::form) > 1) {
    return error(Code{7246201}, "Index Key can contain only one wildcard index field");
  }
  const std::string_view scope = below(spec);
  for (const IndexSpec::Part& part : spec.parts) {
    if (part.form == query::KeyForm::kPathAndValue) continue;
    if (!scope.empty() && query::lies_in(part.path, scope)) {
      return error(Code{7246204}, "A wildcard index field should not overlap with and index key fields if wildcard projection is empty, "
                   "however '", part.path, "' is overlapping with the wildcard index field.");
    }
    if (part.form != query::KeyForm::kValue) {
      return error(Code::CannotCreateIndex, "Can't use more than one index plugin for a single index.");
    }
  }
  return {};
}

Result<WildcardScope> wildcard_scope(const IndexSpec& spec, bson::View projection) {
  const std::string_view scope = below(spec);
  const bool compound = spec.parts.size() > 1;
  if (compound && scope.empty() && projection.empty()) {
    return error(Code::CannotCreateIndex, "Compound wildcard indexes on all fields must also specify 'wildcardProjection' option");
  }
  if (compound && scope.empty()) CHECK_OK(check_projection(spec, projection));
  return WildcardScope::parse(scope, projection);
}

}  // namespace partita::shards
