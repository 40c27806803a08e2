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

/// What an explain is about; the command itself where it is none.
bson::View explained(bson::View command) {
  const auto first = command.begin();
  const bool wraps = first != command.end() && first->name == "explain" && first->value.is_document();
  return wraps ? first->value.as_document() : command;
}

void copy_flat(bson::Writer& to, bson::View command) {
  const Secrets* secrets = secrets_of(command);
  for (const bson::Field& field : command) {
    if (secrets != nullptr && is_secret(*secrets, field.name)) {
      to.add(field.name, kHidden);
    } else {
      to.add(field);
    }
  }
}

}  // namespace

bool holds_secrets(bson::View command) {
  return secrets_of(explained(command)) != nullptr || command.has(kSpeculative);
}

bson::Document without_secrets(bson::View command) {
  if (const bson::View inner = explained(command); inner.data() != command.data()) {
    return bson::Document::build([&](bson::Writer& to) {
      bson::Writer hidden = to.document("explain");
      copy_flat(hidden, inner);
    });
  }
  if (secrets_of(command) != nullptr) return bson::Document::build([&](bson::Writer& to) { copy_flat(to, command); });
  return bson::Document::build([&](bson::Writer& to) {
    for (const bson::Field& field : command) {
      if (field.name == kSpeculative && field.value.is_document()) {
        bson::Writer inner = to.document(field.name);
        copy_flat(inner, field.value.as_document());
      } else {
        to.add(field);
      }
    }
  });
}

}  // namespace partita::log
