// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "query/path/field_path.h"
#include "wire/error/status.h"

namespace partita::query {

constexpr std::string_view kMatchedElement = "$";

/// A path that makes nothing may be longer than documents are deep: then it leads nowhere.
constexpr std::size_t kMaxUpdatePathParts = 1000;

/// What stands between the brackets of "$[]" and "$[name]"; nullopt for any other name.
std::optional<std::string_view> chosen_elements(std::string_view name);

/// A path whose fields depend on the document, or on how the filter has found it.
bool is_dynamic(const FieldPath& path);

/// What an update demands of a path, whatever it does there.
Status check_update_path(const FieldPath& path);

}  // namespace partita::query
