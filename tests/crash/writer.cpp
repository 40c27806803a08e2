// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/crash/writer.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace partita::crash {

using client::Bson;
using client::Problem;

namespace {

constexpr std::array<const char*, 4> kNames{"insert", "update", "replace", "delete"};

Bson by_id(int writer, int key) { return Bson(BCON_NEW("_id", BCON_INT64(id_of(writer, key)))); }

/// Counts up rather than setting the version: a statement carried out twice cannot hide.
Bson modification(const Row& row) {
  const std::string payload = payload_of(row);
  return Bson(BCON_NEW("$inc", "{", "version", BCON_INT64(1), "}", "$set", "{", "slot", BCON_INT32(slot_of(row)),
                       "payload", BCON_UTF8(payload.c_str()), "}"));
}

void append(bson_t* array, std::size_t index, const bson_t* document) {
  bson_append_document(array, std::to_string(index).c_str(), -1, document);
}

}  // namespace

Writer::Writer(int number, const std::string& uri, const std::filesystem::path& directory, std::uint64_t seed,
               WriterOptions options)
    : model_(number, options.keys),
      ledger_(directory / ("writer-" + std::to_string(number) + ".ledger")),
      options_(options),
      random_(seed),
      client_(mongoc_client_new(uri.c_str())),
      last_versions_(static_cast<std::size_t>(options.keys), 0) {
  mongoc_client_set_error_api(client_.get(), MONGOC_ERROR_API_VERSION_2);
  if (!options_.write_concern.empty()) write_concern_ = parse_concern(options_.write_concern);
}

Bson parse_concern(const std::string& json) {
  return Bson(bson_new_from_json(reinterpret_cast<const std::uint8_t*>(json.data()), -1, nullptr));
}

Problem Writer::settle() {
  if (!session_) {
    bson_error_t error;
    session_.reset(mongoc_client_start_session(client_.get(), nullptr, &error));
    if (!session_) return client::problem(error);
    session_option_.reset(bson_new());
    if (!mongoc_client_session_append(session_.get(), session_option_.get(), &error)) return client::problem(error);
  }
  if (!command_) return std::nullopt;
  const bool open = !model_.pending().empty();
  ledger_.write("again " + std::to_string(number_));
  if (send() != Answer::kDone)
    return "writer " + std::to_string(model_.writer()) + ", statement " + std::to_string(number_) + ", " +
           (open ? "unanswered" : "acknowledged") + " before the crash and sent again: " + wrong_;
  if (open) model_.acknowledged();
  ledger_.write("done " + std::to_string(number_));
  return std::nullopt;
}

Problem Writer::work() {
  constexpr int kMost = 20;  // Keys of one statement.
  while (true) {
    const int dice = below(100);
    const Kind kind = dice < 35   ? Kind::kInsert
                      : dice < 65 ? Kind::kUpdate
                      : dice < 80 ? Kind::kReplace
                                  : Kind::kDelete;
    // Most statements are about one key; the others show whether a statement can be torn.
    const std::vector<int> keys = pick(kind != Kind::kInsert, below(4) == 0 ? 1 + below(kMost) : 1);
    if (keys.empty()) continue;
    prepare(kind, keys);
    switch (send()) {
      case Answer::kLost:
        return std::nullopt;
      case Answer::kWrong:
        return "writer " + std::to_string(model_.writer()) + ", statement " + std::to_string(number_) + ": " + wrong_;
      case Answer::kDone:
        ledger_.write("done " + std::to_string(number_));
        model_.acknowledged();
        ++acknowledged_;
    }
  }
}

/// Some keys of which the document is there, or is not; fewer than asked for when there are no more.
std::vector<int> Writer::pick(bool present, int most) {
  std::vector<int> keys(static_cast<std::size_t>(model_.keys()));
  std::iota(keys.begin(), keys.end(), 0);
  std::erase_if(keys, [&](int key) { return (model_.version(key) != 0) != present; });
  std::ranges::shuffle(keys, random_);
  keys.resize(std::min(keys.size(), static_cast<std::size_t>(most)));
  return keys;
}

/// Builds the command, enters it into the ledger and opens its outcome in the model.
void Writer::prepare(Kind kind, const std::vector<int>& keys) {
  ++number_;
  expected_ = static_cast<std::int64_t>(keys.size());
  std::vector<Effect> effects;
  std::string line = "sent " + std::to_string(number_) + " " + kNames[static_cast<std::size_t>(kind)];
  Bson statements(bson_new());
  for (const int key : keys) {
    std::int64_t& last = last_versions_[static_cast<std::size_t>(key)];
    // $inc continues from the version there is; everything else takes one never used for this key.
    const Row row{model_.writer(), key, ++last};
    const Bson filter = by_id(row.writer, key);
    const Bson fresh = kind == Kind::kUpdate ? modification(row) : document_of(row);
    Bson statement;
    if (kind == Kind::kDelete) statement.reset(BCON_NEW("q", BCON_DOCUMENT(filter.get()), "limit", BCON_INT32(1)));
    if (kind == Kind::kUpdate || kind == Kind::kReplace)
      statement.reset(BCON_NEW("q", BCON_DOCUMENT(filter.get()), "u", BCON_DOCUMENT(fresh.get())));
    append(statements.get(), effects.size(), statement ? statement.get() : fresh.get());
    effects.push_back({key, model_.version(key), kind == Kind::kDelete ? 0 : row.version});
    line += " " + std::to_string(key) + ":" + std::to_string(effects.back().before) + ">" +
            std::to_string(effects.back().after);
  }
  const char* name = kind == Kind::kInsert ? "insert" : kind == Kind::kDelete ? "delete" : "update";
  const char* list = kind == Kind::kInsert ? "documents" : kind == Kind::kDelete ? "deletes" : "updates";
  command_.reset(
      BCON_NEW(name, BCON_UTF8(kRows), list, BCON_ARRAY(statements.get()), "txnNumber", BCON_INT64(number_)));
  if (write_concern_) BSON_APPEND_DOCUMENT(command_.get(), "writeConcern", write_concern_.get());
  ledger_.write(line);
  model_.sent(std::move(effects));
}

/// Sends the prepared command once: the driver adds the session, and never repeats a command with its own number.
Writer::Answer Writer::send() {
  client::Reply reply;
  bson_error_t error;
  const bool ok = mongoc_client_write_command_with_opts(client_.get(), kDatabase, command_.get(), session_option_.get(),
                                                        reply.into(), &error);
  wrong_ = ok ? "the reply is " + reply.text() : *client::problem(error) + ", " + reply.text();
  if (!ok && error.domain != MONGOC_ERROR_SERVER && error.domain != MONGOC_ERROR_WRITE_CONCERN) return Answer::kLost;
  const bool clean =
      ok && !bson_has_field(&reply.get(), "writeErrors") && !bson_has_field(&reply.get(), "writeConcernError");
  return clean && reply.number("n") == expected_ ? Answer::kDone : Answer::kWrong;
}

}  // namespace partita::crash
