// SPDX-License-Identifier: GPL-3.0-or-later
#include <mongoc/mongoc.h>

#include <map>
#include <stdexcept>

#include "tests/server/libbson.h"
#include "tests/text/target.h"
#include "tools/client/mongo.h"

namespace partita::test {
namespace {

class UriTarget : public Target {
 public:
  explicit UriTarget(const std::string& uri) : client_(mongoc_client_new(uri.c_str())) {
    if (client_ == nullptr) throw std::runtime_error("not a URI: " + uri);
  }

  bson::Document run(std::string_view database, bson::View command) override {
    const bson::Document body = bson::Document::build([&](bson::Writer& out) {
      for (const bson::Field& field : command)
        if (field.name != "lsid") out.add(field);
    });
    const Borrowed borrowed(body.view());
    const client::Bson options(bson_new());
    bson_error_t problem;
    const bson::Value id = command["lsid"].is_document() ? command["lsid"].as_document()["id"] : bson::Value();
    if (id.is(bson::Type::kBinary) && !mongoc_client_session_append(session(id), options.get(), &problem))
      throw std::runtime_error(problem.message);
    client::Reply reply;
    const bool ok = mongoc_client_command_with_opts(client_.get(), std::string(database).c_str(), &borrowed.document,
                                                    nullptr, options.get(), reply.into(), &problem);
    if (!ok && bson_empty(&reply.get())) throw std::runtime_error(problem.message);  // No server has said that.
    return copy_of(&reply.get());
  }

 private:
  /// The driver makes its sessions' ids: one of them for each that the cases name.
  mongoc_client_session_t* session(bson::Value id) {
    client::Session& session = sessions_[std::string(id.as_binary().bytes)];
    bson_error_t problem;
    if (session == nullptr) session.reset(mongoc_client_start_session(client_.get(), nullptr, &problem));
    if (session == nullptr) throw std::runtime_error(problem.message);
    return session.get();
  }

  client::Client client_;
  std::map<std::string, client::Session> sessions_;  // Go before the client.
};

}  // namespace

std::unique_ptr<Target> make_uri_target(const std::string& uri) {
  mongoc_init();
  return std::make_unique<UriTarget>(uri);
}

}  // namespace partita::test
