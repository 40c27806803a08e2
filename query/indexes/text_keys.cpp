// SPDX-License-Identifier: GPL-3.0-or-later
// A text index has a key for each different term of a document, between the values of the fields before and behind the texts.
// mongod keeps the term's score there too; here it is computed from the document where somebody asks for it.
#include "query/indexes/index_keys.h"
#include "query/keys/text.h"

namespace partita::query {
namespace {

/// Fields beside the texts are written once for each term: what that may take for one document.
constexpr std::size_t kMostBytes = 64 << 20;

void append_term(std::string_view term, bson::Buffer& key, keys::TypeBits& types) {
  types.put(0, 1);
  key.push(static_cast<std::uint8_t>(bson::TypeClass::kString));
  keys::put_text(text::key_of_term(term), key);
}

}  // namespace

Status IndexKeyMaker::make_text(bson::View document, IndexKeys& out) const {
  std::vector<bson::Value> values;
  for (const IndexField& field : fields_) {
    std::size_t part = 0;
    values.push_back(field.form == KeyForm::kText ? bson::Value() : descend(document, field.path, part));
    if (!values.back().is_array()) continue;
    return error(Code::CannotBuildIndexKeys, "Field '", field.path.text(), "' of text index contains an array in document");
  }
  CHECK_OK(out.terms_.collect(*text_, document));
  for (const std::string& term : out.terms_.terms()) {
    out.begin_entry();
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      if (fields_[i].form == KeyForm::kText) {
        append_term(term, out.bytes_, out.types_);
      } else {
        keys::encode_or_null(values[i], fields_[i].direction, out.bytes_, &out.types_);
      }
    }
    out.end_entry();
    if (out.bytes_.size() > kMostBytes) {
      return error(Code{16733}, "trying to index text where term list is too big, max is ", kMostBytes >> 20, "mb");
    }
  }
  out.multikey_ = out.size() > 1 ? 1 : 0;
  out.sort();
  return {};
}

}  // namespace partita::query
