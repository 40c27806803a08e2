// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/keys/path_tuples.h"

#include <algorithm>

#include "query/keys/array_bits.h"
#include "wire/bson/json.h"

namespace partita::query::keys {
namespace {

using bson::Value;
using bson::View;

/// No document of 16 MB has more elements; only positions that multiply give more tuples.
constexpr std::size_t kMaxTuples = 4'000'000;

std::string_view take_part(std::string_view& path) {
  const std::size_t dot = path.find('.');
  const std::string_view part = path.substr(0, dot);
  path.remove_prefix(dot == std::string_view::npos ? path.size() : dot + 1);
  return part;
}

bool is_position(std::string_view part) {
  return std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
}

struct Found {
  Value value;
  std::string_view name;
};

/// walk_to_array() that also tells the last part walked.
Found walk(View document, std::string_view& path) {
  while (true) {
    const std::string_view part = take_part(path);
    const Value value = document[part];
    if (value.is_array() || path.empty()) {
      if (value.missing()) path = {};
      return {value, part};
    }
    if (!value.is_document()) break;
    document = value.as_document();
  }
  path = {};
  return {};
}

bool same_array(Value a, Value b) { return a.as_document().data() == b.as_document().data(); }

}  // namespace

Value walk_to_array(View document, std::string_view& path) { return walk(document, path).value; }

void PathTuples::reset(std::span<const std::string_view> paths, View document) {
  paths_ = paths;
  values_.resize(paths.size());
  document_ = document;
  started_ = false;
  multikey_ = 0;
  tuples_ = 0;
  levels_.clear();
  walks_.clear();
}

Result<bool> PathTuples::next() {
  View object = document_;
  if (!started_) {
    started_ = true;
    current_.assign(paths_.size(), {});
    for (std::size_t i = 0; i < paths_.size(); ++i) current_[i].rest = paths_[i];
  } else if (!take_element(object)) {
    return false;
  }
  while (true) {
    CHECK_OK(resolve(object));
    if (array_.missing()) break;
    CHECK_OK(open_array(array_));
    take_element(object);  // There is one: an empty array counts as one too.
  }
  if (++tuples_ > kMaxTuples) return error(Code::BadValue, "too many combinations of array elements under one key");
  publish();
  return true;
}

void PathTuples::publish() {
  for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = current_[i].value;
}

/// Walks all open paths within one object, up to the next array, which `array_` then holds.
Status PathTuples::resolve(View object) {
  array_ = {};
  keep_whole_ = false;
  std::string_view array_name;
  for (Walk& walk_of : current_) {
    if (walk_of.rest.empty()) continue;
    std::string_view rest = walk_of.rest;
    Found found;
    if (!object[take_part(rest)].missing()) {
      found = walk(object, walk_of.rest);
    } else if (walk_of.positional) {
      found = {walk_of.positioned, walk_of.name};
      walk_of.rest = walk_of.positioned_rest;
      keep_whole_ |= walk_of.position_is_array;
    } else {
      walk_of.rest = {};
    }
    walk_of.value = found.value;
    walk_of.positional = false;
    if (!found.value.is_array()) {
      walk_of.rest = {};
      continue;
    }
    if (!array_.missing() && !same_array(array_, found.value))
      return error(Code::CannotIndexParallelArrays, "cannot index parallel arrays [", found.name, "] [", array_name, "]");
    walk_of.at_array = true;
    walk_of.name = found.name;
    array_ = found.value;
    array_name = found.name;
  }
  return {};
}

Status PathTuples::open_array(Value array) {
  const View elements = array.as_document();
  bool all_positional = !elements.empty();
  for (std::size_t i = 0; i < current_.size(); ++i) {
    Walk& walk_of = current_[i];
    if (!walk_of.at_array) continue;
    std::string_view rest = walk_of.rest;
    const std::string_view part = take_part(rest);
    const Value at_position = !part.empty() && is_position(part) ? elements[part] : Value();
    if (at_position.missing()) {
      all_positional = false;
      multikey_ |= std::uint64_t{1} << i | part_bit(paths_, i, part_count(paths_[i]) - (walk_of.rest.empty() ? 0 : part_count(walk_of.rest)));
      continue;
    }
    walk_of.positional = true;
    walk_of.position_is_array = at_position.is_array();
    walk_of.positioned_rest = walk_of.rest;
    const Found found = walk(elements, walk_of.positioned_rest);
    walk_of.positioned = found.value;
    walk_of.name = found.name;
  }
  CHECK_OK(check_ambiguous(elements));
  levels_.push_back({elements, elements.begin(), keep_whole_, all_positional});
  walks_.insert(walks_.end(), current_.begin(), current_.end());
  return {};
}

/// A part like "0" must not mean a position and a field of an element at once.
Status PathTuples::check_ambiguous(View array) {
  for (const Walk& walk_of : current_) {
    if (!walk_of.positional) continue;
    std::string_view rest = walk_of.rest;
    const std::string_view part = take_part(rest);
    for (const bson::Field& element : array) {
      if (!element.value.is_document() || !element.value.as_document().has(part)) continue;
      return error(Code{16746},
                   "Ambiguous field name found in array (do not use numeric field names in embedded elements in an "
                   "array), field: '", part, "' for array: ", bson::to_shell(array));
    }
  }
  return {};
}

/// Moves on to the next element of the innermost array that has one, and makes `current_` the paths behind it.
bool PathTuples::take_element(View& object) {
  while (!levels_.empty()) {
    Level& level = levels_.back();
    const bool empty = level.first && level.array.empty();
    // Where all paths go by position, every element tells the same.
    if (!empty && (level.at == level.array.end() || (level.all_positional && !level.first))) {
      levels_.pop_back();
      walks_.resize(walks_.size() - paths_.size());
      continue;
    }
    const Value element = empty ? Value::undefined() : level.at->value;
    if (!empty) ++level.at;
    level.first = false;
    enter_element(element, level.keep_whole && !empty);
    object = element.is_document() ? element.as_document() : View();
    return true;
  }
  return false;
}

void PathTuples::enter_element(Value element, bool keep_whole) {
  std::copy(walks_.end() - static_cast<std::ptrdiff_t>(paths_.size()), walks_.end(), current_.begin());
  for (Walk& walk_of : current_) {
    if (!walk_of.at_array) continue;
    walk_of.at_array = false;
    if (walk_of.rest.empty() && !keep_whole) walk_of.value = element;
  }
}

}  // namespace partita::query::keys
