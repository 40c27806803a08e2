// SPDX-License-Identifier: GPL-3.0-or-later
// On one partition a group's accumulators take in documents. Over several, each partition hands on its groups with partial
// states, {_id, field: partial...}, and a second $group behind the merge takes those in. What outgrows the memory goes into
// files in the same form, and is combined when it comes back.
#include <algorithm>
#include <optional>

#include "query/match/operator.h"
#include "query/path/field_gather.h"
#include "query/stages/group_spill.h"
#include "query/stages/group_table.h"
#include "query/stages/row_builder.h"
#include "query/stages/stage.h"
#include "wire/bson/narrow_number.h"

namespace partita::query {
namespace {

using bson::Value;
using bson::View;

/// A state must come back as a document that a pipeline can hold.
constexpr std::size_t kLargestState = 64 << 20;
/// What expressions compute is forgotten after this many rows.
constexpr std::size_t kRowsPerArena = 512;

/// An expression and, if it is no more than a top-level field, where FieldGather puts its value.
struct Operand {
  CompiledExpression expression;
  std::optional<std::size_t> gathered = {};
};

struct GroupField {
  std::string name;
  const Accumulator* accumulator;
  Operand argument;
};

struct GroupSpec {
  Operand id;
  std::vector<GroupField> fields;
  Collation collation;
  FieldGather gather = {};
};

std::vector<const Accumulator*> accumulators_of(const GroupSpec& spec) {
  std::vector<const Accumulator*> accumulators;
  for (const GroupField& field : spec.fields) accumulators.push_back(field.accumulator);
  return accumulators;
}

class GroupStage : public RecordSource {
 public:
  GroupStage(const GroupSpec& spec, Role role, Source input)
      : spec_(spec),
        role_(role),
        input_(std::move(input)),
        table_(accumulators_of(spec), spec.collation.get()),
        gathered_(spec.gather.size()) {}

  Status pull(Batch& out) override {
    if (!consumed_) CHECK_OK(consume());
    consumed_ = true;
    out.clear();
    rows_.clear();
    while (!rows_.full()) {
      if (next_ == table_.size() && spill_) CHECK_OK(bring_back());
      if (next_ == table_.size()) break;
      write(table_[next_++], out.arena);
    }
    CHECK_OK(rows_.hand_out(out));
    return holds(memory() + rows_.memory());
  }

  void tell(const Output& output, bson::Writer& out) const override {
    {
      bson::Writer most = out.document("maxAccumulatorMemoryUsageBytes");
      for (std::size_t i = 0; i < states_.size(); ++i) add_number(most, spec_.fields[i].name, static_cast<std::int64_t>(states_[i].most));
    }
    add_number(out, "totalOutputDataSizeBytes", output.bytes);
    out.add("usedDisk", spill_.has_value());
    add_number(out, "spills", spills_);
  }

 private:
  Status consume() {
    spilling_ = spilling();
    if (is_told()) states_.resize(spec_.fields.size());
    CHECK_OK(take_all());
    measure();
    if (!spill_) return {};
    CHECK_OK(spill());
    return spill_->finish();
  }

  Status take_all() {
    if (role_ == Role::kCombine) {
      RowSinkOf combined([this](const Row& row) { return combine(row.document); });
      return input_->drain(combined);
    }
    Arena arena;
    std::size_t taken = 0;
    RowSinkOf sink([&](const Row& row) -> Status {
      if (++taken % kRowsPerArena == 0) arena.reset();
      return take(row.document, arena);
    });
    return input_->drain(sink);
  }

  Status check_memory() {
    if (table_.memory() <= spilling_.memory) [[likely]] return holds(memory());
    if (spilling_.files == nullptr) {
      return error(Code::QueryExceededMemoryLimitNoDiskUseAllowed, "Exceeded memory limit for $group of ", spilling_.memory,
                   " bytes, but didn't allow external sort. Pass allowDiskUse:true to opt in.");
    }
    return spill();
  }

