// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "wire/bson/document.h"

/// Server parameters: what --setParameter sets at start and setParameter while the server runs. A parameter is defined
/// where it is used, and is in the table from then on; there is no list to edit elsewhere:
///
///     parameters::Whole idle_ms{{.name = "cursorTimeoutMillis", .summary = "..."}, {.initial = 600'000, .least = 1}};
///     ...
///     if (idle > idle_ms.get()) ...
///
/// It must have static lifetime. get() is one relaxed load and may be called from any thread, as may all that is here.
namespace partita::commands::parameters {

/// When a parameter may be changed.
enum class When : std::uint8_t { kStartup = 1, kRuntime = 2, kAlways = 3 };

struct About {
  std::string_view name;  ///< MongoDB's, where it has one of the same meaning.
  std::string_view summary;
  When when = When::kAlways;
};

class Parameter {
 public:
  /// Enters the table.
  explicit Parameter(About about);
  Parameter(const Parameter&) = delete;
  Parameter& operator=(const Parameter&) = delete;
  virtual ~Parameter() = default;

  const About& about() const { return about_; }
  bool settable(When when) const { return (static_cast<unsigned>(about_.when) & static_cast<unsigned>(when)) != 0; }

  virtual bson::OwnedValue value() const = 0;
  virtual bson::OwnedValue initial() const = 0;
  /// "int", "bool" ...: for the reference page.
  virtual std::string_view type_name() const = 0;
  /// Changes nothing when it fails. BadValue names the parameter.
  virtual Status set(bson::Value value) = 0;
  virtual Status set_text(std::string_view text) = 0;

 protected:
  template <class... Parts>
  Status refuse(const Parts&... parts) const {
    return error(Code::BadValue, "Invalid value for parameter ", about_.name, ": ", parts...);
  }

 private:
  About about_;
};

/// true or false; numbers count as in MongoDB.
class Flag final : public Parameter {
 public:
  explicit Flag(About about, bool initial = false) : Parameter(about), initial_(initial), value_(initial) {}
  bool get() const { return value_.load(std::memory_order_relaxed); }

  bson::OwnedValue value() const override { return bson::OwnedValue(bson::Value::of(get())); }
  bson::OwnedValue initial() const override { return bson::OwnedValue(bson::Value::of(initial_)); }
  std::string_view type_name() const override { return "bool"; }
  Status set(bson::Value value) override;
  Status set_text(std::string_view text) override;

 private:
  const bool initial_;
  std::atomic<bool> value_;
};

template <class Number>
struct Range {
  Number initial = 0;
  Number least = std::numeric_limits<Number>::lowest();
  Number most = std::numeric_limits<Number>::max();
};

/// A number within bounds: whole (no fraction is cut off in silence) or real.
template <class Number>
class Bounded final : public Parameter {
 public:
  Bounded(About about, Range<Number> range) : Parameter(about), range_(range), value_(range.initial) {}
  Number get() const { return value_.load(std::memory_order_relaxed); }

  bson::OwnedValue value() const override { return as_bson(get()); }
  bson::OwnedValue initial() const override { return as_bson(range_.initial); }
  std::string_view type_name() const override;
  Status set(bson::Value value) override;
  Status set_text(std::string_view text) override;

 private:
  static bson::OwnedValue as_bson(Number number);
  Status store(Number number);

  const Range<Number> range_;
  std::atomic<Number> value_;
};
using Whole = Bounded<std::int64_t>;
using Real = Bounded<double>;

/// A parameter whose value is kept elsewhere, or has a shape of its own.
class Custom final : public Parameter {
 public:
  struct Access {
    bson::OwnedValue (*read)();
    Status (*write)(bson::Value);  ///< Texts from the command line come as strings, or as the JSON that they are.
    std::string_view type_name;
  };
  Custom(About about, Access access) : Parameter(about), access_(access), initial_(access.read()) {}

  bson::OwnedValue value() const override { return access_.read(); }
  bson::OwnedValue initial() const override { return bson::OwnedValue(initial_.get()); }
  std::string_view type_name() const override { return access_.type_name; }
  Status set(bson::Value value) override;
  Status set_text(std::string_view text) override;

 private:
  const Access access_;
  const bson::OwnedValue initial_;
};

/// What the values of a Custom have to be. The failure says no more than that: the parameter's name is added to it.
Result<bool> flag_from(bson::Value value);
Result<std::int64_t> whole_from(bson::Value value, std::int64_t least, std::int64_t most = INT64_MAX);

/// Every parameter of the program, by name. The table is complete once main() runs.
std::span<Parameter* const> all();
/// nullptr when there is none of that name.
Parameter* find(std::string_view name);

/// For --setParameter and the file's section: fails for an unknown name, for one that is not set at start, and for a
/// value that does not fit.
Status set_at_startup(std::string_view name, std::string_view text);
/// For the command setParameter.
Status set_at_runtime(std::string_view name, bson::Value value);

}  // namespace partita::commands::parameters
