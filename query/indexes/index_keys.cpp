// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/indexes/index_keys.h"

#include <algorithm>

// A frame holds one place per field: how far its path has been followed, and the value there. Frames are worked off from
// a stack. In each, every field goes on through documents until its path ends or it stands at an array. With no array
// the frame is a key. Else all fields that wait must wait at the same array, and each of its elements makes a frame in
// which these fields stand at the element and the others where they were.

namespace partita::query {
namespace {

bool same_array(bson::Value a, bson::Value b) { return a.as_document().data() == b.as_document().data(); }

bson::Value element_at(bson::Value array, std::uint32_t index) {
  std::uint32_t at = 0;
  for (const bson::Field& element : array.as_document()) {
    if (at++ == index) return element.value;
  }
  return {};
}

}  // namespace

void IndexKeyMaker::advance(Place& place, const FieldPath& path) const {
  while (place.part < path.size()) {
    const PathPart& part = path[place.part];
    if (place.value.is_document()) {
      place.value = place.value.as_document()[part.name];
    } else if (place.value.is_array() && part.is_index()) {
      place.value = element_at(place.value, part.index);
    } else if (place.value.is_array() && !place.element) {
      return;
    } else {
      place.value = {};
    }
    place.element = false;
    ++place.part;
  }
}

bool IndexKeyMaker::waits_at_array(const Place& place, const FieldPath& path) const {
  return place.value.is_array() && !place.element && place.part <= path.size();
}

Status IndexKeyMaker::make(bson::View document, IndexKeys& out) const {
  out.entries_.clear();
  out.bytes_.clear();
  out.multikey_ = 0;
  out.places_.assign(fields_.size(), Place{bson::Value::of(document), 0, false});
  while (!out.places_.empty()) {
    Place* frame = out.places_.data() + (out.places_.size() - fields_.size());
    const Place* array = nullptr;
    std::size_t array_field = 0;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      advance(frame[i], fields_[i].path);
      if (!waits_at_array(frame[i], fields_[i].path)) continue;
      if (array != nullptr && !same_array(array->value, frame[i].value)) {
        return error(Code::CannotIndexParallelArrays, "cannot index parallel arrays [",
                     fields_[i].path[frame[i].part == 0 ? 0 : frame[i].part - 1].name, "] [",
                     fields_[array_field].path[array->part == 0 ? 0 : array->part - 1].name, "]");
      }
      array = &frame[i];
      array_field = i;
      out.multikey_ |= std::uint64_t{1} << i;
    }
    if (array == nullptr) {
      emit(frame, out);
      out.places_.resize(out.places_.size() - fields_.size());
      continue;
    }
    std::vector<Place> taken(frame, frame + fields_.size());
    out.places_.resize(out.places_.size() - fields_.size());
    CHECK_OK(expand(std::move(taken), out));
  }
  const auto key_of = [&](const IndexKeys::Entry& entry) { return out.slice(entry.key, entry.key_size); };
  if (out.entries_.size() > 1) {
    const auto less = [&](const auto& a, const auto& b) { return std::ranges::lexicographical_compare(key_of(a), key_of(b)); };
    const auto same = [&](const auto& a, const auto& b) { return std::ranges::equal(key_of(a), key_of(b)); };
    std::ranges::stable_sort(out.entries_, less);
    out.entries_.erase(std::ranges::unique(out.entries_, same).begin(), out.entries_.end());
  }
  return {};
}

Status IndexKeyMaker::expand(std::vector<Place> frame, IndexKeys& out) const {
  bson::View array;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (waits_at_array(frame[i], fields_[i].path)) array = frame[i].value.as_document();
  }
  const auto push = [&](bson::Value element) {
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      Place place = frame[i];
      if (waits_at_array(frame[i], fields_[i].path)) {
        place.value = element;
        place.element = true;
      }
      out.places_.push_back(place);
    }
  };
  // An empty array is undefined where the path ends at it, and nothing at all (null) where the path would go on.
  if (array.empty()) {
    push(bson::Value::undefined());
    Place* pushed = out.places_.data() + (out.places_.size() - fields_.size());
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      if (pushed[i].element && pushed[i].part < fields_[i].path.size()) pushed[i].value = {};
    }
    return {};
  }
  for (const bson::Field& element : array) push(element.value);
  return {};
}

void IndexKeyMaker::emit(const Place* frame, IndexKeys& out) const {
  if (sparse_ && std::all_of(frame, frame + fields_.size(), [](const Place& place) { return place.value.missing(); })) {
    return;
  }
  IndexKeys::Entry entry{};
  entry.key = static_cast<std::uint32_t>(out.bytes_.size());
  out.types_.clear();
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const bson::Value value = frame[i].value.missing() ? bson::Value::null() : frame[i].value;
    keys::encode(value, fields_[i].direction, out.bytes_, &out.types_);
  }
  entry.key_size = static_cast<std::uint32_t>(out.bytes_.size()) - entry.key;
  entry.bits = static_cast<std::uint32_t>(out.bytes_.size());
  out.bytes_.append(out.types_.bytes());
  entry.bits_size = static_cast<std::uint32_t>(out.bytes_.size()) - entry.bits;
  out.entries_.push_back(entry);
}

}  // namespace partita::query