  /// All groups leave the table as they are.
  Status spill() {
    measure();
    if (!spill_) spill_.emplace(ExternalSort::Options{.memory_limit = spilling_.memory, .files = spilling_.files});
    Arena arena;
    bson::Buffer partial;
    for (std::size_t i = 0; i < table_.size(); ++i) {
      partial.clear();
      {
        bson::Writer out(partial);
        write(table_[i], Role::kPartial, arena, out);
      }
      if (partial.size() > kLargestState) {
        return error(Code::ExceededMemoryLimit, "A group of $group takes ", partial.size(), " bytes, more than the ", kLargestState,
                     " that may be spilled to disk");
      }
      CHECK_OK(spill_->add(table_[i].key, bson::View::trusted(partial.data())));
      if (i % kRowsPerArena == 0) arena.reset();
    }
    spill_->end_generation();
    ++spills_;
    table_ = GroupTable(accumulators_of(spec_), spec_.collation.get());
    return holds(memory());
  }

  /// The next groups, each with all that has been spilled of it.
  Status bring_back() {
    table_ = GroupTable(accumulators_of(spec_), spec_.collation.get());
    next_ = 0;
    if (first_back_) merge(std::exchange(first_back_, {})->view());
    while (true) {
      GroupSpill::Partial partial;
      TRY(const bool more, spill_->next(partial));
      if (!more) return {};
      if (partial.begins && (table_.size() >= Batch::kRows || table_.memory() > Batch::kBytes)) {
        first_back_ = bson::Document(partial.state);
        return {};
      }
      merge(partial.state);
    }
  }

  std::size_t memory() const { return table_.memory() + (spill_ ? spill_->memory() : 0); }

  Status take(View document, Arena& arena) {
    spec_.gather.gather(document, gathered_.data());
    FieldLookup shared;
    FieldLookup* const lookup = spec_.fields.size() < FieldLookup::kManyPaths ? nullptr : &shared;
    TRY(Value id, evaluate(spec_.id, document, arena, lookup));
    if (id.missing()) id = Value::null();
    Group& group = table_.find_or_add(id);
    for (std::size_t i = 0; i < spec_.fields.size(); ++i) {
      const GroupField& field = spec_.fields[i];
      TRY(const Value value, evaluate(field.argument, document, arena, lookup));
      const Arena::Mark before = states_.empty() ? Arena::Mark() : table_.arena().mark();
      field.accumulator->methods.add(table_.state(group, i), value, table_.arena());
      if (!states_.empty()) [[unlikely]] states_[i].beside += table_.arena().used_since(before);
    }
    return check_memory();
  }

  /// What accumulators hold now, if it is more than it was before: their states, and what these have put beside them.
  void measure() {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      StateMemory& held = states_[i];
      held.most = std::max(held.most, table_.size() * spec_.fields[i].accumulator->methods.size + held.beside);
      held.beside = 0;
    }
  }

  Result<Value> evaluate(const Operand& operand, View document, Arena& arena, FieldLookup* lookup) const {
    if (operand.gathered) return gathered_[*operand.gathered];
    return operand.expression.evaluate(document, arena, lookup);
  }

  Status combine(View partial) {
    merge(partial);
    return check_memory();
  }

  void merge(View partial) {
    Group& group = table_.find_or_add(partial["_id"]);
    for (std::size_t i = 0; i < spec_.fields.size(); ++i) {
      const GroupField& field = spec_.fields[i];
      const Arena::Mark before = states_.empty() ? Arena::Mark() : table_.arena().mark();
      field.accumulator->methods.merge(table_.state(group, i), partial[field.name], table_.arena());
      if (!states_.empty()) [[unlikely]] states_[i].beside += table_.arena().used_since(before);
    }
  }

  void write(const Group& group, Arena& arena) {
    bson::Writer out = rows_.next();
    write(group, role_, arena, out);
  }

  void write(const Group& group, Role role, Arena& arena, bson::Writer& out) {
    out.add("_id", group.id);
    for (std::size_t i = 0; i < spec_.fields.size(); ++i) {
      const AccumulatorMethods& methods = spec_.fields[i].accumulator->methods;
      const auto read = role == Role::kPartial ? methods.partial : methods.result;
      out.add(spec_.fields[i].name, read(table_.state(group, i), arena));
    }
  }

