// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/indexes/entries.h"

#include <algorithm>

#include "query/keys/decode.h"
#include "query/keys/encode.h"
#include "query/sort/key_order.h"
#include "shards/storage/memory_tables.h"
#include "wire/bson/json.h"

namespace partita::shards {
namespace {

constexpr std::size_t kHashSize = 8;

bool same(Bytes a, Bytes b) { return std::ranges::equal(a, b); }

void put_size(bson::Buffer& out, std::size_t size) {
  while (size >= 0x80) {
    out.push(static_cast<std::uint8_t>(size | 0x80));
    size >>= 7;
  }
  out.push(static_cast<std::uint8_t>(size));
}

/// The record key's length at the start of a unique entry's value, and where the key begins.
std::pair<std::size_t, std::size_t> record_key_place(Bytes value) {
  std::size_t size = 0;
  std::size_t at = 0;
  for (unsigned shift = 0; at < value.size(); shift += 7) {
    const std::uint8_t byte = value[at++];
    size |= std::size_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) break;
  }
  return {at, size};
}

std::string hex(Bytes bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) {
    for (const int digit : {byte >> 4, byte & 15}) text.push_back("0123456789abcdef"[digit]);
  }
  return text;
}

/// The fields of an entry as a document, for the text of a duplicate key error. What a text was, a collation does not tell any
/// more: its sort key stands for it, and for what may hold texts all of its bytes.
bson::Document key_value(const IndexSpec& spec, Bytes key, Bytes type_bits) {
  return bson::Document::build([&](bson::Writer& out) {
    query::keys::Decoder decoder(key, type_bits);
    for (const IndexSpec::Part& part : spec.parts) {
      if (spec.collation == nullptr) {
        if (!decoder.next(part.direction(), part.path, out).ok()) return;
        continue;
      }
      bool decoded = true;
      const bson::Document one = bson::Document::build([&](bson::Writer& field) { decoded = decoder.next(part.direction(), part.path, field).ok(); });
      if (!decoded) return;
      const bson::Value value = one[part.path];
      const std::size_t size = part_size(part.form, part.direction(), key);
      if (value.is_string()) {
        out.add(part.path, hex(bytes_of(value.as_string())));
      } else {
        query::is_collated(value) ? out.add(part.path, hex(key.first(size))) : out.add(part.path, value);
      }
      key = key.subspan(size);
    }
  });
}

/// `collation` is empty where there is none.
std::vector<std::uint8_t> collision_details(bson::View key_pattern, bson::View key_value, bson::View collation) {
  bson::Buffer details;
  {
    bson::Writer out(details);
    out.add("keyPattern", key_pattern);
    out.add("keyValue", key_value);
    if (!collation.empty()) {
      const auto is_encoded = [](const bson::Field& field) { return field.value.is_string(); };
      if (std::ranges::any_of(key_value, is_encoded)) {
        bson::ArrayWriter encoded = out.array("hexEncoded");
        for (const bson::Field& field : key_value) encoded.push(is_encoded(field));
      }
      out.add("collation", collation);
    }
  }
  return {details.data(), details.data() + details.size()};
}

Status collision(const IndexSpec& spec, Bytes fields, Bytes type_bits) {
  const bson::Document values = key_value(spec, fields, type_bits);
  const bson::View collation = spec.collation == nullptr ? bson::View() : spec.collation->spec();
  return error(Code::DuplicateKey, spec.name).with_details(collision_details(spec.definition["key"].as_document(), values, collation));
}

Status duplicate_key(std::string_view ns, std::string_view index_name, bson::View key_pattern, bson::View key_value, bson::View collation) {
  const bson::Document shown = bson::Document::build([&](bson::Writer& out) {
    for (const auto& [name, value] : key_value) {
      const bool encoded = !collation.empty() && value.is_string();
      encoded ? out.add(name, "0x" + std::string(value.as_string())) : out.add(name, value);
    }
  });
  return error(Code::DuplicateKey, "E11000 duplicate key error collection: ", ns, " index: ", index_name,
               collation.empty() ? "" : " collation: " + bson::to_shell(collation), " dup key: ", bson::to_shell(shown))
      .with_details(collision_details(key_pattern, key_value, collation));
}

}  // namespace

std::size_t size_before_value(query::KeyForm form, Bytes key) {
  if (form == query::KeyForm::kHashAndValue) return kHashSize;
  return form == query::KeyForm::kPathAndValue ? query::keys::encoded_size(key) : 0;
}

std::size_t part_size(query::KeyForm form, query::keys::Direction direction, Bytes key) {
  if (form == query::KeyForm::kHash) return kHashSize;
  const std::size_t before = size_before_value(form, key);
  return before + query::keys::encoded_size(key.subspan(before), direction);
}

