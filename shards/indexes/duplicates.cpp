// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/indexes/duplicates.h"

#include <algorithm>

#include "shards/router/collection_scan.h"

namespace partita::shards {
namespace {

constexpr std::size_t kMostBytes = std::size_t{8} << 20;

/// The _ids of entries with the same fields, as they come one behind the other.
class Group {
 public:
  explicit Group(bson::ArrayWriter& out) : out_(out) {}

  void add(Bytes fields, bson::Value id) {
    if (!std::ranges::equal(fields, Bytes(fields_))) {
      close();
      fields_.assign(fields.begin(), fields.end());
    }
    ids_.push_back(bson::Document::build([&](bson::Writer& one) { one.add("_id", id); }));
    bytes_ += ids_.back().view().size();
  }
  void close() {
    if (ids_.size() > 1) {
      ++named_;
      bson::Writer group = out_.document();
      bson::ArrayWriter list = group.array("ids");
      for (const bson::Document& id : ids_) list.push(id["_id"]);
    } else {
      for (const bson::Document& id : ids_) bytes_ -= id.view().size();
    }
    ids_.clear();
  }
  bool is_full() const { return bytes_ > kMostBytes; }
  std::size_t named() const { return named_; }

 private:
  bson::ArrayWriter& out_;
  std::vector<std::uint8_t> fields_;
  std::vector<bson::Document> ids_;
  std::size_t bytes_ = 0;
  std::size_t named_ = 0;
};

}  // namespace

Result<std::size_t> write_duplicates(Store& store, const std::shared_ptr<const Collection>& collection,
                                     const std::shared_ptr<const IndexSpec>& index, const std::function<Status()>& go_on,
                                     bson::ArrayWriter& out) {
  CollectionScan scan(store, collection, {.index = index, .ranges = {}});
  scan.interrupt_by(go_on);
  CHECK_OK(scan.resume());
  Group group(out);
  for (std::size_t row = 0; !group.is_full(); ++row) {
    if (row % 512 == 0) CHECK_OK(go_on());
    TRY(const bool more, scan.next());
    if (!more) break;
    // An entry's key is its fields with the record key behind them.
    const Bytes entry = scan.position();
    const std::vector<std::uint8_t> fields(entry.begin(), entry.end() - static_cast<std::ptrdiff_t>(scan.record_key().size()));
    TRY(const bson::View document, scan.document());
    group.add(fields, document["_id"]);
  }
  group.close();
  return group.named();
}

}  // namespace partita::shards
