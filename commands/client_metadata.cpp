// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/client_metadata.h"

#include <initializer_list>

namespace partita::commands {
namespace {

constexpr std::size_t kMaxSize = 1024;  // Routers take twice of what mongod does.
constexpr std::size_t kMaxApplicationName = 128;
constexpr std::string_view kWhere = " in the client metadata document";

/// The sub-document `section` with all `fields` in it, as strings.
Status check_section(bson::View metadata, std::string_view section, std::initializer_list<std::string_view> fields) {
  const bson::Value value = metadata[section];
  if (value.missing()) {
    return error(Code::ClientMetadataMissingField, "Missing required sub-document '", section, "'", kWhere);
  }
  if (!value.is_document()) {
    return error(Code::TypeMismatch, "The '", section, "' field is required to be a BSON document", kWhere);
  }
  for (const std::string_view field : fields) {
    const bson::Value text = value.as_document()[field];
    if (text.missing()) {
      return error(Code::ClientMetadataMissingField, "Missing required field '", section, ".", field, "'", kWhere);
    }
    if (!text.is_string()) {
      return error(Code::TypeMismatch, "The '", section, ".", field, "' field must be a string", kWhere);
    }
  }
  return {};
}

Status check_application(bson::Value application) {
  if (application.missing()) return {};
  if (!application.is_document()) {
    return error(Code::TypeMismatch, "The 'application' field is required to be a BSON document", kWhere);
  }
  const bson::Value name = application.as_document()["name"];
  if (name.missing()) return {};
  if (!name.is_string()) return error(Code::TypeMismatch, "The 'application.name' field must be a string", kWhere);
  if (name.as_string().size() > kMaxApplicationName) {
    return error(Code::ClientMetadataAppNameTooLarge, "The 'application.name' field must be less then or equal to ",
                 kMaxApplicationName, " bytes", kWhere);
  }
  return {};
}

}  // namespace

Status check_client_metadata(bson::Value metadata) {
  if (!metadata.is_document()) return error(Code::TypeMismatch, "The client metadata document must be a document");
  const bson::View document = metadata.as_document();
  if (document.size() > kMaxSize) {
    return error(Code::ClientMetadataDocumentTooLarge, "The client metadata document must be less then or equal to ",
                 kMaxSize, " bytes: ", document.size());
  }
  CHECK_OK(check_application(document["application"]));
  CHECK_OK(check_section(document, "driver", {"name", "version"}));
  return check_section(document, "os", {"type"});
}

}  // namespace partita::commands
