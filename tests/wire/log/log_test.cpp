// SPDX-License-Identifier: GPL-3.0-or-later
// The log of the process: filtering, the file and its rotation, what getLog will show. It is started once per process,
// so the tests share one file and look for lines of their own.
#include "wire/log/log.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "wire/log/ring.h"
#include "wire/log/sink.h"

namespace partita::log {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> lines_of(const fs::path& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "partita-log-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~TemporaryFolder() { fs::remove_all(path); }
  fs::path path;
};

std::size_t count_recent(std::string_view text) {
  const auto all = recent().lines;
  return static_cast<std::size_t>(std::count_if(
      all.begin(), all.end(), [&](const std::string& line) { return line.find(text) != std::string::npos; }));
}

TEST(Log, WritesDebugLinesOnlyWhenAskedTo) {
  debug(Component::kTest, 1, 1, "quiet by default");
  EXPECT_EQ(count_recent("quiet by default"), 0U);
  set_verbosity(Component::kTest, 2);
  debug(Component::kTest, 2, 1, "of this component");
  debug(Component::kTest, 3, 1, "deeper than asked");
  debug(Component::kQuery, 1, 1, "of another component");
  EXPECT_EQ(count_recent("of this component"), 1U);
  EXPECT_EQ(count_recent("deeper than asked"), 0U);
  EXPECT_EQ(count_recent("of another component"), 0U);
  set_verbosity(Component::kDefault, 1);
  debug(Component::kQuery, 1, 1, "of every component");
  EXPECT_EQ(count_recent("of every component"), 1U);
  set_verbosity(Component::kTest, 0);
  EXPECT_FALSE(enabled(Component::kTest, Severity::kDebug1)) << "its own verbosity overrules the general one";
  set_verbosity(Component::kTest, -1);
  EXPECT_TRUE(enabled(Component::kTest, Severity::kDebug1));
  EXPECT_EQ(verbosity(Component::kTest), -1);
  set_verbosity(Component::kDefault, 0);
  EXPECT_TRUE(enabled(Component::kTest, Severity::kFatal));
}

TEST(Log, NamesWhoSpeaks) {
  {
    const Context outer("conn7");
    const Context inner("inner");
    info(Component::kTest, 1, "whose line");
  }
  EXPECT_EQ(count_recent(R"("ctx":"inner","msg":"whose line")"), 1U);
  info(Component::kTest, 1, "afterwards");
  EXPECT_EQ(count_recent(R"("ctx":"main","msg":"afterwards")"), 1U);
}

TEST(Log, KeepsStartupWarningsApart) {
  const auto before = startup_warnings().total;
  info(Component::kControl, 1, "not a warning");
  startup_warning(Component::kControl, 22120, "Access control is not enabled");
  ASSERT_EQ(startup_warnings().total, before + 1);
  EXPECT_NE(startup_warnings().lines.back().find(R"("tags":["startupWarnings"])"), std::string::npos);
  EXPECT_EQ(count_recent("Access control is not enabled"), 1U);
}

TEST(Log, GoesToItsFileInOrderAndThroughRotation) {
  const TemporaryFolder folder;
  const fs::path file = folder.path / "partitad.log";
  std::ofstream(file) << "from an earlier run\n";
  ASSERT_TRUE(start({.path = file.string()}).ok());
  EXPECT_FALSE(start({}).ok()) << "once per process";

  constexpr int kThreads = 4, kLines = 200;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([t] {
      for (int i = 0; i < kLines; ++i) info(Component::kTest, 100 + t, "counted", {{"i", i}});
    });
  for (auto& thread : threads) thread.join();
  fatal(Component::kTest, 9, "past the queue");
  const auto at_once = lines_of(file);
  EXPECT_TRUE(std::any_of(at_once.begin(), at_once.end(),
                          [](const auto& line) { return line.find("past the queue") != std::string::npos; }));

  stop();
  const auto lines = lines_of(file);
  EXPECT_EQ(lines.size(), kThreads * kLines + 1U);
  EXPECT_EQ(lost_lines(), 0);
  for (int t = 0; t < kThreads; ++t) {
    int next = 0;
    for (const auto& line : lines)
      if (line.find("\"id\":" + std::to_string(100 + t)) != std::string::npos) {
        EXPECT_NE(line.find("\"i\":" + std::to_string(next++) + "}"), std::string::npos) << line;
      }
    EXPECT_EQ(next, kLines);
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path), {}), 2) << "the earlier run's file was moved aside";

  fs::rename(file, folder.path / "moved");
  ASSERT_TRUE(rotate(Rotation::kReopen).ok());
  info(Component::kTest, 9, "in the new file");
  EXPECT_EQ(lines_of(file).size(), 1U);
}

TEST(DescriptorSink, RotatesByRenamingAndNeverOverAnotherFile) {
  const TemporaryFolder folder;
  const fs::path file = folder.path / "a.log";
  DescriptorSink sink;
  ASSERT_TRUE(sink.open(file.string()).ok());
  sink.log({{}, spdlog::level::info, "one"});
  ASSERT_TRUE(sink.rename_and_reopen().ok());
  sink.log({{}, spdlog::level::info, "two"});
  EXPECT_EQ(lines_of(file), std::vector<std::string>{"two"});
  int files = 0, refused = 0;
  for (int i = 0; i < 3; ++i) refused += sink.rename_and_reopen().ok() ? 0 : 1;
  for (const auto& entry : fs::directory_iterator(folder.path)) files += entry.is_regular_file() ? 1 : 0;
  EXPECT_GE(refused, 1) << "within one second the name is taken";
  EXPECT_GE(files, 2);
}

TEST(DescriptorSink, TakesTheOtherFilesPlaceWhenItMay) {
  const TemporaryFolder folder;
  const fs::path file = folder.path / "a.log";
  DescriptorSink sink;
  ASSERT_TRUE(sink.open(file.string()).ok());
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(sink.rename_and_reopen(DescriptorSink::IfThere::kReplace).ok());
}

TEST(DescriptorSink, SaysWhyItCannotOpen) {
  DescriptorSink sink;
  const Status status = sink.open("/nonexistent/folder/a.log");
  EXPECT_EQ(status.code(), Code::FileOpenFailed);
  EXPECT_NE(status.message().find("/nonexistent/folder/a.log"), std::string::npos);
}

TEST(Ring, KeepsTheLastLinesInOrder) {
  Ring ring(3);
  EXPECT_TRUE(ring.lines().empty());
  for (const char* line : {"a", "b"}) ring.push(line);
  EXPECT_EQ(ring.lines(), (std::vector<std::string>{"a", "b"}));
  for (const char* line : {"c", "d", "e"}) ring.push(line);
  EXPECT_EQ(ring.lines(), (std::vector<std::string>{"c", "d", "e"}));
  EXPECT_EQ(ring.total(), 5);
}

}  // namespace
}  // namespace partita::log
