// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/crash/catalog_writer.h"

#include <utility>

#include "tests/crash/writer.h"

namespace partita::crash {

using client::Bson;
using client::Problem;
using client::Reply;

namespace {

constexpr const char* kCatalog = "crash_catalog";
constexpr const char* kIndex = "a_1";
constexpr std::size_t kMostCollections = 8;

/// Calls `each` with every document of a command's first batch, which must be the whole answer.
template <class Each>
Problem list(mongoc_client_t* client, const bson_t* command, Each each) {
  Reply reply;
  if (Problem failed = client::run(client, kCatalog, command, reply)) return failed;
  bson_iter_t top, batch, item;
  bson_iter_init(&top, &reply.get());
  if (!bson_iter_find_descendant(&top, "cursor.firstBatch", &batch) || !bson_iter_recurse(&batch, &item))
    return "no batch in " + reply.text();
  while (bson_iter_next(&item)) {
    bson_iter_t name;
    if (!bson_iter_recurse(&item, &name) || !bson_iter_find(&name, "name") || !BSON_ITER_HOLDS_UTF8(&name))
      return "an entry without a name in " + reply.text();
    each(std::string(bson_iter_utf8(&name, nullptr)));
  }
  return std::nullopt;
}

Bson index_command(const std::string& name) {
  return Bson(BCON_NEW("createIndexes", BCON_UTF8(name.c_str()), "indexes", "[", "{", "key", "{", "a", BCON_INT32(1),
                       "}", "name", BCON_UTF8(kIndex), "}", "]"));
}

Bson insert_command(const std::string& name, std::int64_t id) {
  return Bson(BCON_NEW("insert", BCON_UTF8(name.c_str()), "documents", "[", "{", "_id", BCON_INT64(id), "a",
                       BCON_INT64(-id), "}", "]"));
}

}  // namespace

CatalogWriter::CatalogWriter(const std::string& uri, const std::filesystem::path& directory, std::uint64_t seed,
                             bool with_indexes, const std::string& write_concern)
    : ledger_(directory / "catalog.ledger"),
      random_(seed),
      with_indexes_(with_indexes),
      client_(mongoc_client_new(uri.c_str())) {
  mongoc_client_set_error_api(client_.get(), MONGOC_ERROR_API_VERSION_2);
  if (!write_concern.empty()) write_concern_ = parse_concern(write_concern);
}

Problem CatalogWriter::work() {
  while (true) {
    Change change = choose();
    if (write_concern_) BSON_APPEND_DOCUMENT(change.command.get(), "writeConcern", write_concern_.get());
    std::unique_ptr<char, decltype(&bson_free)> text(bson_as_relaxed_extended_json(change.command.get(), nullptr),
                                                     bson_free);
    ledger_.write(std::string("sent ") + text.get());
    after_ = std::move(change.after);
    Reply reply;
    bson_error_t error;
    if (!mongoc_client_command_simple(client_.get(), change.database.c_str(), change.command.get(), nullptr,
                                      reply.into(), &error)) {
      if (error.domain != MONGOC_ERROR_SERVER) return std::nullopt;
      return std::string("catalog: ") + text.get() + ": " + *client::problem(error);
    }
    if (bson_has_field(&reply.get(), "writeErrors")) return std::string("catalog: ") + text.get() + ": " + reply.text();
    ledger_.write("done");
    world_ = *std::exchange(after_, std::nullopt);
    ++acknowledged_;
  }
}

Problem CatalogWriter::verify() {
  World found;
  if (Problem failed = observe(found)) return "catalog: " + *failed;
  if (found != world_ && (!after_ || found != *after_))
    return "catalog: acknowledged " + describe(world_) + (after_ ? ", under way " + describe(*after_) : "") +
           ", found " + describe(found);
  world_ = std::move(found);
  after_.reset();
  return std::nullopt;
}

CatalogWriter::Change CatalogWriter::choose() {
  if (world_.empty() || (world_.size() < kMostCollections && below(4) == 0)) return create();
  const auto& [name, shape] = *std::next(world_.begin(), below(static_cast<int>(world_.size())));
  World after = world_;
  const int dice = below(10);
  if (dice < 4) {
    const std::int64_t id = after[name].documents++;
    return {std::move(after), kCatalog, insert_command(name, id)};
  }
  if (dice < 6 && with_indexes_) {
    after[name].indexed = !shape.indexed;
    if (!shape.indexed) return {std::move(after), kCatalog, index_command(name)};
    return {std::move(after), kCatalog,
            Bson(BCON_NEW("dropIndexes", BCON_UTF8(name.c_str()), "index", BCON_UTF8(kIndex)))};
  }
  if (dice < 8) return rename(name);
  after.erase(name);
  return {std::move(after), kCatalog, Bson(BCON_NEW("drop", BCON_UTF8(name.c_str())))};
}

CatalogWriter::Change CatalogWriter::create() {
  const std::string name = "c" + std::to_string(++names_);
  World after = world_;
  after[name] = {};
  return {std::move(after), kCatalog, Bson(BCON_NEW("create", BCON_UTF8(name.c_str())))};
}

CatalogWriter::Change CatalogWriter::rename(const std::string& name) {
  const std::string fresh = "c" + std::to_string(++names_);
  World after = world_;
  after[fresh] = after[name];
  after.erase(name);
  const std::string from = std::string(kCatalog) + "." + name;
  const std::string to = std::string(kCatalog) + "." + fresh;
  return {std::move(after), "admin",
          Bson(BCON_NEW("renameCollection", BCON_UTF8(from.c_str()), "to", BCON_UTF8(to.c_str())))};
}

Problem CatalogWriter::observe(World& world) {
  const Bson collections(BCON_NEW("listCollections", BCON_INT32(1), "nameOnly", BCON_BOOL(true)));
  if (Problem failed = list(client_.get(), collections.get(), [&](const std::string& name) { world[name] = {}; }))
    return failed;
  for (auto& [name, shape] : world) {
    const Bson indexes(BCON_NEW("listIndexes", BCON_UTF8(name.c_str())));
    const auto seen = [&shape = shape](const std::string& index) { shape.indexed |= index == kIndex; };
    if (Problem failed = list(client_.get(), indexes.get(), seen)) return failed;
    const Bson documents(BCON_NEW("find", BCON_UTF8(name.c_str()), "batchSize", BCON_INT32(1'000'000)));
    Reply reply;
    if (Problem failed = client::run(client_.get(), kCatalog, documents.get(), reply)) return failed;
    bson_iter_t top, batch, item;
    bson_iter_init(&top, &reply.get());
    if (!bson_iter_find_descendant(&top, "cursor.firstBatch", &batch) || !bson_iter_recurse(&batch, &item))
      return "no batch in " + reply.text();
    while (bson_iter_next(&item)) ++shape.documents;
  }
  return std::nullopt;
}

std::string CatalogWriter::describe(const World& world) {
  std::string text = "{";
  for (const auto& [name, shape] : world)
    text += " " + name + (shape.indexed ? " indexed " : " ") + std::to_string(shape.documents);
  return text + " }";
}

}  // namespace partita::crash