  struct StateMemory {
    std::size_t beside = 0;  ///< What the states of all groups have allocated.
    std::size_t most = 0;    ///< That these and the states themselves have taken at once.
  };

  const GroupSpec& spec_;
  Role role_;
  Source input_;
  GroupTable table_;
  std::vector<Value> gathered_;
  bool consumed_ = false;
  std::size_t next_ = 0;
  RowBuilder rows_;
  RunControl::Spilling spilling_;
  std::optional<GroupSpill> spill_;
  std::int64_t spills_ = 0;
  std::vector<StateMemory> states_;  ///< One for each field, where it is measured; else none.
  std::optional<bson::Document> first_back_;  ///< Of the groups that come back next.
};

class GroupPlan : public StagePlan {
 public:
  explicit GroupPlan(GroupSpec spec) : spec_(std::move(spec)) {
    find_gathered(spec_.id);
    for (GroupField& field : spec_.fields) find_gathered(field.argument);
  }

  Source open(Source input, Role role) const override {
    return std::make_unique<GroupStage>(spec_, role, std::move(input));
  }

  Reads reads(FieldSet& fields) const override {
    if (!spec_.id.expression.collect_fields(fields)) return Reads::kAll;
    for (const GroupField& field : spec_.fields)
      if (!field.argument.expression.collect_fields(fields)) return Reads::kAll;
    return Reads::kOnly;
  }

 private:
  void find_gathered(Operand& operand) {
    const FieldPath* path = operand.expression.field();
    if (path != nullptr && path->size() == 1) operand.gathered = spec_.gather.add(path->text());
  }

