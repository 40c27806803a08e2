// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>

#include "wire/bson/writer.h"

namespace partita::commands {

struct Server;

/// One part of what serverStatus answers. Adding one is adding a file:
///
///     const RegisterSection kMem{{.name = "mem", .write = write_mem}};
struct Section {
  std::string_view name;
  bool by_default = true;  ///< Otherwise only when it is asked for: {serverStatus: 1, name: 1}.
  Status (*write)(Server& server, bson::Writer& section) = nullptr;
};

class RegisterSection {
 public:
  explicit RegisterSection(const Section& section);
};

/// All sections by name. Complete before main() begins.
const std::map<std::string_view, Section>& all_sections();

}  // namespace partita::commands
