// SPDX-License-Identifier: GPL-3.0-or-later
// A collation document is read twice, as MongoDB does: its form first, whatever it says, then what ICU makes of it. Options that
// are not given are those of the locale, but for a collection's own collation, where they are filled in beforehand.
#include "query/collation/collator.h"

#include <unicode/coll.h>
#include <unicode/locid.h>
#include <unicode/ucol.h>
#include <unicode/ustring.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "query/collation/locales.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Value;
using bson::View;

/// MongoDB 6.0 comes with this version of ICU, and clients may ask for it.
constexpr std::string_view kVersion = "57.1";

struct Word {
  std::string_view text;
  int icu;
};
constexpr Word kCaseFirst[] = {{"off", UCOL_OFF}, {"lower", UCOL_LOWER_FIRST}, {"upper", UCOL_UPPER_FIRST}};
constexpr Word kAlternate[] = {{"non-ignorable", UCOL_NON_IGNORABLE}, {"shifted", UCOL_SHIFTED}};
constexpr Word kMaxVariable[] = {{"punct", UCOL_REORDER_CODE_PUNCTUATION}, {"space", UCOL_REORDER_CODE_SPACE}};
constexpr int kStrengths[] = {UCOL_PRIMARY, UCOL_SECONDARY, UCOL_TERTIARY, UCOL_QUATERNARY, UCOL_IDENTICAL};

enum class Kind : std::uint8_t { kFlag, kStrength, kWord };

/// An option of a collation, and where ICU keeps it.
struct Option {
  std::string_view name;
  Kind kind;
  UColAttribute attribute;  ///< UCOL_ATTRIBUTE_COUNT: maxVariable, which is none.
  std::span<const Word> words = {};
  int usual = UCOL_OFF;  ///< Of a collection's collation.
  bool filled_in = true;  ///< With what is usual there.
};
constexpr Option kOptions[] = {
    {"caseLevel", Kind::kFlag, UCOL_CASE_LEVEL},
    {"caseFirst", Kind::kWord, UCOL_CASE_FIRST, kCaseFirst},
    {"strength", Kind::kStrength, UCOL_STRENGTH, {}, UCOL_TERTIARY},
    {"numericOrdering", Kind::kFlag, UCOL_NUMERIC_COLLATION},
    {"alternate", Kind::kWord, UCOL_ALTERNATE_HANDLING, kAlternate, UCOL_NON_IGNORABLE},
    {"maxVariable", Kind::kWord, UCOL_ATTRIBUTE_COUNT, kMaxVariable, UCOL_REORDER_CODE_PUNCTUATION},
    {"normalization", Kind::kFlag, UCOL_NORMALIZATION_MODE},
    {"backwards", Kind::kFlag, UCOL_FRENCH_COLLATION, {}, UCOL_OFF, false},
};
constexpr std::size_t kOptionCount = std::size(kOptions);
enum : std::size_t { kCaseLevelAt = 0, kCaseFirstAt = 1, kStrengthAt = 2, kBackwardsAt = 7 };

Status wrong_type(std::string_view field, std::string_view name, Value value, std::string_view expected) {
  return error(Code::TypeMismatch, "BSON field '", field, ".", name, "' is the wrong type '", value.type_name(), "', expected ", expected);
}

Result<int> read_flag(const Option& option, Value value, std::string_view field) {
  if (value.is_bool()) return value.as_bool() ? UCOL_ON : UCOL_OFF;
  if (option.filled_in) return wrong_type(field, option.name, value, "type 'bool'");
  return error(Code::TypeMismatch, "Field '", option.name, "' should be a boolean value, but found: ", value.type_name());
}

Result<int> read_word(const Option& option, Value value, std::string_view field) {
  if (!value.is_string()) return wrong_type(field, option.name, value, "type 'string'");
  const auto found = std::ranges::find(option.words, value.as_string(), &Word::text);
  if (found != option.words.end()) return found->icu;
  return error(Code::BadValue, "Enumeration value '", value.as_string(), "' for field '", field, ".", option.name, "' is not a valid value.");
}

Result<int> read_strength(Value value, std::string_view field) {
  if (!value.is_number()) return wrong_type(field, "strength", value, "types '[long, int, decimal, double']");
  const double real = value.to_double().value_or(0);
  constexpr double kMost = std::numeric_limits<std::int32_t>::max();
  const auto strength = static_cast<std::int32_t>(real != real ? 0 : std::clamp(real, -kMost - 1, kMost));
  const auto out_of_range = [&](std::string_view bound) {
    return error(Code{51024}, "BSON field 'strength' value must be ", bound, ", actual value '", strength, "'");
  };
  if (strength < 0) return out_of_range(">= 0");
  if (strength > static_cast<std::int32_t>(std::size(kStrengths))) return out_of_range("<= 5");
  if (strength > 0) return kStrengths[strength - 1];
  return error(Code::BadValue, "Enumeration value '0' for field 'collation.strength' is not a valid value.");
}

