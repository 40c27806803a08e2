// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/parallelism.h"

#include "commands/settings/parameters.h"
#include "wire/bson/json.h"

namespace partita::commands {
namespace {

constexpr parameters::Range<std::int64_t> kNumbers{.initial = -1, .least = -1, .most = INT32_MAX};

parameters::Whole default_degree{
    {.name = kDegreeName,
     .summary = "Partitions that one query reads at once, where neither it nor its collection says; 0: one after the "
                "other, -1: as many as is worth while."},
    kNumbers};
parameters::Whole default_buffered{
    {.name = kBufferedName,
     .summary = "Documents that the partitions of one query may run ahead of its reader, all together, where neither it "
                "nor its collection says; -1: a few megabytes."},
    kNumbers};

std::string field_of(std::string_view where, std::string_view name) { return partita::detail::join(where, ".", name); }

}  // namespace

Result<std::optional<std::int64_t>> parse_parallelism(std::string_view field, bson::Value value) {
  using Number = std::optional<std::int64_t>;
  if (value.missing() || value.is_null()) return Number();
  if (!value.is_number()) {
    return error(Code::TypeMismatch, "BSON field '", field, "' is the wrong type '", value.type_name(), "', expected a whole number");
  }
  const auto whole = value.exact_int64();
  if (!whole) return error(Code::BadValue, "'", field, "' must be a whole number: ", bson::to_shell(value));
  if (*whole < kNumbers.least || *whole > kNumbers.most) {
    return error(Code::BadValue, "'", field, "' must be between -1 and ", kNumbers.most, ": ", *whole);
  }
  return Number(*whole);
}

Result<AskedParallelism> AskedParallelism::parse(std::string_view command, bson::Value degree, bson::Value buffered,
                                                 bson::Value comment) {
  AskedParallelism asked;
  if (!degree.missing()) {
    TRY(asked.degree, parse_parallelism(field_of(command, kDegreeName), degree));
  }
  if (!buffered.missing()) {
    TRY(asked.buffered, parse_parallelism(field_of(command, kBufferedName), buffered));
  }
  if (!comment.is_document()) return asked;
  TRY(const auto comment_degree, parse_parallelism(field_of("comment", kDegreeName), comment.as_document()[kDegreeName]));
  TRY(const auto comment_buffered, parse_parallelism(field_of("comment", kBufferedName), comment.as_document()[kBufferedName]));
  if (!asked.degree) asked.degree = comment_degree;
  if (!asked.buffered) asked.buffered = comment_buffered;
  return asked;
}

Parallelism AskedParallelism::over(const shards::Collection& collection) const {
  const bson::View options = collection.options;
  const auto choose = [&](const std::optional<std::int64_t>& given, std::string_view name, const parameters::Whole& otherwise) {
    if (given) return *given;
    return options[name].exact_int64().value_or(otherwise.get());
  };
  return {.degree = choose(degree, kDegreeName, default_degree), .buffered = choose(buffered, kBufferedName, default_buffered)};
}

}  // namespace partita::commands
