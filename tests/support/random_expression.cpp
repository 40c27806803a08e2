// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/random_expression.h"

#include <algorithm>

#include "query/expressions/expression.h"
#include "wire/bson/json.h"

namespace partita::test {
namespace {

using bson::Document;
using bson::Value;
using bson::Writer;

constexpr std::string_view kValues = R"({v: [
  1, 0, -3, {$numberInt: '2147483647'}, {$numberLong: '5'}, {$numberLong: '9223372036854775807'}, {$numberLong: '-9223372036854775808'},
  2.5, -0.5, 1e300, {$numberDouble: 'NaN'}, {$numberDouble: 'Infinity'}, {$numberDecimal: '1.5'}, {$numberDecimal: '-7'},
  {$numberDecimal: 'NaN'}, {$numberDecimal: '1E+40'}, '', 'abc', 'né-l', '2020-02-03T04:05:06Z', 'day', 'UTC', '12', true, false, null,
  [], [1, 2, 3], [[1, 'x'], ['b', 2]], [{k: 'a', v: 1}, {k: 'b', v: null}], ['c', null, 1.0, 1], {}, {a: 1, b: {c: 2}},
  {$date: {$numberLong: '1593576245678'}}, {$date: {$numberLong: '-1000'}}, {$oid: '507f1f77bcf86cd799439011'},
  {$timestamp: {t: 5, i: 6}}, {$binary: {base64: 'YWJj', subType: '00'}}, {$regularExpression: {pattern: 'a', options: 'i'}},
  {$code: 'x'}, {$symbol: 's'}, {$undefined: true}, {$minKey: 1}, {$maxKey: 1}]})";


}  // namespace

const Document& expression_values() {
  static const Document values = bson::parse_json(kValues).value();
  return values;
}

std::vector<NamedCall> named_calls() {
  return {
      {"$let", "{vars: {x: 1}, in: {$add: ['$$x', '$a']}}"},
      {"$map", "{input: [1, 2], as: 'x', in: '$$x'}"},
      {"$filter", "{input: [1, 2, 3], as: 'x', cond: {$gt: ['$$x', 1]}, limit: 1}"},
      {"$reduce", "{input: ['x', 'y'], initialValue: '', in: {$concat: ['$$value', '$$this']}}"},
      {"$cond", "{if: true, then: 1, else: 2}"},
      {"$switch", "{branches: [{case: '$a', then: 1}], default: 2}"},
      {"$trim", "{input: ' xx ', chars: ' '}"},
      {"$ltrim", "{input: ' xx ', chars: ' '}"},
      {"$rtrim", "{input: ' xx ', chars: ' '}"},
      {"$replaceOne", "{input: 'xax', find: 'x', replacement: 'y'}"},
      {"$replaceAll", "{input: 'xax', find: 'x', replacement: 'y'}"},
      {"$regexMatch", "{input: 'xax', regex: 'A', options: 'i'}"},
      {"$regexFind", "{input: 'xax', regex: '(a)|(b)', options: 'i'}"},
      {"$regexFindAll", "{input: 'xax', regex: '(x)', options: 'i'}"},
      {"$firstN", "{n: 2, input: [3, 1, 2]}"},
      {"$lastN", "{n: 2, input: [3, 1, 2]}"},
      {"$minN", "{n: 2, input: [3, 1, 2]}"},
      {"$maxN", "{n: 2, input: [3, 1, 2]}"},
      {"$sortArray", "{input: [3, 1, 2], sortBy: 1}"},
      {"$zip", "{inputs: [[1], [2, 3]], useLongestLength: true, defaults: [8, 9]}"},
      {"$getField", "{field: 'a', input: {a: 1}}"},
      {"$setField", "{field: 'a', input: {b: 1}, value: 2}"},
      {"$unsetField", "{field: 'a', input: {a: 1, b: 2}}"},
      {"$convert", "{input: '5', to: 'int', onError: 'bad', onNull: 'none'}"},
      {"$year", "{date: {$date: {$numberLong: '1593576245678'}}, timezone: 'America/New_York'}"},
      {"$hour", "{date: {$date: {$numberLong: '1593576245678'}}, timezone: '+05:30'}"},
      {"$dateToString", "{date: {$date: {$numberLong: '1593576245678'}}, format: '%Y %j %z', timezone: '-03', onNull: 'none'}"},
      {"$dateFromString", "{dateString: '2017-02-08', format: '%Y-%m-%d', timezone: '-03', onError: 'bad', onNull: 'none'}"},
      {"$dateToParts", "{date: {$date: {$numberLong: '1593576245678'}}, timezone: 'Asia/Tokyo', iso8601: true}"},
      {"$dateFromParts", "{year: 2020, month: 3, day: 8, hour: 2, minute: 30, second: 1, millisecond: 5, timezone: 'America/New_York'}"},
      {"$dateFromParts", "{isoWeekYear: 2020, isoWeek: 5, isoDayOfWeek: 3, timezone: '+01'}"},
      {"$dateAdd", "{startDate: {$date: {$numberLong: '1593576245678'}}, unit: 'month', amount: 2, timezone: 'Europe/Berlin'}"},
      {"$dateSubtract", "{startDate: {$date: {$numberLong: '1593576245678'}}, unit: 'day', amount: 2, timezone: 'UTC'}"},
      {"$dateDiff", "{startDate: {$date: {$numberLong: '1593576245678'}}, endDate: {$date: {$numberLong: '1625198705678'}}, "
                    "unit: 'week', timezone: 'Asia/Tokyo', startOfWeek: 'tue'}"},
      {"$dateTrunc", "{date: {$date: {$numberLong: '1593576245678'}}, unit: 'week', binSize: 2, timezone: 'Asia/Tokyo', "
                     "startOfWeek: 'tue'}"},
  };
}

