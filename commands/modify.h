// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include "commands/arguments.h"
#include "commands/plan.h"
#include "commands/statements.h"
#include "commands/targets.h"
#include "query/sort/sort_spec.h"
#include "query/updates/update.h"

/// Changing one document that is known by its key: the heart of update, delete and findAndModify.
namespace partita::commands {

/// What a statement did, as its reply tells it and as its retry row keeps it.
struct Outcome {
  std::int32_t matched = 0;
  std::int32_t modified = 0;
  bson::Document upserted;  ///< {_id: value} of the document that an upsert made; else empty.
  bson::Document value;     ///< The document that findAndModify answers with; else empty.
  bool has_value = false;
  bool retried = false;     ///< Done by an earlier sending of the statement; not kept.

  bson::Document encode() const;
  /// Of bytes from disk: everything is checked.
  static Result<Outcome> decode(std::span<const std::uint8_t> bytes);
};

/// The order of a change. By the scores of the filter's $text, if it says so.
Result<query::SortSpec> parse_sort(bson::View sort, bson::View filter, const query::ExpressionContext& context);

enum class Image : std::uint8_t { kNone, kBefore, kAfter };

/// One change of at most one document.
struct Change {
  bson::View filter;
  const query::Update* update = nullptr;  ///< Null: the document is deleted.
  Image image = Image::kNone;             ///< Which version findAndModify wants to see.
  /// Adds what it wants to see of it; null: all. A failure here must change nothing.
  std::function<Status(bson::View document, bson::Writer& out)> shown = {};
  bool multi = false;                     ///< One of all that match.
  bool upsert = false;
  query::SortSpec sort = {};              ///< Which of several matching documents is meant.
  bson::Value hint = {};
  const query::ExpressionContext* context = nullptr;  ///< Of expressions in the filter; null: an empty one.
  std::size_t reply_room = SIZE_MAX;      ///< An upsert whose {_id} takes more bytes is refused, and changes nothing.

  const query::Collation& collation() const {
    static const query::Collation kNone;
    return context == nullptr ? kNone : context->collation;
  }
  query::ExpressionContext expression_context() const { return context == nullptr ? query::ExpressionContext() : *context; }
};

/// Changes the first document that matches, or inserts one for an upsert. A filter by _id leads straight to it, without
/// being parsed; anything else scans, and fails with LockBusy on an io core. With `statement` the outcome is kept, and
/// found again when the statement comes a second time.
Status change_first(Operation& operation, const shards::Namespace& ns, const Change& change,
                    const std::optional<shards::StatementId>& statement_id, Outcome& outcome);

/// Changes all documents that match, each in a write of its own.
Status change_all(Operation& operation, const shards::Namespace& ns, const Change& change, Outcome& outcome);

/// The statements of a command, all of them parsed before the first is run: what is written wrongly ends the command.
template <class Statement, class Parse>
Result<std::vector<Statement>> parse_statements(const Documents& documents, Parse&& parse) {
  std::vector<Statement> statements;
  statements.reserve(documents.count());
  CHECK_OK(documents.for_each([&](bson::View document) -> Status {
    TRY(Statement statement, parse(document));
    statements.push_back(std::move(statement));
    return {};
  }));
  return statements;
}

/// An array of documents, as arrayFilters must be.
Status check_array_filters(std::string_view command, bson::Value filters);

/// One statement of update or bulkWrite.
struct UpdateStatement {
  bson::View filter;
  bson::Value update;
  bool multi = false;
  bool upsert = false;
  bson::Value hint;
  bson::View sort;           ///< Which of several documents is meant.
  bson::Value array_filters;
  bson::View constants;      ///< Of a pipeline.
  bool has_constants = false;
  bson::View collation;      ///< Empty: that of the collection.

  /// Reads the field of that name, or says that it has no such one; `command` is for error texts.
  Result<bool> read_option(std::string_view command, std::string_view name, bson::Value value);
  /// What the statement's update means. It must not replace many documents by one.
  Result<query::Update> parse_update(const query::ExpressionContext& expressions) const;
  /// Puts the sort into the change. It must not be one of many documents.
  Status choose_by_sort(Change& change) const;
};
/// `number` tells the statements of one command apart, for a client that sends them a second time. Fails before it inserts
/// a document whose _id finds no place in `reply_room` bytes.
Status run_update(Operation& operation, const shards::Namespace& ns, const UpdateStatement& statement,
                  const query::ExpressionContext& context, std::int32_t number, std::size_t reply_room, Outcome& outcome);

/// One statement of delete or bulkWrite.
struct DeleteStatement {
  bson::View filter;
  bool multi = false;
  bson::Value hint;
  bson::View collation;  ///< Empty: that of the collection.
};
/// The context of one statement, which may have a collation of its own.
class StatementContext {
 public:
  static Result<StatementContext> of(Operation& operation, const shards::Namespace& ns, bson::View collation,
                                     const query::ExpressionContext& shared);
  const query::ExpressionContext& get() const { return own_ ? *own_ : *shared_; }

 private:
  const query::ExpressionContext* shared_ = nullptr;
  std::optional<query::ExpressionContext> own_;
};
Status run_delete(Operation& operation, const shards::Namespace& ns, const DeleteStatement& statement,
                  const query::ExpressionContext& context, std::int32_t number, Outcome& outcome);

}  // namespace partita::commands