Result<int> read(const Option& option, Value value, std::string_view field) {
  if (option.kind == Kind::kFlag) return read_flag(option, value, field);
  return option.kind == Kind::kWord ? read_word(option, value, field) : read_strength(value, field);
}

void write(const Option& option, int icu, bson::Writer& out) {
  if (option.kind == Kind::kFlag) return out.add(option.name, icu == UCOL_ON);
  if (option.kind == Kind::kStrength) {
    return out.add(option.name, static_cast<std::int32_t>(std::ranges::find(kStrengths, icu) - kStrengths + 1));
  }
  out.add(option.name, std::ranges::find(option.words, icu, &Word::icu)->text);
}

int get(const UCollator* icu, const Option& option, UErrorCode& failure) {
  if (option.attribute == UCOL_ATTRIBUTE_COUNT) return ucol_getMaxVariable(icu);
  return ucol_getAttribute(icu, option.attribute, &failure);
}

void set(UCollator* icu, const Option& option, int value, UErrorCode& failure) {
  if (option.attribute == UCOL_ATTRIBUTE_COUNT) {
    ucol_setMaxVariable(icu, static_cast<UColReorderCode>(value), &failure);
  } else {
    ucol_setAttribute(icu, option.attribute, static_cast<UColAttributeValue>(value), &failure);
  }
}

Status check_locale(std::string_view locale, View given) {
  if (locale.find('\0') != std::string_view::npos) {
    return error(Code::BadValue, "Field 'locale' cannot contain null byte. Collation spec: ", bson::to_shell(given));
  }
  const std::string name(locale);
  if (icu::Locale::createFromName(name.c_str()).isBogus()) {
    return error(Code::BadValue, "Field 'locale' is not valid in: ", bson::to_shell(given));
  }
  if (locale.empty()) return error(Code::BadValue, "Field 'locale' cannot be the empty string in: ", bson::to_shell(given));
  if (is_known_locale(locale)) return {};
  const std::string nearest = nearest_locale(name);
  return error(Code::BadValue, "Field 'locale' is invalid in: ", bson::to_shell(given), nearest.empty() ? "" : ". Did you mean '" + nearest + "'?");
}

/// Which options contradict each other.
Status check_options(const std::array<int, kOptionCount>& values, View given) {
  const int strength = values[kStrengthAt];
  if (values[kBackwardsAt] == UCOL_ON && strength == UCOL_PRIMARY) {
    return error(Code::BadValue, "'backwards' is invalid with 'strength' of 1 in: ", bson::to_shell(given));
  }
  if (values[kCaseFirstAt] == UCOL_OFF || values[kCaseLevelAt] == UCOL_ON || strength > UCOL_SECONDARY) return {};
  return error(Code::BadValue, "'caseFirst' is invalid unless 'caseLevel' is on or 'strength' is greater than 2 in: ", bson::to_shell(given));
}

Status failed(UErrorCode failure, View given) {
  return error(Code::OperationFailed, "Failed to create collator: ", u_errorName(failure), ". Collation spec: ", bson::to_shell(given));
}

std::string read_rules_version() {
  UErrorCode failure = U_ZERO_ERROR;
  UCollator* const root = ucol_open("", &failure);
  UVersionInfo version{};
  if (U_SUCCESS(failure)) ucol_getVersion(root, version);
  ucol_close(root);
  std::array<char, U_MAX_VERSION_STRING_LENGTH> text{};
  u_versionToString(version, text.data());
  return U_ICU_VERSION + std::string(" ") + text.data();
}

}  // namespace

struct Collator::Options {
  std::string_view locale;
  std::string_view version;
  std::array<std::optional<int>, kOptionCount> values;

  static Result<Options> parse(View spec, std::string_view field);
  bool is_simple() const { return locale == "simple"; }
};

/// A null stands for what is not given.
Result<Collator::Options> Collator::Options::parse(View spec, std::string_view field) {
  Options options;
  bool has_locale = false;
  std::vector<std::string_view> seen;
  for (const auto& [name, value] : spec) {
    if (std::ranges::find(seen, name) != seen.end()) return error(Code{40413}, "BSON field '", field, ".", name, "' is a duplicate field");
    const bool is_text = name == "locale" || name == "version";
    const auto* option = std::ranges::find(kOptions, name, &Option::name);
    if (!is_text && option == std::end(kOptions)) return error(Code{40415}, "BSON field '", field, ".", name, "' is an unknown field.");
    seen.push_back(name);
    if (value.is_null()) continue;
    if (!is_text) {
      TRY(options.values[static_cast<std::size_t>(option - kOptions)], read(*option, value, field));
      continue;
    }
    if (!value.is_string()) return wrong_type(field, name, value, "type 'string'");
    (name == "locale" ? options.locale : options.version) = value.as_string();
    has_locale |= name == "locale";
  }
  if (!has_locale) return error(Code{40414}, "BSON field '", field, ".locale' is missing but a required field");
  return options;
}