Bytes record_key_of(const IndexSpec& spec, Bytes key, Bytes value) {
  if (spec.unique) {
    const auto [at, size] = record_key_place(value);
    return value.subspan(at, size);
  }
  for (const IndexSpec::Part& part : spec.parts) key = key.subspan(part_size(part.form, part.direction(), key));
  return key;
}

Bytes type_bits_of(const IndexSpec& spec, Bytes value) {
  if (!spec.unique) return value;
  const auto [at, size] = record_key_place(value);
  return value.subspan(at + size);
}

Status index_collision(const IndexSpec& spec, Bytes key, Bytes value) {
  return collision(spec, key, type_bits_of(spec, value));
}

Status duplicate_id(std::string_view ns, std::string_view index_name, bson::Value id, const query::Collator* collation) {
  const bson::Document pattern = bson::Document::build([](bson::Writer& out) { out.add("_id", 1); });
  const bson::Document value = bson::Document::build([&](bson::Writer& out) {
    if (collation == nullptr || !query::is_collated(id)) return out.add("_id", id);
    bson::Buffer key;
    id.is_string() ? collation->append_sort_key(id.as_string(), key) : query::keys::encode(id, key, nullptr, collation);
    out.add("_id", hex(key.bytes()));
  });
  return duplicate_key(ns, index_name, pattern, value, collation == nullptr ? bson::View() : collation->spec());
}

Status duplicate_key(std::string_view ns, const Status& collision) {
  const bson::View details = bson::View::trusted(collision.details().data());
  const bson::Value collation = details["collation"];
  return duplicate_key(ns, collision.message(), details["keyPattern"].as_document(), details["keyValue"].as_document(),
                       collation.is_document() ? collation.as_document() : bson::View());
}

/// Fills key_ and value_.
template <class Session>
void BasicIndexWriter<Session>::lay_out(const IndexSpec& spec, Bytes record_key, std::size_t entry,
                                        const query::IndexKeys& keys) {
  key_.clear();
  key_.append(keys.key(entry));
  value_.clear();
  if (spec.unique) {
    put_size(value_, record_key.size());
    value_.append(record_key);
  } else {
    key_.append(record_key);
  }
  value_.append(keys.type_bits(entry));
}

template <class Session>
Status BasicIndexWriter<Session>::put(Cursor& cursor, const PartitionIndex& index, Bytes record_key, std::size_t entry,
                        const query::IndexKeys& keys) {
  const Bytes fields = keys.key(entry);
  lay_out(*index.spec, record_key, entry, keys);
  const bool refuses = index.spec->prepare_unique && !index.spec->unique && twins_ == Twins::kRefuse;
  if (refuses) CHECK_OK(refuse_twin(cursor, *index.spec, fields, keys.type_bits(entry)));
  Status status = cursor.insert(key_.bytes(), value_.bytes());
  return status.code() == Code::DuplicateKey ? collision(*index.spec, fields, keys.type_bits(entry)) : std::move(status);
}

/// Another document's entry with the same fields, in an index that is not unique yet. Who would add one at the same time
/// writes the same row here, the fields without a record key, and so conflicts; it is gone again before anybody sees it.
template <class Session>
Status BasicIndexWriter<Session>::refuse_twin(Cursor& cursor, const IndexSpec& spec, Bytes fields, Bytes type_bits) {
  CHECK_OK(cursor.insert(fields, {}));
  TRY(const bool removed, cursor.remove(fields));
  if (!removed) return error(Code::InternalError, "index ", spec.name, " lost a row of its own");
  TRY(const bool behind, cursor.find_from(fields));
  const bool twin = behind && cursor.key().size() >= fields.size() && same(cursor.key().first(fields.size()), fields);
  return twin ? collision(spec, fields, type_bits) : Status();
}

template <class Session>
Status BasicIndexWriter<Session>::erase(Cursor& cursor, const PartitionIndex& index, Bytes record_key, std::size_t entry,
                          const query::IndexKeys& keys) {
  key_.clear();
  key_.append(keys.key(entry));
  if (!index.spec->unique) key_.append(record_key);
  TRY(const bool there, cursor.remove(key_.bytes()));
  if (!there) return error(Code::DataModifiedByRepair, "index ", index.spec->name, " lacks the entry of a document");
  return {};
}

template <class Session>
void BasicIndexWriter<Session>::note_multikey(PartitionIndex& index) {
  if (after_.multikey() != 0) index.multikey.fetch_or(after_.multikey(), std::memory_order_relaxed);
}

template <class Session>
Status BasicIndexWriter<Session>::insert(Session& session, PartitionIndex& index, Bytes record_key, bson::View document) {
  CHECK_OK(index.spec->keys->make(document, after_));
  note_multikey(index);
  TRY(Cursor cursor, session.cursor(index.table));
  for (std::size_t i = 0; i < after_.size(); ++i) CHECK_OK(put(cursor, index, record_key, i, after_));
  return {};
}

