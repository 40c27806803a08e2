// SPDX-License-Identifier: GPL-3.0-or-later
// Every case of every .test file in this folder, as a test of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <ostream>

#include "tests/query/language.h"
#include "tests/support/test_file.h"
#include "tests/support/test_path.h"

namespace partita::test {

void PrintTo(const TestCase& test, std::ostream* out) { *out << test.command; }

namespace {

class TextFile : public testing::TestWithParam<TestCase> {};

std::string case_name(const testing::TestParamInfo<TestCase>& info) {
  std::string name = info.param.file + "_" + std::to_string(info.param.line);
  std::replace_if(name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

/// Answers of several lines are compared line by line.
std::string normalize_lines(const std::string& answer) {
  std::string lines;
  std::size_t begin = 0;
  while (begin <= answer.size()) {
    const std::size_t end = std::min(answer.find('\n', begin), answer.size());
    if (begin > 0) lines += '\n';
    if (end > begin) lines += normalize_answer(answer.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

TEST_P(TextFile, answers) { EXPECT_EQ(run_language(GetParam().command), normalize_lines(GetParam().expected)); }

INSTANTIATE_TEST_SUITE_P(query, TextFile, testing::ValuesIn(read_test_files(test_path("query"))), case_name);

}  // namespace
}  // namespace partita::test
