// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "query/arena.h"
#include "query/registry.h"

namespace partita::query {

/// The arguments of one call, evaluated; missing fields are missing Values.
using Args = std::span<const bson::Value>;

class Collator;
class LazyCode;

/// An operator's operand, taken apart: its arguments in the order in which they are compiled, the names of the variables
/// that it defines for some of them, and what is no expression but is to be known: it stands behind the arguments.
struct Operands {
  Operands() = default;
  Operands(std::vector<bson::Value> arguments) : values(std::move(arguments)) {}  // NOLINT: most have no variables.
  std::vector<bson::Value> values;
  std::vector<std::string_view> names;
  std::vector<bson::Value> literals;
  bool uses_document = false;  ///< An argument more, in front of the others: $$CURRENT.
};

/// The elements of an array, or the one value that stands in its place.
std::vector<bson::Value> list_arguments(bson::Value operand);

/// An expression operator. A plain one is a function of its evaluated arguments: `evaluate`, which takes what it builds
/// from the arena. A lazy one ($cond, $and, $map) decides what happens between its arguments: `between` is called while
/// compiling, after each argument's code, and places jumps, loops and variables.
struct Expression {
  static constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();

  std::string_view name;
  std::size_t min_args = 1;
  std::size_t max_args = 1;
  std::string_view summary;
  Result<bson::Value> (*evaluate)(Args, Arena&) = nullptr;
  /// In its place where values are compared with each other: texts by a collation, if there is one.
  Result<bson::Value> (*compares)(Args, Arena&, const Collator*) = nullptr;
  void (*between)(LazyCode& code, std::size_t argument, std::size_t count) = nullptr;
  /// Takes the operand apart where it is more than a list: named parameters are brought into order here.
  Result<Operands> (*arguments)(bson::Value operand) = nullptr;
  /// After so many arguments null is the result as soon as one of them is null or missing: those behind are not computed.
  std::size_t null_stops = 0;
  /// What to answer when the number of arguments is wrong; the usual text if not given.
  Status (*wrong_count)(std::size_t count) = nullptr;
  bool of_meta = false;  ///< Asks for what is known beside the document: the compiler's business.
  std::vector<Example> examples = {};  ///< An expression, a document, its value: "missing" if there is none.
};

}  // namespace partita::query
