// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/plan/plan.h"

/// What the kinds of candidates have in common.
namespace partita::query {

namespace geo {
class Query;
}

bool all_points(const std::vector<Interval>& intervals);

/// Of a path that the filter does not narrow otherwise: the values of the one class that $type names, what stands for a field
/// that is to be missing, and, in a `sparse` index, which has no others, those that $exists asks for.
std::vector<Interval> class_intervals(const FilterTree& filter, std::string_view path, bool sparse);

/// Values between which nothing else lies that a comparison would leave out. NaN lies below all numbers.
bool is_plain(bson::Value value);

/// What is left of a field's intervals, or of everything where there are none, without the values that the filter rules out by
/// $ne, $nin, $not and $nor. The same intervals where it rules out nothing that keys could tell.
std::vector<Interval> without_excluded(std::vector<Interval> intervals, const FilterTree& filter, std::string_view path,
                                       const Collator* collation, bool multikey);

/// An end at a value.
IntervalEnd at_value(bson::Value value, bool inclusive);
/// Where keys of one value lie. Null stands for missing and undefined too, which have keys of their own right below it.
Interval point(bson::Value value);

/// Whether documents without the field may have their keys in it.
bool holds_null(const Interval& interval);

/// Whether nothing can match, for a value is to be one of none.
bool asks_for_nothing(const FilterTree& filter);

/// Whether some name behind the first is a number: it may be a position in an array, and the name of a field.
bool has_position(std::string_view path);

/// What a filter demands of a path as far as keys tell it in which texts lie by `collation`: where the filter compares them
/// otherwise, what it says of texts, documents and arrays does not count, and a pattern knows no collation. `element`: bounds_for().
PathBounds bounds_in_keys(const FilterTree& filter, std::string_view path, const Collator* collation, const FilterNode* element = nullptr);

/// What is left of a field's intervals, or of everything where there are none, by what an $expr says of it (kComputed). Only for a
/// field under which no document has an array, nor one by whose elements a position could be meant.
std::vector<Interval> within_computed(std::vector<Interval> intervals, const FilterTree& filter, std::string_view path, const Collator* collation);

/// How many ranges the points of these fields make together.
std::size_t range_count(const std::vector<FieldIntervals>& narrowed);
/// Whether so many more intervals may stand behind each of these ranges. Beyond some number the keys of the fields behind are
/// asked themselves.
bool makes_few_ranges(std::size_t ranges, std::size_t more);

/// Adds what the filter says of the fields behind those that are narrowed already, up to `end`, as long as each before is pinned
/// to points. Of an index of values, `later` gets what it says of the fields behind those, up to the last of which it says
/// something.
void narrow(const IndexDescription& index, const FilterTree& filter, std::size_t end, std::vector<FieldIntervals>& narrowed,
            std::vector<FieldIntervals>* later = nullptr);

/// How an index's order makes good a sort.
struct Order {
  bool backward = false;
  std::vector<InSort> fields;
};

/// Whether the index's order is the sort's or its reverse: fields pinned to one point may stand between. A field pinned
/// to several breaks the order of those behind it, unless its points are walked over each by itself. Of fields without
/// intervals nothing is known.
std::optional<Order> serves_sort(const IndexDescription& index, const std::vector<FieldIntervals>& narrowed,
                                 const SortSpec& spec, bool each_point_by_itself = false);

/// Whether an index has all documents that the filter can match, as far as its own filter goes.
bool serves_filter(const IndexDescription& index, const FilterTree& filter);

/// Of two scans that are equally good otherwise, the one that needs no documents; only then the shorter index.
constexpr std::uint32_t kCoveredScore = 1 << 6;

/// What speaks for a plan: see plan.cpp.
std::uint32_t score(const IndexDescription& index, std::span<const FieldIntervals> narrowed, bool saves_sort);

/// Of an index of places: the stretches in which it has all that the filter asks for of one of its fields; none where the
/// filter asks for nothing there, or for what the index may lack.
std::vector<Interval> place_intervals(const IndexDescription& index, const IndexDescription::Field& field, const FilterTree& filter);
std::vector<Interval> place_intervals(const IndexDescription& index, const IndexDescription::Field& field, const geo::Query& query);
/// Whether all that the filter can match is in an index of places, as far as these go.
bool serves_places(const IndexDescription& index, const FilterTree& filter);
/// Whether $near, if the filter has it, asks about a field of this index, in a way that the index can answer.
bool serves_near(const IndexDescription& index, const FilterTree& filter);
/// The plan for a $text that must hold; empty where no index serves it.
std::vector<Plan> text_plans(const PlanRequest& request);
/// A scan of one index, in its ranges if the filter narrows it, over all of it otherwise; nothing where it lacks documents.
std::optional<Plan> whole_or_narrowed(const PlanRequest& request, std::size_t position);

/// A plan for each path of the filter that a wildcard index has, and whose values the filter narrows down; where there is none,
/// one for the fields before the wildcard.
std::vector<Plan> wildcard_plans(const PlanRequest& request, std::size_t position);

}  // namespace partita::query
