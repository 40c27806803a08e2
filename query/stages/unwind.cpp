// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <optional>

#include "query/match/operator.h"
#include "query/path/path_rules.h"
#include "query/stages/row_builder.h"
#include "query/stages/stage.h"
#include "query/updates/update_tree.h"

namespace partita::query {
namespace {

using bson::Value;
using bson::View;

struct UnwindSpec {
  FieldPath path;
  std::optional<FieldPath> index;
  bool keeps_empty = false;
};

/// Copies a document but for one path, which gets another value, and one that gets the element's place. Both are rare
/// enough to go through the general update; the common case of a top-level path is written straight.
class RowWriter {
 public:
  explicit RowWriter(const UnwindSpec& spec) : spec_(spec) {}

  /// A missing `value` leaves the field out; a missing `place` writes no index.
  Status write(View document, Value value, Value place, bson::Writer& out) {
    if (spec_.path.size() == 1 && !spec_.index) {
      replace_top_level(document, value, out);
      return {};
    }
    return replace_nested(document, value, place, out);
  }

 private:
  void replace_top_level(View document, Value value, bson::Writer& out) {
    const std::string_view name = spec_.path[0].name;
    for (auto at = document.begin(); at != document.end(); ++at) {
      if (at->name != name) {
        out.elements(at.element(), at.next());
      } else {
        out.add(name, value);
      }
    }
  }

  Status replace_nested(View document, Value value, Value place, bson::Writer& out) {
    bson::Buffer current;
    CHECK_OK(change(document, spec_.path, value, current));
    if (!spec_.index) {
      out.elements(View::trusted(current.data()));
      return {};
    }
    bson::Buffer indexed;
    CHECK_OK(add_place(View::trusted(current.data()), place, indexed));
    out.elements(View::trusted(indexed.data()));
    return {};
  }

  /// What is no document on the way gives way to one.
  Status add_place(View document, Value place, bson::Buffer& out) const {
    const FieldPath& path = *spec_.index;
    View object = document;
    for (std::size_t part = 0; part + 1 < path.size(); ++part) {
      const Value next = object[path[part].name];
      if (next.missing()) break;
      if (!next.is_document()) return change(document, FieldPath(path.prefix(part + 1)), Value::of(nested(path, part + 1, place).view()), out);
      object = next.as_document();
    }
    return change(document, path, place, out);
  }

  static bson::Document nested(const FieldPath& path, std::size_t part, Value innermost) {
    const auto around = [&](std::size_t i, Value value) { return bson::Document::build([&](bson::Writer& to) { to.add(path[i].name, value); }); };
    std::size_t i = path.size() - 1;
    bson::Document document = around(i, innermost);
    while (i-- > part) document = around(i, Value::of(document.view()));
    return document;
  }

  static Status change(View document, const FieldPath& path, Value value, bson::Buffer& out) {
    const auto update = bson::Document::build([&](bson::Writer& operators) {
      bson::Writer fields = operators.document(value.missing() ? "$unset" : "$set");
      value.missing() ? fields.add(path.text(), true) : fields.add(path.text(), value);
    });
    TRY(const UpdateTree tree, parse_update_operators(update));
    return apply_update_operators(tree, document, out, {}, false).status();
  }

  const UnwindSpec& spec_;
};

/// A row for each element. A long array goes on in the next batch: where it stopped is remembered.
class UnwindStage : public RecordSource {
 public:
  UnwindStage(const UnwindSpec& spec, Source input) : spec_(spec), writer_(spec), input_(std::move(input)) {}

  Status pull(Batch& out) override {
    rows_.clear();
    while (!rows_.full()) {
      if (next_row_ == batch_.size()) {
        if (!rows_.empty()) break;  // Rows may share keys with the batch that the input would replace.
        CHECK_OK(input_->pull(batch_));
        next_row_ = 0;
        if (batch_.empty()) break;
      }
      CHECK_OK(unwind(batch_.rows[next_row_]));
    }
    out.clear();
    CHECK_OK(rows_.hand_out(out));
    return made_batch(rows_.memory());
  }

 private:
  Status unwind(const Row& row) {
    const Value value = row.document.at_path(spec_.path.text());
    if (value.is_array() && !value.as_document().empty()) return unwind_array(row, value.as_document());
    ++next_row_;
    if (!value.is_array() && !value.is_nullish()) return emit(row, value, Value::null());
    return spec_.keeps_empty ? emit(row, value.is_array() ? Value() : value, Value::null()) : Status();
  }

  Status unwind_array(const Row& row, View array) {
    if (!element_) element_ = array.begin();
    for (; *element_ != std::default_sentinel && !rows_.full(); ++*element_)
      CHECK_OK(emit(row, (*element_)->value, Value::of(place_++)));
    if (*element_ == std::default_sentinel) {
      element_.reset();
      place_ = 0;
      ++next_row_;
    }
    return {};
  }