bool mongod_knows(std::string_view op) {
  constexpr std::string_view kNot[] = {"$bitAnd", "$bitOr", "$bitXor", "$bitNot", "$toUUID",  // Of MongoDB 7 and 8.
                                       "$toHashedIndexKey",                                  // Of the shell there, and another hash.
                                       "$rand", "$function"};
  return std::find(std::begin(kNot), std::end(kNot), op) == std::end(kNot);
}

Document RandomExpression::document() {
  const bson::View values = expression_values()["v"].as_document();
  std::vector<Value> all;
  for (const bson::Field& value : values) all.push_back(value.value);
  return Document::build([&](Writer& out) {
    for (const std::string_view name : {"a", "b", "c"})
      if (!random_.one_in(12)) out.add(name, random_.pick(all));
  });
}

Document RandomExpression::expression() {
  return Document::build([&](Writer& out) { add(out, "v", 0); });
}

void RandomExpression::add(Writer& out, std::string_view name, int depth) {
  constexpr std::string_view kPaths[] = {"$a", "$b", "$c", "$a.b", "$b.k", "$c.a", "$$ROOT", "$$CURRENT.a", "$$REMOVE"};
  static const std::vector<NamedCall> kCalls = named_calls();
  if (depth > 3 || random_.one_in(4)) {
    if (!random_.one_in(3)) return out.add(name, random_.pick(kPaths));
    std::vector<Value> all;
    for (const bson::Field& value : expression_values()["v"].as_document()) all.push_back(value.value);
    Writer literal = out.document(name);
    return literal.add("$literal", random_.pick(all));
  }
  if (random_.one_in(5)) {
    const NamedCall& call = random_.pick(kCalls);
    const Document parameters = bson::parse_json(call.parameters).value();
    Writer operation = out.document(name);
    Writer operand = operation.document(call.op);
    for (const bson::Field& field : parameters.view()) {
      const bool fixed = field.name == "as" || field.name == "vars" || field.name == "field" || field.name == "sortBy" ||
                         field.name == "branches" || field.name == "inputs" || field.name == "defaults" || field.name == "useLongestLength";
      if (fixed || !random_.one_in(2)) {
        operand.add(field);
      } else if (!random_.one_in(8)) {
        add(operand, field.name, depth + 1);
      }
    }
    return;
  }
  std::vector<const query::Expression*> plain;
  for (const auto& [op, entry] : query::Registry<query::Expression>::all())
    if (mongod_knows(op) && entry.arguments == nullptr) plain.push_back(&entry);
  const query::Expression& entry = *random_.pick(plain);
  const std::size_t most = std::min<std::size_t>(entry.max_args, 3);
  const auto count = static_cast<std::size_t>(random_.between(static_cast<std::int64_t>(entry.min_args), static_cast<std::int64_t>(most)));
  Writer operation = out.document(name);
  bson::ArrayWriter list = operation.array(entry.name);
  for (std::size_t i = 0; i < count; ++i) {
    const Document argument = Document::build([&](Writer& w) { add(w, "v", depth + 1); });
    list.push(argument["v"]);
  }
}

}  // namespace partita::test
