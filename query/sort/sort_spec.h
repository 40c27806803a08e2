// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "query/collation/collator.h"
#include "query/keys/encode.h"
#include "query/text/query.h"

namespace partita::query {

namespace geo {
class NearQuery;
}

constexpr std::size_t kMaxSortFields = 32;

struct SortField {
  std::string path;
  keys::Direction direction;
  bool dotted = path.find('.') != std::string::npos;
  bool text_score = false;  ///< Not by a field, but by how well the document fits the query's $text.
};

/// What `sort: {a: 1, "b.c": -1}` asks for, checked. A value; reading is safe from any thread.
class SortSpec {
 public:
  SortSpec() = default;
  /// With MongoDB's errors for what is no sort. An empty document is an empty sort: `find` takes that for none, $sort
  /// refuses it. `$natural` is find's affair too and must not arrive here. `text` is what the filter asks of texts: scores
  /// may be sorted by where there is one.
  static Result<SortSpec> parse(bson::View specification, Collation collation = nullptr,
                                std::shared_ptr<const text::Query> text = nullptr);
  /// The order that $near stands for: the nearest first. It has no fields.
  static SortSpec by_distance(std::shared_ptr<const geo::NearQuery> near);

  std::span<const SortField> fields() const { return fields_; }
  bool empty() const { return fields_.empty() && near_ == nullptr; }
  const std::shared_ptr<const geo::NearQuery>& near() const { return near_; }
  /// Null where no field is a score.
  const std::shared_ptr<const text::Query>& text() const { return text_; }
  const Collator* collation() const { return collation_.get(); }

 private:
  std::vector<SortField> fields_;
  std::shared_ptr<const geo::NearQuery> near_;
  std::shared_ptr<const text::Query> text_;
  Collation collation_;
};

}  // namespace partita::query