  Status emit(const Row& row, Value value, Value place) {
    bson::Writer out = rows_.next(row.key);
    return writer_.write(row.document, value, place, out);
  }

  const UnwindSpec& spec_;
  RowWriter writer_;
  Source input_;
  Batch batch_;
  std::size_t next_row_ = 0;
  std::optional<View::Iterator> element_;
  std::int64_t place_ = 0;
  RowBuilder rows_;
};

/// Whether one of them leads to what the other one holds.
bool overlap(const FieldPath& a, const FieldPath& b) {
  const std::size_t shorter = std::min(a.size(), b.size());
  return a.prefix(shorter) == b.prefix(shorter);
}

class UnwindPlan : public StagePlan {
 public:
  explicit UnwindPlan(UnwindSpec spec) : spec_(std::move(spec)) {}
  Source open(Source input, Role) const override { return std::make_unique<UnwindStage>(spec_, std::move(input)); }
  Reads reads(FieldSet& fields) const override {
    fields.emplace(spec_.path[0].name);
    return Reads::kMore;
  }
  /// The place of an element makes documents of what are none on its way.
  bool lets_pass(const FilterReads& filter) const override {
    return !filter.anything && std::ranges::none_of(filter.paths, [this](const FieldPath& path) {
      return overlap(path, spec_.path) || (spec_.index && path[0].name == (*spec_.index)[0].name);
    });
  }

 private:
  UnwindSpec spec_;
};

Status read_option(const bson::Field& option, UnwindSpec& spec, std::string_view& path) {
  const Value value = option.value;
  if (option.name == "path") {
    if (!value.is_string())
      return error(Code{28808}, "expected a string as the path for $unwind stage, got ", value.type_name());
    path = value.as_string();
  } else if (option.name == "preserveNullAndEmptyArrays") {
    if (!value.is_bool())
      return error(Code{28809}, "expected a boolean for the preserveNullAndEmptyArrays option to $unwind stage, got ",
                   value.type_name());
    spec.keeps_empty = value.as_bool();
  } else if (option.name == "includeArrayIndex") {
    if (!value.is_string() || value.as_string().empty())
      return error(Code{28810}, "expected a non-empty string for the includeArrayIndex  option to $unwind stage, got ",
                   value.type_name());
    if (value.as_string().starts_with('$'))
      return error(Code{28822}, "includeArrayIndex option to $unwind stage should not be prefixed with a '$': ",
                   value.as_string());
    CHECK_OK(check_field_path(value.as_string()));
    spec.index = FieldPath(value.as_string());
  } else {
    return error(Code{28811}, "unrecognized option to $unwind stage: ", option.name);
  }
  return {};
}

Result<std::unique_ptr<const StagePlan>> parse(const StageArgs& args) {
  UnwindSpec spec;
  std::string_view path;
  if (args.specification.is_string()) {
    path = args.specification.as_string();
  } else if (args.specification.is_document()) {
    for (const bson::Field& option : args.specification.as_document()) CHECK_OK(read_option(option, spec, path));
  } else {
    return error(Code{15981}, "expected either a string or an object as specification for $unwind stage, got ",
                 args.specification.type_name());
  }
  if (path.empty()) return error(Code{28812}, "no path specified to $unwind stage");
  if (!path.starts_with('$'))
    return error(Code{28818}, "path option to $unwind stage should be prefixed with a '$': ", path);
  CHECK_OK(check_field_path(path.substr(1)));
  spec.path = FieldPath(path.substr(1));
  return std::make_unique<UnwindPlan>(std::move(spec));
}

const RegisterEntry<StageKind> kUnwind{{
    .name = "$unwind",
    .summary = "A document for each element of an array.",
    .split = Split::kEach,
    .parse = parse,
    .examples = {{"{$unwind: '$a'}", "[{_id: 1, a: [1, 2]}, {_id: 2, a: 3}, {_id: 3}, {_id: 4, a: []}]",
                  "[{_id: 1, a: 1}, {_id: 1, a: 2}, {_id: 2, a: 3}]"},
                 {"{$unwind: {path: '$a', includeArrayIndex: 'i', preserveNullAndEmptyArrays: true}}",
                  "[{_id: 1, a: ['x']}, {_id: 2, a: []}, {_id: 3, a: null}]",
                  "[{_id: 1, a: 'x', i: {$numberLong: '0'}}, {_id: 2, i: null}, {_id: 3, a: null, i: null}]"},
                 {"{$unwind: '$a.b'}", "[{a: {b: [1, 2], c: 3}, z: 1}]",
                  "[{a: {b: 1, c: 3}, z: 1}, {a: {b: 2, c: 3}, z: 1}]"},
                 {"{$unwind: 'a'}", "[]", "error 28818"},
                 {"{$unwind: {}}", "[]", "error 28812"},
                 {"{$unwind: ''}", "[]", "error 28812"}},
}};

}  // namespace
}  // namespace partita::query
