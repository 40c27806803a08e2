// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/crash/model.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace partita::crash {
namespace {

using Versions = std::map<int, std::int64_t>;

std::string name_of(const Row& row) {
  return "writer " + std::to_string(row.writer) + ", key " + std::to_string(row.key) + ", version " +
         std::to_string(row.version);
}

std::string state(std::int64_t version) { return version == 0 ? "absent" : "version " + std::to_string(version); }

std::int64_t found_in(const Versions& found, int key) {
  const auto at = found.find(key);
  return at == found.end() ? 0 : at->second;
}

/// The statement without an answer: each effect whole or not at all, and none after one that is missing.
void check_pending(const Model& model, Versions& found, std::vector<std::string>& wrong) {
  bool missing = false;
  for (const Effect& effect : model.pending()) {
    const std::int64_t is = found_in(found, effect.key);
    const std::string what = "writer " + std::to_string(model.writer()) + ", key " + std::to_string(effect.key) + ": ";
    if (is != effect.before && is != effect.after)
      wrong.push_back(what + "unanswered change from " + state(effect.before) + " to " + state(effect.after) +
                      ", found " + state(is));
    if (is == effect.after && missing)
      wrong.push_back(what + "changed although an earlier change of its statement is missing");
    missing |= is != effect.after;
    found.erase(effect.key);
  }
}

void check_writer(const Model& model, Versions found, std::vector<std::string>& wrong) {
  std::vector<bool> open(static_cast<std::size_t>(model.keys()), false);
  for (const Effect& effect : model.pending()) open[static_cast<std::size_t>(effect.key)] = true;
  check_pending(model, found, wrong);
  for (int key = 0; key < model.keys(); ++key) {
    const std::int64_t is = found_in(found, key);
    if (!open[static_cast<std::size_t>(key)] && is != model.version(key))
      wrong.push_back("writer " + std::to_string(model.writer()) + ", key " + std::to_string(key) +
                      ": acknowledged as " + state(model.version(key)) + ", found " + state(is));
    found.erase(key);
  }
  for (const auto& [key, version] : found) wrong.push_back("nobody wrote " + name_of({model.writer(), key, version}));
}

void report_missing(const std::vector<Row>& from, const std::vector<Row>& in, const char* text,
                    std::vector<std::string>& wrong) {
  std::vector<Row> missing;
  std::ranges::set_difference(from, in, std::back_inserter(missing));
  for (const Row& row : missing) wrong.push_back(name_of(row) + text);
}

}  // namespace

void Model::acknowledged() {
  for (const Effect& effect : pending_) versions_[static_cast<std::size_t>(effect.key)] = effect.after;
  pending_.clear();
}

std::vector<std::string> findings(const std::vector<const Model*>& models, Snapshot snapshot) {
  std::vector<std::string> wrong;
  std::map<int, Versions> by_writer;
  std::ranges::sort(snapshot.scanned);
  std::ranges::sort(snapshot.indexed);
  for (const Row& row : snapshot.scanned)
    if (!by_writer[row.writer].emplace(row.key, row.version).second) wrong.push_back(name_of(row) + " is there twice");
  for (const Model* model : models) {
    check_writer(*model, std::move(by_writer[model->writer()]), wrong);
    by_writer.erase(model->writer());
  }
  for (const auto& [writer, versions] : by_writer)
    wrong.push_back("rows of an unknown writer " + std::to_string(writer));
  report_missing(snapshot.scanned, snapshot.indexed, " is missing in the index", wrong);
  report_missing(snapshot.indexed, snapshot.scanned, " is in the index only", wrong);
  if (snapshot.counted != static_cast<std::int64_t>(snapshot.scanned.size()))
    wrong.push_back("count says " + std::to_string(snapshot.counted) + ", a scan finds " +
                    std::to_string(snapshot.scanned.size()));
  return wrong;
}

}  // namespace partita::crash
