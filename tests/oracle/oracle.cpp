// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/oracle/oracle.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "tests/server/libbson.h"

namespace partita::test {
namespace {

using bson::Document;
using bson::View;
using bson::Writer;

std::string g_why_not;

}  // namespace

Oracle* Oracle::get() {
  static const std::unique_ptr<Oracle> oracle = start();
  return oracle.get();
}

const std::string& Oracle::why_not() { return g_why_not; }

std::unique_ptr<Oracle> Oracle::start() {
  std::unique_ptr<OracleProcess> process = OracleProcess::start("--cache-gb 0.25", g_why_not);
  if (process == nullptr) return nullptr;
  std::printf("random cases from seed %llu on\n", static_cast<unsigned long long>(first_seed()));
  mongoc_init();
  std::unique_ptr<Oracle> oracle(new Oracle);
  oracle->client_.reset(mongoc_client_new(process->uri().c_str()));
  oracle->process_ = std::move(process);
  return oracle;
}

void Oracle::fill(const char* collection, const std::vector<Document>& documents) {
  run(Document::build([&](Writer& w) { w.add("drop", collection); }));
  constexpr std::size_t kBatch = 500;
  for (std::size_t begin = 0; begin < documents.size(); begin += kBatch) {
    const Document insert = Document::build([&](Writer& w) {
      w.add("insert", collection);
      bson::ArrayWriter batch = w.array("documents");
      for (std::size_t i = begin; i < std::min(begin + kBatch, documents.size()); ++i) batch.push(documents[i].view());
    });
    const Document reply = run(insert);
    if (reply.view().has("writeErrors") || reply["ok"].to_double() != 1) throw std::runtime_error("mongod took no insert");
  }
}

Document Oracle::run(View command) {
  const Borrowed borrowed(command);
  bson_t reply;
  bson_error_t problem;
  mongoc_client_command_simple(client_.get(), "test", &borrowed.document, nullptr, &reply, &problem);
  Document copied = copy_of(&reply);
  bson_destroy(&reply);
  return copied;
}

std::vector<Document> Oracle::query(View command) {
  const Borrowed borrowed(command);
  bson_t reply;
  bson_error_t problem;
  std::vector<Document> documents;
  if (!mongoc_client_command_simple(client_.get(), "test", &borrowed.document, nullptr, &reply, &problem)) {
    bson_destroy(&reply);
    return documents;
  }
  mongoc_cursor_t* cursor = mongoc_cursor_new_from_command_reply_with_opts(client_.get(), &reply, nullptr);
  const bson_t* document = nullptr;
  while (mongoc_cursor_next(cursor, &document)) documents.push_back(copy_of(document));
  mongoc_cursor_destroy(cursor);
  return documents;
}

}  // namespace partita::test
