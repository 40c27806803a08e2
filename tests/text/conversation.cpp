// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/text/conversation.h"

#include <charconv>

#include "tests/support/test_file.h"
#include "tests/text/answer.h"
#include "tests/text/language_verbs.h"
#include "wire/bson/json.h"

namespace partita::test {
namespace {

constexpr std::string_view kDatabase = "text";
constexpr std::string_view kCursor = "$cursor";

void replace_all(std::string& text, std::string_view what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

}  // namespace

std::string expand(std::string_view text) {
  constexpr std::string_view kBegin = "$x(";
  std::string out;
  while (true) {
    const std::size_t at = text.find(kBegin);
    out.append(text.substr(0, at));
    if (at == std::string_view::npos) return out;
    text.remove_prefix(at + kBegin.size());
    std::size_t count = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), count);
    out.append(count, 'x');
    text.remove_prefix(std::min(static_cast<std::size_t>(end - text.data()) + 1, text.size()));
  }
}

Conversation::Conversation(Target& target) : target_(target) {
  target_.run(kDatabase, bson::Document::build([](bson::Writer& w) { w.add("dropDatabase", 1); }));
}

std::string Conversation::answer(std::string_view command) {
  try {
    if (!command.starts_with('{')) return run_language_case(target_, kDatabase, command);
    std::string text = expand(command);
    return run_each(text);
  } catch (const std::exception& problem) {
    return std::string("nothing: ") + problem.what();
  }
}

std::string Conversation::run_each(const std::string& commands) {
  std::string answers;
  for (const std::string& command : split_command(commands))
    answers.append(answers.empty() ? "" : "\n").append(run(command));
  return answers;
}

std::string Conversation::run(const std::string& command) {
  std::string text = command;
  const std::string last = "NumberLong(" + std::to_string(cursor_) + ")";
  replace_all(text, kCursor, last);
  const auto parsed = bson::parse_json(text);
  if (!parsed.ok()) return "not a command: " + parsed.status().message();
  const bson::Value database = (*parsed)["$db"];
  const bson::Document body = bson::Document::build([&](bson::Writer& out) {
    for (const bson::Field& field : parsed->view())
      if (field.name != "$db") out.add(field);
  });
  const bson::Document reply = target_.run(database.missing() ? kDatabase : database.as_string(), body);
  const bson::Value id = reply.view().at_path("cursor.id");
  if (id.is(bson::Type::kInt64) && id.as_int64() != 0) cursor_ = id.as_int64();
  std::string answer = print_answer(reply);
  replace_all(answer, last, std::string(kCursor));
  return answer;
}

}  // namespace partita::test
