// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/oracle/oracle.h"

#include <array>
#include <cstdio>
#include <stdexcept>

namespace partita::test {
namespace {

using bson::Document;
using bson::View;
using bson::Writer;

/// What the tool prints, and its exit code.
std::pair<std::string, int> call_tool(const std::string& arguments) {
  const std::string command = std::string(PARTITA_ORACLE_TOOL) + " " + arguments + " 2>&1";
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {"popen failed", -1};
  std::string printed;
  std::array<char, 256> chunk;
  while (const std::size_t count = std::fread(chunk.data(), 1, chunk.size(), pipe)) printed.append(chunk.data(), count);
  return {printed, WEXITSTATUS(pclose(pipe))};
}

std::string g_why_not;

/// A libbson face on our bytes.
struct Borrowed {
  explicit Borrowed(View view) { bson_init_static(&document, view.data(), view.size()); }
  bson_t document;
};

Document copy_of(const bson_t* document) { return Document(View::trusted(bson_get_data(document))); }

}  // namespace

Oracle* Oracle::get() {
  static const std::unique_ptr<Oracle> oracle = start();
  return oracle.get();
}

const std::string& Oracle::why_not() { return g_why_not; }

std::unique_ptr<Oracle> Oracle::start() {
  const auto [printed, exit_code] = call_tool("start --cache-gb 0.25");
  if (exit_code != 0) {
    g_why_not = printed;
    return nullptr;
  }
  mongoc_init();
  const std::string line = printed.substr(printed.rfind("mongodb://"));  // Fetching it has something to say first.
  const std::string uri = line.substr(0, line.find(' '));
  std::unique_ptr<Oracle> oracle(new Oracle);
  const std::size_t port = uri.find(':', std::string_view("mongodb://").size()) + 1;
  oracle->port_ = uri.substr(port, uri.find('/', port) - port);
  oracle->client_.reset(mongoc_client_new(uri.c_str()));
  return oracle;
}

Oracle::~Oracle() {
  client_.reset();
  call_tool("stop --port " + port_);
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
