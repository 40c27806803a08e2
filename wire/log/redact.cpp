// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/log/redact.h"

#include <algorithm>
#include <array>

namespace partita::log {
namespace {

constexpr std::string_view kHidden = "xxx";
constexpr std::string_view kSpeculative = "speculativeAuthenticate";

struct Secrets {
  std::string_view command;
  std::array<std::string_view, 3> fields;
};
constexpr std::array kSecrets{
    Secrets{"createUser", {"pwd"}},
    Secrets{"updateUser", {"pwd"}},
    Secrets{"saslStart", {"payload"}},
    Secrets{"saslContinue", {"payload"}},
    Secrets{"authenticate", {"key", "nonce", "pwd"}},
    Secrets{"copydbsaslstart", {"payload"}},
    Secrets{"copydb", {"key", "nonce", "payload"}},
};

const Secrets* secrets_of(bson::View command) {
  const auto first = command.begin();
  if (first == command.end()) return nullptr;
  const auto found =
      std::find_if(kSecrets.begin(), kSecrets.end(), [&](const Secrets& one) { return one.command == first->name; });
  return found == kSecrets.end() ? nullptr : &*found;
}

bool is_secret(const Secrets& secrets, std::string_view field) {
  return std::find(secrets.fields.begin(), secrets.fields.end(), field) != secrets.fields.end() && !field.empty();
}

bool is_anyones_secret(std::string_view field) {
  return std::any_of(kSecrets.begin(), kSecrets.end(), [&](const Secrets& one) { return is_secret(one, field); });
}

bool is_explain(bson::View command) {
  const auto first = command.begin();
  return first != command.end() && first->name == "explain" && first->value.is_document();
}

/// What an explain is about, also one of an explain; the command itself where it is none.
bson::View explained(bson::View command) {
  while (is_explain(command)) command = command.begin()->value.as_document();
  return command;
}

/// A proof in a greeting. Its fields may stand in any order, so the first of them says nothing.
void write_proof(bson::Writer& to, bson::Value proof) {
  if (!proof.is_document()) return to.add(kSpeculative, kHidden);
  bson::Writer inner = to.document(kSpeculative);
  for (const bson::Field& field : proof.as_document()) {
    if (is_anyones_secret(field.name)) {
      inner.add(field.name, kHidden);
    } else {
      inner.add(field);
    }
  }
}

void write_hidden(bson::Writer& to, bson::View command) {
  const Secrets* secrets = secrets_of(command);
  for (const bson::Field& field : command) {
    if (field.name == kSpeculative) {
      write_proof(to, field.value);
    } else if (secrets != nullptr && is_secret(*secrets, field.name)) {
      to.add(field.name, kHidden);
    } else {
      to.add(field);
    }
  }
}

}  // namespace

bool holds_secrets(bson::View command) {
  const bson::View inner = explained(command);
  return secrets_of(inner) != nullptr || inner.has(kSpeculative) || command.has(kSpeculative);
}

bson::Document without_secrets(bson::View command) {
  return bson::Document::build([&](bson::Writer& to) {
    if (!is_explain(command)) return write_hidden(to, command);
    bson::Writer inner = to.document("explain");
    write_hidden(inner, explained(command));
  });
}

}  // namespace partita::log
