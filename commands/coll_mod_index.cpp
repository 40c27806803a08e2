// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/coll_mod_index.h"

#include <algorithm>

#include "commands/arguments.h"
#include "commands/server.h"
#include "shards/indexes/duplicates.h"
#include "shards/store.h"
#include "wire/bson/compare.h"
#include "wire/bson/json.h"

namespace partita::commands {
namespace {

using shards::IndexSpec;
using SharedSpec = std::shared_ptr<const IndexSpec>;

constexpr std::string_view kCommand = "collMod.index";

Status invalid(std::string_view why) { return error(Code::InvalidOptions, why); }

Status read_field(IndexModification& to, const bson::Field& field) {
  if (field.name == "name") return detail::read(to.name, field.value, kCommand, field.name);
  if (field.name == "keyPattern") return detail::read(to.key_pattern, field.value, kCommand, field.name);
  if (field.name == "expireAfterSeconds") return detail::read(to.expire_after, field.value, kCommand, field.name);
  if (field.name == "hidden") return detail::read(to.hidden, field.value, kCommand, field.name);
  if (field.name == "unique") return detail::read(to.unique, field.value, kCommand, field.name);
  if (field.name == "prepareUnique") return detail::read(to.prepare_unique, field.value, kCommand, field.name);
  return unknown_field(kCommand, field.name);
}

/// That of _id is unique, and stays what it is.
Status check_id_index(const IndexModification& wanted, const shards::Collection& collection) {
  if (wanted.hidden && !collection.clustered_index().empty()) {
    return error(Code{6011800}, "The 'hidden' option is not supported for a clusteredIndex");
  }
  if (wanted.hidden) return error(Code::BadValue, "can't hide _id index");
  return wanted.expire_after ? invalid("the _id field does not support TTL indexes") : Status();
}

Status check(const IndexModification& wanted, const IndexSpec& index) {
  if (wanted.expire_after && *wanted.expire_after < 0) return invalid("TTL index 'expireAfterSeconds' option cannot be less than 0");
  if (wanted.expire_after && index.parts.size() > 1) {
    return invalid("TTL indexes are single-field indexes, compound indexes do not support TTL");
  }
  if (wanted.unique && !index.unique && !index.prepare_unique) {
    return invalid("Cannot make index unique with 'prepareUnique=false'. Run collMod to set it first.");
  }
  const bool prepares = wanted.prepare_unique && !index.unique && *wanted.prepare_unique != index.prepare_unique;
  if (prepares && (wanted.hidden || wanted.expire_after)) return invalid("prepareUnique cannot be combined with any other modification.");
  return {};
}

/// The definition with the wanted options in place of those that are there.
bson::Document altered_definition(const IndexModification& wanted, const IndexSpec& index) {
  constexpr std::string_view kAltered[] = {"hidden", "expireAfterSeconds", "unique", "prepareUnique"};
  const bool unique = index.unique || wanted.unique.value_or(false);
  const bool prepares = !unique && wanted.prepare_unique.value_or(index.prepare_unique);
  return bson::Document::build([&](bson::Writer& out) {
    for (const bson::Field& field : index.definition.view()) {
      if (std::ranges::find(kAltered, field.name) == std::end(kAltered)) out.add(field);
    }
    if (unique) out.add("unique", true);
    if (prepares) out.add("prepareUnique", true);
    if (wanted.hidden.value_or(index.hidden)) out.add("hidden", true);
    if (wanted.expire_after) {
      out.add("expireAfterSeconds", static_cast<std::int32_t>(std::min<std::int64_t>(*wanted.expire_after, INT32_MAX)));
    } else if (index.expire_after) {
      out.add("expireAfterSeconds", *index.expire_after);
    }
  });
}

/// What was and what is, of that which was asked for.
void write_changes(const IndexModification& wanted, const IndexSpec& before, bson::Writer& reply) {
  if (wanted.expire_after) {
    if (before.expire_after) reply.add("expireAfterSeconds_old", std::int64_t{*before.expire_after});
    reply.add("expireAfterSeconds_new", std::min<std::int64_t>(*wanted.expire_after, INT32_MAX));
  }
  if (wanted.hidden && *wanted.hidden != before.hidden) {
    reply.add("hidden_old", before.hidden);
    reply.add("hidden_new", *wanted.hidden);
  }
  if (wanted.unique && !before.unique) reply.add("unique_new", true);
  if (wanted.prepare_unique && !before.unique && *wanted.prepare_unique != before.prepare_unique) {
    reply.add("prepareUnique_old", before.prepare_unique);
    reply.add("prepareUnique_new", *wanted.prepare_unique);
  }
}

/// Succeeds when no two documents have the same fields.
Status check_duplicates(Operation& operation, const std::shared_ptr<const shards::Collection>& collection, const SharedSpec& index) {
  bson::Buffer details;
  std::size_t named = 0;
  {
    bson::Writer out(details);
    bson::ArrayWriter violations = out.array("violations");
    const auto go_on = [&] { return operation.check_interrupt(); };
    TRY(named, shards::write_duplicates(operation.server().store, collection, index, go_on, violations));
  }
  if (named == 0) return {};
  return error(Code::CannotConvertIndexToUnique,
               "Cannot convert the index to unique. Please resolve conflicting documents before running collMod again.")
      .with_details({details.data(), details.data() + details.size()});
}

}  // namespace

Result<IndexModification> IndexModification::parse(bson::View index) {
  IndexModification wanted;
  for (const bson::Field& field : index) CHECK_OK(read_field(wanted, field));
  if (!wanted.name && !wanted.key_pattern) return invalid("Must specify either index name or key pattern.");
  if (wanted.name && wanted.key_pattern) return invalid("Cannot specify both key pattern and name.");
  if (!wanted.expire_after && !wanted.hidden && !wanted.unique && !wanted.prepare_unique) {
    return invalid("no expireAfterSeconds, hidden, unique, or prepareUnique field");
  }
  if (wanted.unique && !*wanted.unique) return error(Code::BadValue, "Cannot make index non-unique");
  return wanted;
}

Result<SharedSpec> IndexModification::find(const shards::Collection& collection) const {
  if (name && *name == collection.id_index_name()) return SharedSpec();
  const bool on_id = key_pattern && key_pattern->count() == 1 && (*key_pattern)["_id"].exact_int64() == 1;
  if (on_id) return SharedSpec();
  SharedSpec found;
  for (const auto& spec : collection.indexes) {
    const bool meant = name ? spec->name == *name : bson::equal(spec->definition["key"], bson::Value::of(*key_pattern));
    if (!meant) continue;
    if (found != nullptr) {
      return error(Code::AmbiguousIndexKeyPattern, "index keyPattern ", bson::to_shell(*key_pattern), " matches several indexes, must use "
                   "index name. Conflicting indexes:", bson::to_shell(found->definition), ", ", bson::to_shell(spec->definition));
    }
    found = spec;
  }
  if (found != nullptr) return found;
  return error(Code::IndexNotFound, "cannot find index ", name ? std::string(*name) : bson::to_shell(*key_pattern), " for ns ", collection.ns.full());
}

Status modify_index(Operation& operation, const shards::Namespace& ns, const IndexModification& modification, bool dry_run,
                    bson::Writer& reply) {
  shards::Catalog& catalog = operation.server().store.catalog();
  const auto go_on = [&] { return operation.check_interrupt(); };
  SharedSpec before;
  std::shared_ptr<const shards::Collection> collection;
  bool anew = false;
  // Asked once more where the entries have to be made anew, which is not done under the lock of a moment.
  const auto alter = [&](const shards::Collection& now, bool may_build) -> Result<std::optional<shards::IndexRow>> {
    TRY(before, modification.find(now));
    if (before == nullptr) {
      CHECK_OK(check_id_index(modification, now));
      return std::optional<shards::IndexRow>();
    }
    CHECK_OK(check(modification, *before));
    anew = modification.unique && !before->unique;
    if (dry_run || (anew && !may_build)) return std::optional<shards::IndexRow>();
    return std::optional(shards::IndexRow{before->id, altered_definition(modification, *before)});
  };
  collection = catalog.share()->share(ns.full());
  CHECK_OK(catalog.alter_index(ns, [&](const shards::Collection& now) { return alter(now, false); }, go_on));
  if (anew) CHECK_OK(check_duplicates(operation, collection, before));
  if (dry_run) return {};
  if (anew) {
    Status built = catalog.rebuild_index(ns, [&](const shards::Collection& now) { return alter(now, true); }, go_on);
    if (built.code() == Code::DuplicateKey) CHECK_OK(check_duplicates(operation, catalog.share()->share(ns.full()), before));
    CHECK_OK(std::move(built));
  }
  if (before != nullptr) write_changes(modification, *before, reply);
  return {};
}

}  // namespace partita::commands
