// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <thread>

#include "commands/arguments.h"
#include "commands/server.h"
#include "shards/partitions/check.h"
#include "shards/store.h"
#include "wire/bson/narrow_number.h"

namespace partita::commands {
namespace {

using shards::Findings;

struct ValidateRequest {
  bool repair = false;
  bson::Value full, metadata, background;
};
const Arguments<ValidateRequest> kArguments{
    {"full", &ValidateRequest::full},              // Everything is always looked at.
    {"metadata", &ValidateRequest::metadata},      // Asks for less, which the whole answers too.
    {"background", &ValidateRequest::background},  // It always is: writers go on.
    {"repair", &ValidateRequest::repair},
    {"checkBSONConformance", nullptr},  // Always done.
};

/// What a check of the whole collection has found, and whether its counters agree with it.
struct Outcome {
  Findings findings;
  shards::Growth counted;
  bool counters_agree = true;
  std::int64_t vain_claims = 0;  ///< Of _ids that no document has.
};

constexpr int kMostAttempts = 20;
/// A commit is counted a moment after it can be seen. A thread may lose its processor between the two, or the engine may
/// have it do other work first, for tenths of a second: so each look waits twice as long for the next one, two and a half
/// seconds in all.
constexpr int kMostLooks = 8;
constexpr std::chrono::milliseconds kBeforeLookingAgain{20};

/// Writers go on meanwhile: counters are only held against the scan when they stood still during it.
Result<Outcome> check(Operation& op, const shards::Collection& collection) {
  TRY(const shards::SessionLease session, shards::SessionLease::take(op.server().store.engine()));
  const std::function<Status()> go_on = [&] { return op.check_interrupt(); };
  Outcome outcome;
  outcome.counted = collection.size();
  for (const shards::Collection::Run& run : collection.runs()) {
    TRY(const Findings findings, shards::check_segment(*session, collection.partitions[run.first], go_on));
    outcome.findings += findings;
  }
  TRY(const std::int64_t claims, shards::count_claims(*session, collection, go_on));
  const shards::Growth after = collection.size();
  const bool quiet = after.documents == outcome.counted.documents && after.bytes == outcome.counted.bytes;
  outcome.counters_agree = !quiet || (after.documents == outcome.findings.growth.documents &&
                                      after.bytes == outcome.findings.growth.bytes);
  const bool claimed = collection.partitions.front().claims != shards::kNoTable;
  if (claimed && quiet) outcome.vain_claims = claims - (outcome.findings.growth.documents - outcome.findings.unclaimed);
  return outcome;
}

bool numbers_agree(const Outcome& outcome) { return outcome.counters_agree && outcome.vain_claims == 0; }

/// What was found is worth nothing when the collection has been divided anew: nobody writes to the tables of a map that is
/// gone, nor counts for them, and who claims an _id now claims it for other tables.
bool is_in_force(Operation& op, const std::shared_ptr<const shards::Collection>& collection) {
  return op.server().store.catalog().share()->share(collection->ns.full()) == collection;
}

Status rest(Operation& op, std::chrono::milliseconds time) {
  for (const auto end = std::chrono::steady_clock::now() + time; std::chrono::steady_clock::now() < end;) {
    CHECK_OK(op.check_interrupt());
    std::this_thread::sleep_for(kBeforeLookingAgain);
  }
  return {};
}

std::vector<std::string> errors_of(const shards::Collection& collection, const Outcome& outcome) {
  using partita::detail::join;
  std::vector<std::string> errors;
  const Findings& findings = outcome.findings;
  if (findings.invalid_documents > 0) {
    errors.push_back(join(findings.invalid_documents, " documents are not valid BSON"));
  }
  if (findings.unclaimed > 0) errors.push_back(join("the _ids of ", findings.unclaimed, " documents are not claimed"));
  if (outcome.vain_claims != 0) errors.push_back(join(outcome.vain_claims, " _ids of no document are claimed"));
  for (std::size_t i = 0; i < findings.indexes.size(); ++i) {
    const auto& [entries, missing, extra] = findings.indexes[i];
    const std::string& name = collection.indexes[i]->name;
    if (missing > 0) errors.push_back(join("index ", name, " lacks ", missing, " entries"));
    if (extra > 0) errors.push_back(join("index ", name, " has ", extra, " entries of no document"));
  }
  if (!outcome.counters_agree) {
    errors.push_back(join("the counters say ", outcome.counted.documents, " documents of ", outcome.counted.bytes,
                          " bytes, there are ", findings.growth.documents, " of ", findings.growth.bytes));
  }
  return errors;
}

void write_indexes(bson::Writer& reply, const shards::Collection& collection, const Findings& findings) {
  reply.add("nIndexes", static_cast<std::int32_t>(collection.index_count()));
  {
    bson::Writer keys = reply.document("keysPerIndex");
    if (collection.records_are_id_index()) add_number(keys, "_id_", findings.growth.documents);
    for (std::size_t i = 0; i < collection.indexes.size(); ++i) {
      add_number(keys, collection.indexes[i]->name, findings.indexes[i].entries);
    }
  }
  bson::Writer details = reply.document("indexDetails");
  if (collection.records_are_id_index()) details.document("_id_").add("valid", true);
  for (std::size_t i = 0; i < collection.indexes.size(); ++i) {
    const Findings::Index& index = findings.indexes[i];
    details.document(collection.indexes[i]->name).add("valid", index.missing == 0 && index.extra == 0);
  }
}

void write(bson::Writer& reply, const shards::Collection& collection, const Outcome& outcome) {
  const std::vector<std::string> errors = errors_of(collection, outcome);
  reply.add("ns", collection.ns.full());
  add_number(reply, "nInvalidDocuments", outcome.findings.invalid_documents);
  reply.add("nNonCompliantDocuments", std::int32_t{0});
  add_number(reply, "nrecords", outcome.findings.growth.documents);
  write_indexes(reply, collection, outcome.findings);
  reply.add("valid", errors.empty());
  reply.add("repaired", false);
  for (const char* none : {"warnings", "extraIndexEntries", "missingIndexEntries", "corruptRecords"}) {
    reply.array(none).close();
  }
  bson::ArrayWriter texts = reply.array("errors");
  for (const std::string& text : errors) texts.push(text);
}

/// What MongoDB cannot do together. That all of it is always done here is no reason to take what would be refused elsewhere.
Status check_together(const ValidateRequest& request) {
  const bool background = request.background.truthy();
  if (request.metadata.truthy() && (background || request.full.truthy() || request.repair)) {
    return error(Code::InvalidOptions, "Running the validate command with { metadata: true } is not supported with any other options");
  }
  if (!background) return {};
  for (const auto& [name, given] : {std::pair{"full", request.full.truthy()}, {"repair", request.repair}}) {
    if (!given) continue;
    return error(Code::InvalidOptions, "Running the validate command with both { background: true } and { ", name, ": true } is not supported.");
  }
  return {};
}

Status validate(Operation& op, bson::Writer& reply) {
  TRY(const ValidateRequest request, kArguments.parse("validate", op.request()));
  TRY(const shards::Namespace ns, op.target_namespace(Code::InvalidNamespace));
  CHECK_OK(check_together(request));
  if (request.repair) return error(Code::CommandNotSupported, "validate cannot repair; drop and recreate indexes instead");
  // A drop, or partitions that move, may take tables away under it, or leave them behind: then it begins anew.
  int looks = 0;
  for (int attempts = 1;; ++attempts) {
    const auto collection = op.server().store.catalog().share()->share(ns.full());
    if (collection == nullptr) {
      return error(Code::NamespaceNotFound, "Collection '", ns.full(), "' does not exist to validate.");
    }
    const Result<Outcome> outcome = check(op, *collection);
    if (outcome.ok()) {
      const bool in_force = errors_of(*collection, *outcome).empty() || is_in_force(op, collection);
      if (in_force && (numbers_agree(*outcome) || ++looks == kMostLooks)) {
        write(reply, *collection, *outcome);
        return {};
      }
      CHECK_OK(rest(op, kBeforeLookingAgain * (1 << std::max(looks - 1, 0))));
    } else if (outcome.status().code() != Code::StaleConfig) {
      return outcome.status();
    }
    if (attempts == kMostAttempts) return error(Code::ConflictingOperationInProgress, ns.full(), " changes while it is validated");
  }
}

const Register kValidate{{
    .name = "validate",
    .help = "Reads a collection and its indexes from end to end and says whether all agree.",
    .where = Where::kWorker,
    .rights = Rights::kDatabaseAdmin,
    .target = Target::kCollection,
    .run = validate,
}};

}  // namespace
}  // namespace partita::commands
