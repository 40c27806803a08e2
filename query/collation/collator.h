// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "wire/bson/compare.h"
#include "wire/bson/document.h"
#include "wire/error/status.h"

struct UCollator;

namespace partita::query {

class Collator;
/// How texts compare. Null, the usual one, is by their bytes: {locale: "simple"}.
using Collation = std::shared_ptr<const Collator>;

/// A collation that somebody asks for, made into something that compares. Immutable; used from any thread.
class Collator : public bson::TextOrder {
 public:
  /// Null for {locale: "simple"}. With MongoDB's errors, which name `field` as what was given. What a thread has asked for last is
  /// kept, for clients ask for the same again and again.
  static Result<Collation> make(bson::View spec, std::string_view field = "collation");
  /// The same where a collection is made with it: what is not said then takes the value that is the usual one with all
  /// locales, and not the one that is usual with this one.
  static Result<Collation> make_default(bson::View spec, std::string_view field);

  ~Collator();
  Collator(const Collator&) = delete;
  Collator& operator=(const Collator&) = delete;

  std::weak_ordering compare(std::string_view a, std::string_view b) const override;
  /// Appends bytes whose memcmp order is that of compare(): ICU's sort key, without the zero that ends it. They last as long as
  /// the version of ICU does.
  void append_sort_key(std::string_view text, bson::Buffer& out) const;
  /// With every option, as listIndexes shows it.
  bson::View spec() const { return spec_; }

  /// Which rules those keys go by: another version of ICU may have others.
  static std::string rules_version();

 private:
  struct Options;
  explicit Collator(UCollator* icu) : icu_(icu) {}
  static Result<Collation> build(const Options& options, bson::View given);

  UCollator* icu_;
  bson::Document spec_;
};

/// Whether the two order all texts alike.
bool agree(const Collator* a, const Collator* b);
inline bool agree(const Collation& a, const Collation& b) { return agree(a.get(), b.get()); }

/// Whether a value's place among others depends on a collation: texts, and what may hold some.
inline bool is_collated(bson::TypeClass type_class) {
  using bson::TypeClass;
  return type_class == TypeClass::kString || type_class == TypeClass::kDocument || type_class == TypeClass::kArray ||
         type_class == TypeClass::kCodeWithScope;
}
inline bool is_collated(bson::Value value) { return is_collated(bson::type_class(value.type())); }

}  // namespace partita::query
