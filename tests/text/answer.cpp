// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/text/answer.h"

#include <algorithm>
#include <array>
#include <map>

#include "tests/support/readable.h"
#include "wire/bson/json.h"

namespace partita::test {
namespace {

using bson::Document;
using bson::Value;
using bson::View;

constexpr std::string_view kError = "error ";

/// Clocks, and what a replica set adds or leaves out.
constexpr std::array<std::string_view, 9> kNoise{"ok",     "operationTime", "$clusterTime", "$configTime", "electionId",
                                                 "opTime", "$topologyTime", "commitQuorum", "dropped"};
constexpr std::array<std::string_view, 4> kOfErrors{"errmsg", "code", "codeName", "errorLabels"};

template <class Names>
bool holds(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// An array of documents, each without its message.
void add_without_messages(bson::Writer& to, const bson::Field& errors) {
  bson::ArrayWriter out = to.array(errors.name);
  for (const bson::Field& one : errors.value.as_document()) {
    bson::Writer kept = out.document();
    for (const bson::Field& field : one.value.as_document())
      if (field.name != "errmsg") kept.add(field);
  }
}

/// In the order of the names: which of its fields a reply says first is nobody's concern.
Document without_noise(View reply, bool is_error) {
  std::map<std::string_view, bson::Field> fields;
  for (const bson::Field& field : reply) {
    if (!holds(kNoise, field.name) && !(is_error && holds(kOfErrors, field.name))) fields[field.name] = field;
  }
  return Document::build([&](bson::Writer& out) {
    for (const auto& [name, field] : fields) {
      if (name == "writeErrors") add_without_messages(out, field);
      else out.add(field);
    }
  });
}

/// Without the identity of a collection, which is another one each time.
Document without_info(View collection) {
  return Document::build([&](bson::Writer& out) {
    for (const bson::Field& field : collection) {
      const bool identity = field.name == "info" && field.value.as_document().has("uuid");
      if (!identity) out.add(field);
    }
  });
}

std::string print_cursor(View cursor) {
  const Value first = cursor["firstBatch"];
  const Value batch = first.missing() ? cursor["nextBatch"] : first;
  const bool collections = cursor["ns"].is_string() && cursor["ns"].as_string().ends_with(".$cmd.listCollections");
  std::string lines;
  for (const bson::Field& document : batch.as_document()) {
    const Document shown = collections ? without_info(document.value.as_document()) : Document(document.value.as_document());
    lines.append(lines.empty() ? "" : "\n").append(readable_typed(Value::of(shown.view())));
  }
  const bool open = cursor["id"].as_int64() != 0;
  if (open) lines.append(lines.empty() ? "" : "\n").append("more documents");
  return lines.empty() ? "no documents" : lines;
}

std::string print_failure(View reply) {
  const auto code = static_cast<Code>(reply["code"].exact_int64().value_or(0));
  const Value name = reply["codeName"];
  const std::string line = print_error(code, name.is_string() ? name.as_string() : "");
  const Document more = without_noise(reply, true);
  return more.view().empty() ? line : line + " " + readable_typed(Value::of(more.view()));
}

std::string normalize_json(std::string_view text) {
  const auto parsed = bson::parse_json("{v: " + std::string(text) + "}");
  return parsed.ok() ? readable_typed((*parsed)["v"]) : std::string(text);
}

/// People may leave out the name of a code, or the blank after it; the number decides.
std::string normalize_error(std::string_view line) {
  const std::size_t extras = std::min(line.find('{'), line.size());
  std::string head(line.substr(0, extras));
  while (head.ends_with(' ')) head.pop_back();
  const std::size_t number = head.find_first_of("0123456789");
  if (head.find('(') == std::string::npos && number == kError.size()) {
    const auto code = static_cast<Code>(std::stoi(head.substr(number)));
    head = print_error(code, code_name(code));
  }
  return extras == line.size() ? head : head + " " + normalize_json(line.substr(extras));
}

}  // namespace

std::string print_error(Code code, std::string_view name) {
  const std::string number = std::to_string(static_cast<int>(code));
  if (name == "Location" + number) return std::string(kError) + number;
  return std::string(kError).append(name) + " (" + number + ")";
}

std::string print_answer(View reply) {
  if (reply["ok"].missing()) return "no reply";
  if (reply["ok"].to_double() != 1) return print_failure(reply);
  const Value cursor = reply["cursor"];
  if (cursor.is_document()) return print_cursor(cursor.as_document());
  return readable_typed(Value::of(without_noise(reply, false).view()));
}

std::string normalize_lines(std::string_view answer) {
  std::string lines;
  for (std::size_t begin = 0; begin <= answer.size();) {
    const std::size_t end = std::min(answer.find('\n', begin), answer.size());
    const std::string_view line = answer.substr(begin, end - begin);
    if (begin > 0) lines += '\n';
    lines += line.starts_with(kError) ? normalize_error(line) : normalize_json(line);
    begin = end + 1;
  }
  return lines;
}

}  // namespace partita::test