Result<Collation> Collator::make(View spec, std::string_view field) {
  constexpr std::size_t kKept = 8;
  thread_local std::vector<std::pair<bson::Document, Collation>> kept;
  const auto found = std::ranges::find_if(kept, [&](const auto& one) { return one.first.view() == spec; });
  if (found != kept.end()) {
    std::rotate(kept.begin(), found, found + 1);
    return kept.front().second;
  }
  TRY(const Options options, Options::parse(spec, field));
  if (options.is_simple()) return Collation();
  TRY(Collation made, build(options, spec));
  if (kept.size() == kKept) kept.pop_back();
  kept.emplace(kept.begin(), bson::Document(spec), made);
  return made;
}

Result<Collation> Collator::make_default(View spec, std::string_view field) {
  TRY(const Options options, Options::parse(spec, field));
  if (options.is_simple()) return Collation();
  const bson::Document filled = bson::Document::build([&](bson::Writer& out) {
    out.add("locale", options.locale);
    for (std::size_t i = 0; i < kOptionCount; ++i) {
      if (options.values[i] || kOptions[i].filled_in) write(kOptions[i], options.values[i].value_or(kOptions[i].usual), out);
    }
    if (!options.version.empty()) out.add("version", options.version);
  });
  return make(filled, field);
}

Result<Collation> Collator::build(const Options& options, View given) {
  CHECK_OK(check_locale(options.locale, given));
  UErrorCode failure = U_ZERO_ERROR;
  UCollator* const icu = ucol_open(std::string(options.locale).c_str(), &failure);
  if (U_FAILURE(failure)) return failed(failure, given);
  const std::shared_ptr<Collator> made(new Collator(icu));
  std::array<int, kOptionCount> values{};
  failure = U_ZERO_ERROR;
  for (std::size_t i = 0; i < kOptionCount; ++i) {
    if (options.values[i]) set(icu, kOptions[i], *options.values[i], failure);
    values[i] = get(icu, kOptions[i], failure);
  }
  if (U_FAILURE(failure)) return failed(failure, given);
  if (!options.version.empty() && options.version != kVersion) {
    return error(Code::IncompatibleCollationVersion, "Requested collation version ", options.version, " but the only available collator version was ",
                 kVersion, ". Requested collation spec: ", bson::to_shell(given));
  }
  CHECK_OK(check_options(values, given));
  made->spec_ = bson::Document::build([&](bson::Writer& out) {
    out.add("locale", options.locale);
    for (std::size_t i = 0; i < kOptionCount; ++i) write(kOptions[i], values[i], out);
    out.add("version", kVersion);
  });
  return Collation(made);
}

Collator::~Collator() { ucol_close(icu_); }

std::weak_ordering Collator::compare(std::string_view a, std::string_view b) const {
  UErrorCode failure = U_ZERO_ERROR;
  const auto length = [](std::string_view text) { return static_cast<std::int32_t>(text.size()); };
  return static_cast<int>(ucol_strcollUTF8(icu_, a.data(), length(a), b.data(), length(b), &failure)) <=> 0;
}

void Collator::append_sort_key(std::string_view text, bson::Buffer& out) const {
  constexpr std::size_t kShort = 256;
  constexpr UChar32 kReplacement = 0xFFFD;
  std::array<UChar, kShort> few;
  std::vector<UChar> many(text.size() > kShort ? text.size() : 0);  // UTF-16 never takes more units than UTF-8 takes bytes.
  UChar* const units = many.empty() ? few.data() : many.data();
  UErrorCode failure = U_ZERO_ERROR;
  std::int32_t count = 0;
  u_strFromUTF8WithSub(units, static_cast<std::int32_t>(std::max(many.size(), kShort)), &count, text.data(),
                       static_cast<std::int32_t>(text.size()), kReplacement, nullptr, &failure);
  std::int32_t room = 2 * count + 32;
  std::int32_t size = ucol_getSortKey(icu_, units, count, out.prepare(static_cast<std::size_t>(room)), room);
  if (size > room) size = ucol_getSortKey(icu_, units, count, out.prepare(static_cast<std::size_t>(size)), size);
  out.commit(static_cast<std::size_t>(size > 0 ? size - 1 : 0));
}

std::string Collator::rules_version() {
  static const std::string version = read_rules_version();
  return version;
}

bool agree(const Collator* a, const Collator* b) {
  return a == b || (a != nullptr && b != nullptr && a->spec() == b->spec());
}

}  // namespace partita::query
