// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/driver/server.h"

#include <gtest/gtest.h>

namespace partita::test {
namespace {

namespace fs = std::filesystem;

fs::path make_directory() {
  std::string pattern = (fs::temp_directory_path() / "partita-driver-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no directory for a test: " + pattern);
  return pattern;
}

std::vector<std::string> arguments(const fs::path& directory, std::vector<std::string> more) {
  more.insert(more.end(), {"--setParameter", "enableTestCommands=1", "--unixSocketPrefix", directory.string(),
                           "--wiredTigerCacheSizeGB", "0.5"});
  return more;
}

void must(const client::Problem& problem) {
  if (problem) throw std::runtime_error(*problem);
}

}  // namespace

Server::Server(std::vector<std::string> more_arguments)
    : directory_(make_directory()),
      process_(PARTITA_SERVER, directory_, arguments(directory_, std::move(more_arguments))) {
  mongoc_init();
  must(process_.launch());
  must(process_.wait_ready());
}

Server::~Server() {
  process_.kill();
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

Server& Server::shared() {
  static Server server;
  return server;
}

std::string Server::uri(const std::string& more_options) const {
  const std::string address = "mongodb://127.0.0.1:" + std::to_string(process_.port()) + "/";
  return more_options.empty() ? address : address + "?" + more_options;
}

std::string Server::socket_uri() const {
  std::string path;
  for (const char c : (directory_ / ("mongodb-" + std::to_string(process_.port()) + ".sock")).string())
    path += c == '/' ? "%2F" : std::string(1, c);
  return "mongodb://" + path + "/";
}

client::Client Server::connect(const std::string& options) const {
  client::Client made(mongoc_client_new(uri(options).c_str()));
  if (made == nullptr) throw std::runtime_error("not a URI: " + uri(options));
  return made;
}

client::Bson json(const std::string& text) {
  bson_error_t error;
  client::Bson document(bson_new_from_json(reinterpret_cast<const std::uint8_t*>(text.data()),
                                           static_cast<ssize_t>(text.size()), &error));
  if (document == nullptr) throw std::runtime_error(text + ": " + error.message);
  return document;
}

void must_run(mongoc_client_t* client, const std::string& command, const char* database) {
  client::Reply reply;
  const client::Problem problem = client::run(client, database, json(command).get(), reply);
  EXPECT_FALSE(problem) << command << ": " << *problem;
}

std::int64_t number_of(mongoc_client_t* client, const std::string& command, const char* dotted_field,
                       const char* database) {
  client::Reply reply;
  const client::Problem problem = client::run(client, database, json(command).get(), reply);
  EXPECT_FALSE(problem) << command << ": " << *problem;
  bson_iter_t top, found;
  const bool there = bson_iter_init(&top, &reply.get()) && bson_iter_find_descendant(&top, dotted_field, &found);
  EXPECT_TRUE(there) << dotted_field << " of " << reply.text().substr(0, 500);
  return there ? bson_iter_as_int64(&found) : -1;
}

std::int64_t count(mongoc_client_t* client, const std::string& collection, const std::string& filter) {
  return number_of(client, R"({"count": ")" + collection + R"(", "query": )" + filter + "}", "n");
}

FailPoint::FailPoint(mongoc_client_t* client, std::string name, const std::string& data)
    : client_(client), name_(std::move(name)) {
  must_run(client_, R"({"configureFailPoint": ")" + name_ + R"(", )" + data + "}", "admin");
}

FailPoint::~FailPoint() { must_run(client_, R"({"configureFailPoint": ")" + name_ + R"(", "mode": "off"})", "admin"); }

Emptied::Emptied(mongoc_client_t* client, const char* name)
    : collection_(mongoc_client_get_collection(client, "driver", name)) {
  must_run(client, std::string(R"({"drop": ")") + name + R"("})");
}

void Emptied::fill(int first, int last) const {
  std::vector<client::Bson> owned;
  std::vector<const bson_t*> documents;
  for (int id = first; id <= last; ++id) owned.emplace_back(BCON_NEW("_id", BCON_INT32(id)));
  for (const client::Bson& document : owned) documents.push_back(document.get());
  bson_error_t error;
  const bool inserted =
      mongoc_collection_insert_many(get(), documents.data(), documents.size(), nullptr, nullptr, &error);
  EXPECT_TRUE(inserted) << error.message;
}

client::Problem Emptied::insert(const std::string& document, const std::string& options) const {
  bson_error_t error;
  const bool inserted =
      mongoc_collection_insert_one(get(), json(document).get(), json(options).get(), nullptr, &error);
  return inserted ? std::nullopt : client::Problem(client::problem(error));
}

}  // namespace partita::test
