// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>

#include "tests/server/server_process.h"
#include "tools/client/mongo.h"

namespace partita::test {

/// A partitad of our own with its data in a directory that goes with it. Test commands are on; a unix socket is there.
class Server {
 public:
  /// The one that most tests share, started on first use.
  static Server& shared();
  explicit Server(std::vector<std::string> more_arguments = {});
  ~Server();

  ServerProcess& process() { return process_; }
  std::string uri(const std::string& more_options = "") const;
  std::string socket_uri() const;
  /// A client of mongo-c-driver; `options` in the URI's form: "appName=a&compressors=zstd".
  client::Client connect(const std::string& options = "") const;

 private:
  std::filesystem::path directory_;
  ServerProcess process_;
};

client::Bson json(const std::string& text);

/// Runs a command that has to succeed, and gives the number in a field of its reply, which must be there.
std::int64_t number_of(mongoc_client_t* client, const std::string& command, const char* dotted_field,
                       const char* database = "driver");
/// Runs a command that has to succeed.
void must_run(mongoc_client_t* client, const std::string& command, const char* database = "driver");
std::int64_t count(mongoc_client_t* client, const std::string& collection, const std::string& filter = "{}");

/// Switches on a fail point, and off again at the end of the scope.
class FailPoint {
 public:
  /// `data` is the document of configureFailPoint without its first field: R"("mode": "alwaysOn")".
  FailPoint(mongoc_client_t* client, std::string name, const std::string& data);
  ~FailPoint();

 private:
  mongoc_client_t* client_;
  std::string name_;
};

/// A collection, empty when the test begins.
class Emptied {
 public:
  Emptied(mongoc_client_t* client, const char* name);
  mongoc_collection_t* get() const { return collection_.get(); }
  /// Inserts {_id: first} to {_id: last}, in one batch.
  void fill(int first, int last) const;
  /// nullopt, or what the driver says.
  client::Problem insert(const std::string& document, const std::string& options = "{}") const;

 private:
  client::Collection collection_;
};

}  // namespace partita::test
