// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include "wire/bson/writer.h"

namespace partita::bson {

/// A document that owns its bytes. Copies are explicit; views into it die with it or when it is assigned.
class Document {
 public:
  Document() = default;
  explicit Document(View copied) { bytes_.append(copied.bytes()); }
  /// Takes over a Buffer that holds exactly one finished document.
  explicit Document(Buffer bytes) : bytes_(std::move(bytes)) {}
  /// `Document::build([](Writer& w) { w.add("ok", 1.0); })`
  template <class Fill>
  static Document build(Fill&& fill) {
    Buffer bytes;
    {
      Writer writer(bytes);
      std::invoke(std::forward<Fill>(fill), writer);
    }
    return Document(std::move(bytes));
  }

  View view() const { return bytes_.empty() ? View() : View::trusted(bytes_.data()); }
  operator View() const { return view(); }  // NOLINT: a Document may stand wherever a View is asked for.
  Document copy() const { return Document(view()); }
  Value operator[](std::string_view name) const { return view()[name]; }

 private:
  Buffer bytes_;
};

/// A single value that owns its bytes.
class OwnedValue {
 public:
  OwnedValue() = default;
  explicit OwnedValue(Value copied) : holder_(Document::build([&](Writer& w) { w.add("", copied); })) {}
  Value get() const { return holder_.view()[""]; }
  operator Value() const { return get(); }  // NOLINT

 private:
  Document holder_;
};

}  // namespace partita::bson