  GroupSpec spec_;
};

Status check_name(std::string_view name) {
  if (name.find('.') != std::string_view::npos)
    return error(Code{40235}, "The field name '", name, "' cannot contain '.'");
  if (name.starts_with('$')) return error(Code{40236}, "The field name '", name, "' cannot be an operator name");
  return {};
}

/// The operand of an accumulator: one expression.
Result<Value> argument_of(const Accumulator& accumulator, Value operand) {
  if (!accumulator.takes_argument) {
    const bool empty = operand.is_document() && operand.as_document().empty();
    if (!empty)
      return error(Code::TypeMismatch, accumulator.name, " takes no arguments, i.e. ", accumulator.name, ":{}");
    return Value::null();
  }
  return operand;
}

Result<GroupField> parse_field(const bson::Field& field, const ExpressionContext& context) {
  if (!field.value.is_document() || field.value.as_document().empty() ||
      !field.value.as_document().begin()->name.starts_with('$'))
    return error(Code{40234}, "The field '", field.name, "' must be an accumulator object");
  CHECK_OK(check_name(field.name));
  const View call = field.value.as_document();
  if (call.count() != 1) return error(Code{40238}, "The field '", field.name, "' must specify one accumulator");
  const bson::Field only = *call.begin();
  if (only.value.is_array()) return error(Code{40237}, "The ", only.name, " accumulator is a unary operator");  // Not even of one.
  const Accumulator* accumulator = Registry<Accumulator>::find(only.name);
  if (accumulator == nullptr) return error(Code{15952}, "unknown group operator '", only.name, "'");
  if (!accumulator->works()) return not_supported(only.name);
  TRY(const Value operand, argument_of(*accumulator, only.value));
  TRY(CompiledExpression argument, CompiledExpression::compile(operand, context));
  return GroupField{std::string(field.name), accumulator, {std::move(argument)}};
}

/// An _id of one part groups what lacks it with what has null there, as an _id that is missing whole does. With more
/// parts, those that are missing are left out.
Result<CompiledExpression> compile_id(Value id, const ExpressionContext& context) {
  const bool is_call = id.is_document() && !id.as_document().empty() && id.as_document().begin()->name.starts_with('$');
  if (id.is_document() && !is_call) {
    for (const bson::Field& part : id.as_document()) {
      const bool includes = part.value.is_number() || part.value.is(bson::Type::kBool);
      if (includes) return error(Code{17390}, "$group does not support inclusion-style expressions");
    }
  }
  const bool single = id.is_document() && id.as_document().count() == 1 && !is_call;
  if (!single) return CompiledExpression::compile(id, context);
  const bson::Document with_nulls = bson::Document::build([&](bson::Writer& out) {
    for (const bson::Field& part : id.as_document()) {
      bson::Writer call = out.document(part.name);
      bson::ArrayWriter arguments = call.array("$ifNull");
      arguments.push(part.value);
      arguments.push_null();
    }
  });
  return CompiledExpression::compile(Value::of(with_nulls.view()), context);
}

Result<std::unique_ptr<const StagePlan>> parse(const StageArgs& args) {
  if (!args.specification.is_document())
    return error(Code{15947}, "a group's fields must be specified in an object");
  std::optional<CompiledExpression> id;
  std::vector<GroupField> fields;
  for (const bson::Field& field : args.specification.as_document()) {
    if (field.name == "_id") {
      if (id) return error(Code{15948}, "a group's _id may only be specified once");
      TRY(id, compile_id(field.value, args.context));
    } else {
      TRY(GroupField parsed, parse_field(field, args.context));
      fields.push_back(std::move(parsed));
    }
  }
  if (!id) return error(Code{15955}, "a group specification must include an _id");
  return std::make_unique<GroupPlan>(GroupSpec{{std::move(*id)}, std::move(fields), args.context.collation});
}

const RegisterEntry<StageKind> kGroup{{
    .name = "$group",
    .summary = "One document for each value of an expression, with what accumulators make of its documents.",
    .split = Split::kPartial,
    .parse = parse,
    .examples = {{"{$group: {_id: '$g', n: {$sum: 1}, s: {$sum: '$a'}, m: {$avg: '$a'}}}",
                  "[{g: 'x', a: 1}, {g: 'y', a: 2}, {g: 'x', a: 4}]",
                  "[{_id: 'x', n: 2, s: 5, m: 2.5}, {_id: 'y', n: 1, s: 2, m: 2.0}]"},
                 {"{$group: {_id: '$g', n: {$count: {}}}}", "[{g: 1}, {g: 1.0}, {g: null}, {}]",
                  "[{_id: 1, n: 2}, {_id: null, n: 2}]"},
                 {"{$group: {_id: {x: '$g'}, v: {$push: '$a'}}}", "[{g: 1, a: 1}, {a: 2}, {g: 1, a: 3}]",
                  "[{_id: {x: 1}, v: [1, 3]}, {_id: {x: null}, v: [2]}]"},
                 {"{$group: {_id: {x: '$a', y: '$b'}, n: {$sum: 1}}}", "[{a: 1}, {a: 1, b: null}, {a: 1, b: 2}, {a: 1}]",
                  "[{_id: {x: 1}, n: 2}, {_id: {x: 1, y: null}, n: 1}, {_id: {x: 1, y: 2}, n: 1}]"},
                 {"{$group: {_id: {x: 1}}}", "[]", "error 17390"},
                 {"{$group: {_id: {$literal: 1}}}", "[{}, {}]", "[{_id: 1}]"},
                 {"{$group: {_id: {$const: true}}}", "[{}]", "[{_id: true}]"},
                 {"{$group: {_id: {$add: 1}}}", "[{}]", "[{_id: 1}]"},
                 {"{$group: {_id: {x: '$a', $literal: 1}}}", "[]", "error 17390"},
                 {"{$group: {_id: null}}", "[]", "[]"},
                 {"{$group: {n: {$sum: 1}}}", "[]", "error 15955"},
                 {"{$group: {_id: 1, n: {$foo: 1}}}", "[]", "error 15952"},
                 {"{$group: {_id: 1, n: {$sum: [1, 2]}}}", "[]", "error 40237"},
                 {"{$group: {_id: 1, n: {$sum: ['$a']}}}", "[]", "error 40237"},
                 {"{$group: {_id: 1, n: 1}}", "[]", "error 40234"}},
}};

}  // namespace
}  // namespace partita::query
