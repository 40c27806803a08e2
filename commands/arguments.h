// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "commands/generic_arguments.h"
#include "wire/bson/view.h"
#include "wire/message/request.h"

namespace partita::commands {

/// `BSON field 'find.filter' is the wrong type 'int', expected type 'object'`
Status wrong_type(std::string_view command, std::string_view field, bson::Value found, std::string_view expected);
Status unknown_field(std::string_view command, std::string_view field);
Status duplicate_field(std::string_view command, std::string_view field);
Status missing_field(std::string_view command, std::string_view field);

/// Arrays have a refusal of null that is their own.
Status check_array(std::string_view command, std::string_view field, bson::Value value);

/// For commands that take nothing but their name.
Status no_arguments(std::string_view command, const wire::Request& request);

namespace detail {
/// A bool, and no number in its stead; null is for read() to judge.
Status check_bool(bson::Value from, std::string_view command, std::string_view field);
Status read(bson::View& to, bson::Value from, std::string_view command, std::string_view field);
Status read(bool& to, bson::Value from, std::string_view command, std::string_view field);
Status read(std::int32_t& to, bson::Value from, std::string_view command, std::string_view field);
Status read(std::int64_t& to, bson::Value from, std::string_view command, std::string_view field);
Status read(std::string_view& to, bson::Value from, std::string_view command, std::string_view field);
Status read(bson::Value& to, bson::Value from, std::string_view command, std::string_view field);
template <class T>
Status read(std::optional<T>& to, bson::Value from, std::string_view command, std::string_view field) {
  if (from.is_null()) return {};
  T value{};
  CHECK_OK(read(value, from, command, field));
  to = value;
  return {};
}
}  // namespace detail

/// An array of documents that came in the body or as a document sequence of the same name.
struct Documents {
  bson::View array;
  const wire::Sequence* sequence = nullptr;
  bool given = false;

  std::size_t count() const { return sequence != nullptr ? sequence->count : array.count(); }
  /// Calls `each(View) -> Status` until one fails.
  template <class Each>
  Status for_each(Each&& each) const {
    if (sequence != nullptr) {
      for (const bson::View document : *sequence) CHECK_OK(each(document));
    } else {
      for (const bson::Field& element : array) CHECK_OK(each(element.value.as_document()));
    }
    return {};
  }
};

/// How a field has to be given. mongod takes null for a field that is not there, and numbers for a bool, with some
/// commands and not with others.
enum class Rule : std::uint8_t {
  kOptional,
  kRequired,
  kStrict,  ///< A bool must be one.
  kExact,   ///< Of its very type: null is no absent field.
};

/// Which fields a command takes and where they go in its typed request. Written once as data:
///
///     const Arguments<CountRequest> kArguments{{"query", &CountRequest::query}, {"limit", &CountRequest::limit}};
///     ...
///     TRY(const CountRequest request, kArguments.parse("count", op.request()));
///
/// The first field of the body is the command's name and is left to the caller.
template <class Request>
class Arguments {
 public:
  using Member = std::variant<bson::View Request::*, std::optional<bson::View> Request::*, bool Request::*,
                              std::optional<bool> Request::*, std::int32_t Request::*, std::int64_t Request::*,
                              std::optional<std::int64_t> Request::*, std::string_view Request::*,
                              std::optional<std::string_view> Request::*, bson::Value Request::*,
                              Documents Request::*, std::nullptr_t>;
  struct Argument {
    std::string_view name;
    Member member;  ///< nullptr: taken and of no consequence here; each such row says why where it stands.
    Rule rule = Rule::kOptional;
  };

  Arguments(std::initializer_list<Argument> rows) : rows_(rows) {}

  Result<Request> parse(std::string_view command, const wire::Request& message) const {
    Request request{};
    std::uint64_t seen = 0;
    auto field = message.body.begin();
    for (++field; field != message.body.end(); ++field) {
      const std::size_t index = find(field->name);
      if (index == rows_.size()) {
        if (is_generic_argument(field->name)) continue;
        return unknown_field(command, field->name);
      }
      if (seen >> index & 1) return duplicate_field(command, field->name);
      seen |= std::uint64_t{1} << index;
      CHECK_OK(read(request, rows_[index], field->value, command));
      if (field->value.is_null() && rows_[index].rule == Rule::kRequired && !judges_itself(rows_[index])) {
        return missing_field(command, field->name);
      }
    }
    for (const wire::Sequence& sequence : message.sequences()) {
      const std::size_t index = find(sequence.identifier);
      const auto* member =
          index == rows_.size() ? nullptr : std::get_if<Documents Request::*>(&rows_[index].member);
      if (member == nullptr) return unknown_field(command, sequence.identifier);
      seen |= std::uint64_t{1} << index;
      request.*(*member) = Documents{{}, &sequence, true};
    }
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i].rule == Rule::kRequired && !(seen >> i & 1)) return missing_field(command, rows_[i].name);
    }
    return request;
  }

 private:
  std::size_t find(std::string_view name) const {
    std::size_t index = 0;
    while (index < rows_.size() && rows_[index].name != name) ++index;
    return index;
  }
  /// What comes as a Value, a null too, is the command's to judge.
  static bool judges_itself(const Argument& argument) {
    return std::holds_alternative<bson::Value Request::*>(argument.member);
  }
  static Status read(Request& request, const Argument& argument, bson::Value value, std::string_view command) {
    return std::visit(
        [&](auto member) -> Status {
          if constexpr (std::is_same_v<decltype(member), std::nullptr_t>) {
            return {};
          } else if constexpr (std::is_same_v<decltype(member), Documents Request::*>) {
            return read_documents(request.*member, value, command, argument.name);
          } else {
            CHECK_OK(check_rule(argument, std::is_same_v<decltype(member), bool Request::*>, value, command));
            return detail::read(request.*member, value, command, argument.name);
          }
        },
        argument.member);
  }
  static Status check_rule(const Argument& argument, bool is_bool, bson::Value value, std::string_view command) {
    const bool exact = argument.rule == Rule::kExact;
    if (!exact && argument.rule != Rule::kStrict) return {};
    if (exact && value.is_null()) return wrong_type(command, argument.name, value, is_bool ? "bool" : "object");
    return is_bool ? detail::check_bool(value, command, argument.name) : Status();
  }
  static Status read_documents(Documents& to, bson::Value value, std::string_view command, std::string_view field) {
    CHECK_OK(check_array(command, field, value));
    to = Documents{value.as_document(), nullptr, true};
    for (const bson::Field& element : to.array) {
      if (!element.value.is_document()) {
        return wrong_type(command, ::partita::detail::join(field, ".", element.name), element.value, "object");
      }
    }
    return {};
  }

  std::vector<Argument> rows_;
};

}  // namespace partita::commands
