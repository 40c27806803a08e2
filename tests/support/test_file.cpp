// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace partita::test {
namespace {

constexpr std::string_view kRule = "----";

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void append_line(std::string& to, std::string_view line) {
  if (!to.empty()) to += '\n';
  to += line;
}

}  // namespace

Result<std::vector<TestCase>> parse_test_file(std::string_view name, std::string_view text) {
  enum class Reading { kNothing, kCommand, kAnswer };
  std::vector<TestCase> cases;
  Reading reading = Reading::kNothing;
  int number = 0;
  for (const std::string_view line : split_lines(text)) {
    ++number;
    if (line.empty()) {
      if (reading == Reading::kCommand) return error(Code::FailedToParse, name, ":", number, ": a case without answer");
      reading = Reading::kNothing;
    } else if (reading == Reading::kNothing && line[0] == '#') {
      continue;
    } else if (line == kRule) {
      if (reading != Reading::kCommand) return error(Code::FailedToParse, name, ":", number, ": a rule out of place");
      reading = Reading::kAnswer;
    } else if (reading == Reading::kAnswer) {
      append_line(cases.back().expected, line);
    } else {
      if (reading == Reading::kNothing) cases.push_back({std::string(name), number, "", ""});
      reading = Reading::kCommand;
      append_line(cases.back().command, line);
    }
  }
  if (reading == Reading::kCommand) return error(Code::FailedToParse, name, ":", number, ": a case without answer");
  return cases;
}

std::vector<TestCase> read_test_files(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".test") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<TestCase> all;
  for (const auto& path : paths) {
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::string name = path.lexically_relative(folder).replace_extension().generic_string();
    auto cases = parse_test_file(name, text);
    if (!cases.ok() || cases->empty())
      all.push_back({name, 0, "unreadable", cases.ok() ? "no cases" : cases.status().message()});
    if (cases.ok()) all.insert(all.end(), cases->begin(), cases->end());
  }
  return all;
}

std::string with_answers(std::string_view text, const std::vector<TestCase>& cases) {
  std::string out;
  auto next = cases.begin();
  bool in_answer = false;
  for (const std::string_view line : split_lines(text)) {
    if (line.empty()) in_answer = false;
    if (!in_answer) out.append(line) += '\n';
    if (line == kRule && next != cases.end()) {
      in_answer = true;
      out.append((next++)->expected) += '\n';
    }
  }
  return out;
}

std::vector<std::string> split_command(std::string_view command) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  char quote = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    const bool blank = c == ' ' || c == '\n' || c == '\t';
    if (quote == 0 && depth == 0 && blank) {
      if (!part.empty()) parts.push_back(std::move(part));
      part.clear();
      continue;
    }
    part += c;
    if (quote != 0) {
      if (c == '\\' && i + 1 < command.size()) part += command[++i];
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '{' || c == '[' || c == '(') {
      ++depth;
    } else if (c == '}' || c == ']' || c == ')') {
      --depth;
    }
  }
  if (!part.empty()) parts.push_back(std::move(part));
  return parts;
}

}  // namespace partita::test
