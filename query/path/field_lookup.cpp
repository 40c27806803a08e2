// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/path/field_lookup.h"

#include <algorithm>

#include "query/path/last_dot.h"

namespace partita::query {
namespace {

using bson::Value;
using bson::View;

/// To walk over a smaller document costs little, however often: there may be hundreds of thousands in one message.
constexpr std::size_t kLargeDocument = 4096;
/// Sorting the names costs about as much as so many walks over the whole.
constexpr std::size_t kWalks = 16;

}  // namespace

Value FieldLookup::walk(View document, std::string_view name, std::size_t& walked) {
  for (auto at = document.begin(); at != document.end(); ++at) {
    if (at->name != name) continue;
    walked += static_cast<std::size_t>(at.next() - document.data());
    return at->value;
  }
  walked += document.size();
  return {};
}

Value FieldLookup::find(View document, std::string_view name) {
  if (document.size() < kLargeDocument) return document[name];
  Known& known = known_[document.data()];
  if (known.walked < kWalks * document.size()) return walk(document, name, known.walked);
  if (known.sorted.empty()) {
    for (auto at = document.begin(); at != document.end(); ++at) known.sorted.push_back(*at);
    std::ranges::stable_sort(known.sorted, {}, &bson::Field::name);
  }
  const auto found = std::ranges::lower_bound(known.sorted, name, {}, &bson::Field::name);
  return found == known.sorted.end() || found->name != name ? Value() : found->value;
}

Value descend_many(View document, const FieldPath& path, std::size_t& part, FieldLookup& lookup) {
  while (true) {
    const Value value = lookup.find(document, path[part].name);
    ++part;
    if (part == path.size()) return value;
    if (value.is_array()) return end_at_array(path, part), value;
    if (!value.is_document()) return {};
    document = value.as_document();
  }
}

}  // namespace partita::query
