// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/indexes/key_document.h"

#include <utility>

namespace partita::query {

bool may_be_missing(std::uint8_t lead) {
  return lead == static_cast<std::uint8_t>(bson::TypeClass::kNull) || lead == static_cast<std::uint8_t>(bson::TypeClass::kUndefined);
}

KeyDocument::KeyDocument(std::vector<Field> fields) : fields_(std::move(fields)) {
  while (!fields_.empty() && !fields_.back().wanted) fields_.pop_back();
}

/// A dotted path is documents in one another.
Status KeyDocument::add(const Field& field, keys::Decoder& decoder, bson::Writer& out) {
  std::string_view rest = field.path;
  std::vector<bson::Writer> open;
  for (std::size_t dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
    bson::Writer inner = (open.empty() ? out : open.back()).document(rest.substr(0, dot));
    open.push_back(std::move(inner));
    rest.remove_prefix(dot + 1);
  }
  Status status = decoder.next(field.direction, rest, open.empty() ? out : open.back());
  while (!open.empty()) open.pop_back();  // From the inside out.
  return status;
}

Result<std::optional<bson::View>> KeyDocument::make(std::span<const std::uint8_t> key, std::span<const std::uint8_t> type_bits,
                                                    Scratch& scratch) const {
  scratch.decoder.reset(key, type_bits);
  scratch.built.clear();
  {
    bson::Writer out(scratch.built);
    for (const Field& field : fields_) {
      if (field.wanted && may_be_missing(scratch.decoder.lead(field.direction))) return std::optional<bson::View>();
      if (field.wanted) {
        CHECK_OK(add(field, scratch.decoder, out));
      } else {
        scratch.passed_over.clear();
        bson::Writer nowhere(scratch.passed_over);
        CHECK_OK(scratch.decoder.next(field.direction, "", nowhere));
      }
    }
  }
  return std::optional(bson::View::trusted(scratch.built.data()));
}

}  // namespace partita::query
