// SPDX-License-Identifier: GPL-3.0-or-later
// A document is found under each cell of each of its places. Other fields of the index are gathered by themselves, and each of
// their values stands beside each cell: arrays that lead to several of them are no error here, as in MongoDB.
#include <algorithm>

#include "query/indexes/index_keys.h"
#include "query/match/path_walk.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Value;
using bson::View;

/// A document that has more keys is not a document of places any more.
constexpr std::size_t kMostKeys = std::size_t{1} << 17;

bool says_nothing(Value value) {
  return value.is_nullish() || ((value.is_document() || value.is_array()) && value.as_document().empty());
}

/// All that a path leads to, but for what is missing.
std::vector<Value> places_at(View document, const FieldPath& path) {
  std::vector<Value> places;
  each_along_path(document, path, [&](Value value) {
    if (!value.missing()) places.push_back(value);
  });
  const bool all_one = std::ranges::all_of(places, [&](Value value) { return value.same_bytes(places.front()); });
  if (!places.empty() && all_one && says_nothing(places.front())) places.clear();
  return places;
}

Status add_sphere_cells(View document, Value place, const geo::SphereOptions& options, std::vector<std::int64_t>& cells, bool& only_points) {
  const Status status = geo::append_sphere_cells(place, options, cells, only_points);
  if (status.ok()) return {};
  return error(Code{16755}, "Can't extract geo keys: ", bson::to_shell(document), "  ", status.message());
}

Status add_point(View document, Value place, const geo::GridOptions& options, std::vector<std::int64_t>& cells) {
  auto at = place.as_document().begin();
  const Value x = at->value;
  if (++at == std::default_sentinel) return error(Code{13068}, "geo field only has 1 element :: caused by :: ", bson::to_shell(document));
  if (!x.is_number() || !at->value.is_number()) {
    return error(Code{13026}, "geo values must be 'legacy coordinate pairs' for 2d indexes :: caused by :: ", bson::to_shell(document));
  }
  const auto cell = geo::grid_cell({x.to_double().value_or(0), at->value.to_double().value_or(0)}, options);
  if (!cell) {
    return error(Code{13027}, "point not in interval of [ ", options.min, ", ", options.max, " ] :: caused by :: ", bson::to_shell(document));
  }
  cells.push_back(*cell);
  return {};
}

/// A point, or an array (or a document) of points.
Status add_points(View document, Value place, const geo::GridOptions& options, std::vector<std::int64_t>& cells) {
  const bool is_view = place.is_document() || place.is_array();
  if (!is_view || place.as_document().empty()) return {};
  if (place.as_document().begin()->value.is_number()) return add_point(document, place, options, cells);
  for (const bson::Field& element : place.as_document()) {
    if (!element.value.is_document() && !element.value.is_array()) {
      return error(Code{16804}, "location object expected, location array not in correct format");
    }
    if (!element.value.as_document().empty()) CHECK_OK(add_point(document, element.value, options, cells));
  }
  return {};
}

/// What a field that is no place has keys of: the elements of arrays.
void add_values(View document, const FieldPath& path, std::vector<Value>& values) {
  each_along_path(document, path, [&](Value value) {
    if (!value.is_array()) return values.push_back(value.missing() ? Value::null() : value);
    const View elements = value.as_document();
    if (elements.empty()) values.push_back(Value::undefined());
    for (const bson::Field& element : elements) values.push_back(element.value);
  });
  if (values.empty()) values.push_back(Value::null());
}

}  // namespace

/// Whether the document has a place in this field. The field's values, numbers of cells, stand behind those that are there.
Result<bool> IndexKeyMaker::gather_places(View document, const IndexField& field, IndexKeys& out) const {
  out.cells_.clear();
  bool only_points = true;
  const std::vector<Value> places = places_at(document, field.path);
  for (const Value place : places) {
    if (field.form == KeyForm::kGridCell) {
      CHECK_OK(add_points(document, place, geo_->grid, out.cells_));
    } else {
      CHECK_OK(add_sphere_cells(document, place, geo_->sphere, out.cells_, only_points));
    }
  }
  std::ranges::sort(out.cells_);
  out.cells_.erase(std::unique(out.cells_.begin(), out.cells_.end()), out.cells_.end());
  for (const std::int64_t cell : out.cells_) out.values_.push_back(Value::of(cell));
  if (!only_points) out.multikey_ |= std::uint64_t{1} << (&field - fields_.data());
  return !out.cells_.empty();
}

Status IndexKeyMaker::make_places(View document, IndexKeys& out) const {
  out.values_.clear();
  out.ends_.clear();
  bool has_place = geo_->sphere.version < 2 && fields_[0].form != KeyForm::kGridCell;
  std::size_t keys = 1;
  std::size_t begin = 0;
  for (const IndexField& field : fields_) {
    if (is_place(field.form)) {
      TRY(const bool here, gather_places(document, field, out));
      has_place |= here;
      if (!here) out.values_.push_back(Value::null());
    } else {
      std::vector<Value> values;
      add_values(document, field.path, values);
      out.values_.insert(out.values_.end(), values.begin(), values.end());
    }
    const std::size_t count = out.values_.size() - begin;
    if (count > 1) out.multikey_ |= std::uint64_t{1} << (&field - fields_.data());
    if (count > kMostKeys / keys) {
      return error(Code::BadValue, "a document would have more than ", kMostKeys, " keys in an index of places");
    }
    keys *= count;
    begin = out.values_.size();
    out.ends_.push_back(begin);
  }
  if (has_place) {
    combine(out);
  } else {
    out.clear();
  }
  return {};
}

/// Each value of each field with each of all others: counted through, the last field fastest.
void IndexKeyMaker::combine(IndexKeys& out) const {
  std::vector<std::size_t> at(fields_.size());
  for (std::size_t i = 1; i < at.size(); ++i) at[i] = out.ends_[i - 1];
  while (true) {
    out.begin_entry();
    for (std::size_t i = 0; i < at.size(); ++i) keys::encode(out.values_[at[i]], fields_[i].direction, out.bytes_, &out.types_, collation_.get());
    out.end_entry();
    std::size_t field = at.size();
    while (field > 0 && ++at[field - 1] == out.ends_[field - 1]) {
      at[field - 1] = field > 1 ? out.ends_[field - 2] : 0;
      --field;
    }
    if (field == 0) break;
  }
  out.sort();
}

}  // namespace partita::query
