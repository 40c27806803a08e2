// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/random_filter.h"

namespace partita::test {

using bson::ArrayWriter;
using bson::Document;
using bson::Value;

std::string RandomFilter::path() {
  static constexpr std::string_view kParts[] = {"a", "b", "a", "b", "0", "1"};
  std::string path(random_.one_in(2) ? "a" : "b");
  for (auto parts = random_.below(random_.one_in(2) ? 1 : 3); parts > 0; --parts) path += "." + std::string(random_.pick(kParts));
  return path;
}

void RandomFilter::add_regex(Writer& out, std::string_view name) {
  static constexpr std::string_view kPatterns[] = {"^x", "x", "^xy", "y$", "^x|y", "^X", "^x.*y", "(", "^$", "[xy]+"};
  static constexpr std::string_view kOptions[] = {"", "", "i", "m", "s", "x", "im"};
  out.add(name, bson::Regex{random_.pick(kPatterns), random_.pick(kOptions)});
}

/// Mostly what meets often.
void RandomFilter::add_value(Writer& out, std::string_view name, int depth) {
  static constexpr std::string_view kNames[] = {"a", "b", "0"};
  const auto kind = random_.below(depth > 0 ? 14 : 9);
  const bool of_texts = texts_.data() != kTexts && random_.one_in(2);  // What they are is what is asked about.
  if (kind < 4 && !of_texts) return out.add(name, static_cast<std::int32_t>(random_.between(-1, 5)));
  if (kind <= 4) return out.add(name, random_.pick(texts_));
  if (kind == 5) return out.null(name);
  if (kind == 6) return out.add(name, random_.between(0, 6) / 2.0);
  if (kind == 7) {
    const bson::OwnedValue value = random_.one_in(2) ? values_.scalar() : values_.number();
    return out.add(name, value.get());
  }
  if (kind == 8) return random_.one_in(4) ? add_regex(out, name) : out.add(name, random_.one_in(2));
  if (kind < 12) {
    ArrayWriter array = out.array(name);
    for (auto left = random_.below(4); left > 0; --left) {
      const Document element = Document::build([&](Writer& w) { add_value(w, "", depth - 1); });
      array.push(element[""]);
    }
    return;
  }
  Writer inner = out.document(name);
  for (const std::string_view field : kNames)
    if (random_.one_in(field == "0" ? 6 : 2)) add_value(inner, field, depth - 1);
}

Document RandomFilter::document(std::int32_t id) {
  return Document::build([&](Writer& out) {
    out.add("_id", id);
    for (const std::string_view name : {"a", "b"})
      if (!random_.one_in(8)) add_value(out, name, 4);
  });
}

void RandomFilter::add_list(Writer& out, std::string_view name, int depth) {
  ArrayWriter list = out.array(name);
  const bool elements = name == "$all" && random_.one_in(3);
  for (auto left = random_.below(4); left > 0; --left) {
    const Document item = Document::build([&](Writer& w) {
      if (!elements) return random_.one_in(6) ? add_regex(w, "") : add_value(w, "", 1);
      Writer object = w.document("");
      object.add("$elemMatch", filter(depth - 1).view());
    });
    list.push(item[""]);
  }
}

void RandomFilter::add_bits(Writer& out) {
  static constexpr std::string_view kNames[] = {"$bitsAllSet", "$bitsAllClear", "$bitsAnySet", "$bitsAnyClear"};
  const std::string_view name = random_.pick(kNames);
  const auto kind = random_.below(3);
  if (kind == 0) return out.add(name, static_cast<std::int32_t>(random_.between(-1, 9)));
  if (kind == 1) {
    const std::string_view bytes("\x05\x00\x40\x00\x00\x00\x00\x00\x00\x01", random_.below(11));
    return out.add(name, bson::Binary{0, bytes});
  }
  ArrayWriter list = out.array(name);
  for (auto left = random_.below(4); left > 0; --left)
    list.push(Value::of(static_cast<std::int32_t>(random_.one_in(6) ? random_.between(60, 130) : random_.between(0, 8))));
}

void RandomFilter::add_operator(Writer& out, int depth) {
  static constexpr std::string_view kOrders[] = {"$eq", "$gt", "$gte", "$lt", "$lte", "$ne"};
  static constexpr std::string_view kLists[] = {"$in", "$nin", "$all"};
  static constexpr std::string_view kAny[] = {"$size", "$mod", "$type", "$in", "$elemMatch", "$exists", "$regex", "$bitsAnySet",
                                              "$not", "$options"};
  static constexpr std::string_view kTypes[] = {"int", "number", "string", "array", "object", "null", "double", "regex", "long"};
  switch (random_.below(depth > 0 ? 16 : 11)) {
    case 0:
    case 1:
    case 2:
      return add_value(out, random_.pick(kOrders), 2);
    case 3:
    case 4:
      return add_list(out, random_.pick(kLists), depth);
    case 5:
      return out.add("$size", static_cast<std::int32_t>(random_.below(4)));
    case 6: {
      ArrayWriter parts = out.array("$mod");
      parts.push(Value::of(static_cast<std::int32_t>(random_.between(-3, 3))));
      const Document rest = Document::build([&](Writer& w) { add_value(w, "", 0); });
      return parts.push(random_.one_in(4) ? rest[""] : Value::of(static_cast<std::int32_t>(random_.between(-1, 1))));
    }
    case 7:
      return out.add("$type", random_.pick(kTypes));
    case 8:
      return add_bits(out);
    case 9:
      return random_.one_in(2) ? add_regex(out, "$regex") : out.add("$exists", random_.one_in(2));
    case 10:
      return random_.one_in(4) ? add_value(out, random_.pick(kAny), 2) : add_value(out, "$eq", 2);
    case 11:
    case 12:
      return add_operators(out, "$not", depth - 1);
    case 13:
      return out.add("$elemMatch", filter(depth - 1).view());
    default:
      return add_operators(out, "$elemMatch", depth - 1);
  }
}

void RandomFilter::add_operators(Writer& out, std::string_view path, int depth) {
  Writer operators = out.document(path);
  std::string first;
  for (auto left = 1 + random_.below(2); left > 0; --left) {
    const Document one = Document::build([&](Writer& w) { add_operator(w, depth); });
    // The same name twice no driver sends, and of two $regex mongod takes the second one for both.
    const std::string_view name = one.view().begin()->name;
    if (name != first) operators.elements(one.view());
    first = name;
  }
}

void RandomFilter::add_logic(Writer& out, int depth) {
  static constexpr std::string_view kNames[] = {"$and", "$or", "$nor"};
  ArrayWriter list = out.array(random_.pick(kNames));
  for (auto left = 1 + random_.below(3); left > 0; --left) list.push(filter(depth - 1).view());
}

void RandomFilter::add_keyword(Writer& out, int depth) {
  static constexpr std::string_view kTypes[] = {"int", "number", "string", "array", "object", "null", "double", "bool"};
  static constexpr std::string_view kSizes[] = {"minItems", "maxItems", "minProperties", "maxProperties", "minLength", "maxLength"};
  static constexpr std::string_view kLists[] = {"allOf", "anyOf", "oneOf"};
  static constexpr std::string_view kNames[] = {"a", "b", "0"};
  static constexpr std::string_view kPatterns[] = {"^a", "b|_id", "0"};
  auto schemas = [&](std::string_view name) {
    ArrayWriter list = out.array(name);
    for (auto left = 1 + random_.below(2); left > 0; --left) list.push(schema(depth - 1).view());
  };
  switch (random_.below(depth > 0 ? 14 : 7)) {
    case 0: {
      if (!random_.one_in(3)) return out.add("bsonType", random_.pick(kTypes));
      if (random_.one_in(3)) return out.add("type", random_.one_in(2) ? "string" : "number");
      ArrayWriter list = out.array("bsonType");
      const auto first = random_.below(4);
      list.push(Document::build([&](Writer& w) { w.add("", kTypes[first]); })[""]);
      return list.push(Document::build([&](Writer& w) { w.add("", kTypes[4 + random_.below(4)]); })[""]);
    }
    case 1: {
      const bool least = random_.one_in(2);
      out.add(least ? "minimum" : "maximum", static_cast<std::int32_t>(random_.below(4)));
      if (random_.one_in(3)) out.add(least ? "exclusiveMinimum" : "exclusiveMaximum", !random_.one_in(3));
      return;
    }
    case 2:
      return out.add(random_.pick(kSizes), static_cast<std::int32_t>(random_.below(3)));
    case 3:
      return out.add("multipleOf", static_cast<double>(1 + random_.below(4)) / 2);
    case 4: {
      ArrayWriter list = out.array("enum");
      for (auto left = 1 + random_.below(3); left > 0; --left) {
        const Document item = Document::build([&](Writer& w) { add_value(w, "", 2); });
        list.push(item[""]);
      }
      return;
    }
    case 5:
      if (random_.one_in(2)) return out.add("uniqueItems", random_.one_in(2));
      return out.add("pattern", "^x");
    case 6:
      return add_names(out, "required");
    case 7:
    case 8: {
      Writer properties = out.document("properties");
      for (const std::string_view name : kNames)
        if (random_.one_in(2)) properties.add(name, schema(depth - 1).view());
      return;
    }
    case 9: {
      Writer properties = out.document("patternProperties");
      return properties.add(random_.pick(kPatterns), schema(depth - 1).view());
    }
    case 10:
      return random_.one_in(2) ? out.add("additionalProperties", random_.one_in(2)) : out.add("additionalProperties", schema(depth - 1).view());
    case 11:
      if (random_.one_in(2)) return out.add("items", schema(depth - 1).view());
      schemas("items");
      return random_.one_in(2) ? out.add("additionalItems", random_.one_in(2)) : out.add("additionalItems", schema(depth - 1).view());
    case 12:
      if (random_.one_in(2)) return out.add("not", schema(depth - 1).view());
      return add_dependencies(out, depth);
    default:
      return schemas(random_.pick(kLists));
  }
}

/// One of a few names, or two in any order.
void RandomFilter::add_names(Writer& out, std::string_view name) {
  static constexpr std::string_view kNames[] = {"a", "b", "0"};
  const auto first = random_.below(3);
  ArrayWriter list = out.array(name);
  list.push(Document::build([&](Writer& w) { w.add("", kNames[first]); })[""]);
  if (random_.one_in(2)) list.push(Document::build([&](Writer& w) { w.add("", kNames[(first + 1 + random_.below(2)) % 3]); })[""]);
}

void RandomFilter::add_dependencies(Writer& out, int depth) {
  static constexpr std::string_view kNames[] = {"a", "b", "0", "_id"};
  Writer dependencies = out.document("dependencies");
  for (const std::string_view name : kNames) {
    if (!random_.one_in(2)) continue;
    random_.one_in(2) ? add_names(dependencies, name) : dependencies.add(name, schema(depth - 1).view());
  }
}

Document RandomFilter::schema(int depth) {
  return Document::build([&](Writer& out) {
    if (random_.one_in(6)) out.add("description", "what it is");
    if (random_.one_in(6)) out.add("title", "its name");
    for (auto left = random_.below(3); left > 0; --left) add_keyword(out, depth);
  });
}

void RandomFilter::add_clause(Writer& out, int depth) {
  if (schemas_ && random_.one_in(5)) return out.add("$jsonSchema", schema(3).view());
  if (depth > 0 && random_.one_in(6)) return add_logic(out, depth);
  const std::string where = path();
  if (random_.one_in(4)) return random_.one_in(4) ? add_regex(out, where) : add_value(out, where, 2);
  add_operators(out, where, depth);
}

Document RandomFilter::filter(int depth) {
  return Document::build([&](Writer& out) {
    for (auto left = 1 + random_.below(2); left > 0; --left) add_clause(out, depth);
  });
}

}  // namespace partita::test