template <class Session>
Status BasicIndexWriter<Session>::collect(PartitionIndex& index, Bytes record_key, bson::View document,
                                          query::ExternalSort& rows) {
  CHECK_OK(index.spec->keys->make(document, after_));
  note_multikey(index);
  for (std::size_t i = 0; i < after_.size(); ++i) {
    lay_out(*index.spec, record_key, i, after_);
    CHECK_OK(rows.add({value_.bytes(), key_.bytes()}));
  }
  return {};
}

template <class Session>
Status BasicIndexWriter<Session>::remove(Session& session, PartitionIndex& index, Bytes record_key, bson::View document) {
  CHECK_OK(index.spec->keys->make(document, before_));
  TRY(Cursor cursor, session.cursor(index.table));
  for (std::size_t i = 0; i < before_.size(); ++i) CHECK_OK(erase(cursor, index, record_key, i, before_));
  return {};
}

template <class Session>
Status BasicIndexWriter<Session>::update(Session& session, PartitionIndex& index, Bytes record_key, bson::View before,
                           bson::View after) {
  CHECK_OK(compare(index, before, after));
  if (erased_.empty() && added_.empty()) return {};
  TRY(Cursor cursor, session.cursor(index.table));
  CHECK_OK(erase_old(cursor, index, record_key));
  return add_new(cursor, index, record_key);
}

template <class Session>
Status BasicIndexWriter<Session>::retract(Session& session, PartitionIndex& index, Bytes record_key, Version before,
                                          Version after) {
  return take_step(session, index, record_key, before, after, &BasicIndexWriter::erase_old);
}

template <class Session>
Status BasicIndexWriter<Session>::extend(Session& session, PartitionIndex& index, Bytes record_key, Version before,
                                         Version after) {
  return take_step(session, index, record_key, before, after, &BasicIndexWriter::add_new);
}

template <class Session>
Status BasicIndexWriter<Session>::take_step(Session& session, PartitionIndex& index, Bytes record_key, Version before,
                                            Version after, Step step) {
  CHECK_OK(compare(index, before, after));
  TRY(Cursor cursor, session.cursor(index.table));
  return (this->*step)(cursor, index, record_key);
}

template <class Session>
Status BasicIndexWriter<Session>::erase_old(Cursor& cursor, const PartitionIndex& index, Bytes record_key) {
  for (const std::uint32_t i : erased_) CHECK_OK(erase(cursor, index, record_key, i, before_));
  return {};
}

template <class Session>
Status BasicIndexWriter<Session>::add_new(Cursor& cursor, const PartitionIndex& index, Bytes record_key) {
  for (const std::uint32_t i : added_) CHECK_OK(put(cursor, index, record_key, i, after_));
  return {};
}

/// Both lists are sorted: one walk over the two finds what only one of them has. Equal keys that differ in their types
/// are erased and put again.
template <class Session>
Status BasicIndexWriter<Session>::compare(PartitionIndex& index, Version before, Version after) {
  erased_.clear();
  added_.clear();
  const query::IndexKeyMaker& keys = *index.spec->keys;
  if (before && after && keys.touches_nothing(*before, *after)) return {};
  before_.clear();
  after_.clear();
  if (before) CHECK_OK(keys.make(*before, before_));
  if (after) CHECK_OK(keys.make(*after, after_));
  note_multikey(index);
  std::uint32_t old_at = 0;
  std::uint32_t new_at = 0;
  while (old_at < before_.size() || new_at < after_.size()) {
    int order = old_at == before_.size() ? 1 : new_at == after_.size() ? -1 : 0;
    if (order == 0) order = query::compare_keys(before_.key(old_at), after_.key(new_at));
    if (order == 0 && same(before_.type_bits(old_at), after_.type_bits(new_at))) {
      ++old_at;
      ++new_at;
      continue;
    }
    if (order <= 0) erased_.push_back(old_at++);
    if (order >= 0) added_.push_back(new_at++);
  }
  return {};
}

template <class Session>
auto BasicIndexWriter<Session>::check(Session& session, const PartitionIndex& index, Bytes record_key,
                                      bson::View document) -> Result<Presence> {
  CHECK_OK(index.spec->keys->make(document, after_));
  TRY(Cursor cursor, session.cursor(index.table));
  Presence presence;
  for (std::size_t i = 0; i < after_.size(); ++i) {
    key_.clear();
    key_.append(after_.key(i));
    if (!index.spec->unique) key_.append(record_key);
    TRY(const bool there, cursor.find(key_.bytes()));
    ++presence.entries;
    if (!there || !same(record_key_of(*index.spec, cursor.key(), cursor.value()), record_key)) ++presence.missing;
  }
  return presence;
}

template class BasicIndexWriter<Session>;
template class BasicIndexWriter<MemorySession>;

}  // namespace partita::shards
