// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/operation.h"
#include "query/shard_key/shard_key.h"

namespace partita::commands {
namespace {

struct HashRequest {
  bson::Value seed;
};
const Arguments<HashRequest> kArguments{{"seed", &HashRequest::seed}};

/// The place of a value in the space of hashes, as bounds of chunks show it. It is the server's own hash, not MongoDB's.
Status hash_value(Operation& operation, bson::Writer& reply) {
  TRY(const HashRequest request, kArguments.parse("_hashBSONElement", operation.request()));
  if (!request.seed.missing() && !request.seed.is_number()) return error(Code::BadValue, "seed must be a number");
  if (request.seed.to_double().value_or(0) != 0) return error(Code::NotImplemented, "_hashBSONElement.seed must be 0: hashes here have no seed");
  reply.add("key", operation.target());
  reply.add("seed", 0);
  reply.add("out", query::shown_hash(query::hash_of(operation.target())));
  return {};
}

const Register kHashValue{{
    .name = "_hashBSONElement",
    .help = "The hash of a value, as a hashed shard key has it.",
    .rights = Rights::kRead,
    .test_only = true,
    .run = hash_value,
}};

}  // namespace
}  // namespace partita::commands
