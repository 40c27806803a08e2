// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <mongoc/mongoc.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/oracle/seeds.h"
#include "tests/server/oracle_process.h"
#include "wire/bson/document.h"

namespace partita::test {

/// A connection to a real mongod, which is started on first use and stopped with the program.
class Oracle {
 public:
  /// nullptr where no mongod can be had: the test should then skip itself, with why_not().
  static Oracle* get();
  static const std::string& why_not();

  /// Empties the collection and puts these documents in.
  void fill(const char* collection, const std::vector<bson::Document>& documents);
  /// Runs a command on database "test" and gives its reply, an error reply too.
  bson::Document run(bson::View command);
  /// All documents of a find or aggregate command, in order; none when it fails.
  std::vector<bson::Document> query(bson::View command);

 private:
  Oracle() = default;
  struct Close {
    void operator()(mongoc_client_t* client) const { mongoc_client_destroy(client); }
  };
  static std::unique_ptr<Oracle> start();
  std::unique_ptr<OracleProcess> process_;
  std::unique_ptr<mongoc_client_t, Close> client_;  // Goes before the process that it speaks to.
};

}  // namespace partita::test
