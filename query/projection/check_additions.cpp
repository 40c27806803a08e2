// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/projection/check_additions.h"

#include <set>
#include <string>
#include <vector>

#include "query/path/path_rules.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Value;
using bson::View;

class Check {
 public:
  explicit Check(View spec) : spec_(spec) {}

  Status run() {
    for (auto at = spec_.begin(); at != spec_.end(); ++at) {
      CHECK_OK(check_field_path(at->name));
      CHECK_OK(see(std::string(at->name), at->value));
      while (!open_.empty()) CHECK_OK(next());
    }
    return {};
  }

 private:
  struct Level {
    std::string path;
    View::Iterator at;
  };

  Status see(std::string path, Value value) {
    if (!value.is_document()) return claim(std::move(path));
    const View object = value.as_document();
    if (object.empty()) return error(Code{40180}, "an empty object is not a valid value. Found empty object at path ", path);
    for (const bson::Field& field : object) {
      if (!field.name.starts_with('$')) continue;
      if (object.count() == 1) return claim(std::move(path));
      return error(Code{40181}, "an expression specification must contain exactly one field, the name of the expression. Found ",
                   object.count(), " fields in ", bson::to_shell(value), ", while parsing object ", bson::to_shell(Value::of(spec_)));
    }
    open_.push_back({std::move(path), object.begin()});
    return {};
  }

  /// The next field of the innermost object.
  Status next() {
    Level& level = open_.back();
    if (level.at == std::default_sentinel) {
      open_.pop_back();
      return {};
    }
    const bson::Field field = *level.at;
    ++level.at;
    if (field.name.find('.') != std::string_view::npos)
      return error(Code{40183}, "cannot use dotted field name '", field.name, "' in a sub object: ", bson::to_shell(Value::of(spec_)));
    std::string path = level.path + "." + std::string(field.name);
    CHECK_OK(check_field_path(path));
    return see(std::move(path), field.value);
  }

  Status claim(std::string path) {
    const auto [at, fresh] = claimed_.insert(std::move(path));
    if (!fresh) return conflict(*at, *at);
    if (at != claimed_.begin() && lies_in(*at, *std::prev(at))) return conflict(*at, *std::prev(at));
    if (std::next(at) != claimed_.end() && lies_in(*std::next(at), *at)) return conflict(*at, *std::next(at));
    return {};
  }
  Status conflict(const std::string& path, const std::string& other) const {
    return error(Code{40176}, "specification contains two conflicting paths. Cannot specify both '", path, "' and '", other, "': ",
                 bson::to_shell(Value::of(spec_)));
  }

  View spec_;
  std::vector<Level> open_;
  std::set<std::string, PathsBelowNext> claimed_;
};

}  // namespace

Status check_additions(View spec) { return Check(spec).run(); }

}  // namespace partita::query
