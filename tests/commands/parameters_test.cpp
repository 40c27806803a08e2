// SPDX-License-Identifier: GPL-3.0-or-later
// The table of server parameters: how one is defined, set from text and from BSON, and refused.
#include "commands/settings/parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "wire/log/log.h"

namespace partita::commands::parameters {
namespace {

using ::testing::HasSubstr;

Flag test_flag{{.name = "testFlag", .summary = "A flag."}};
Flag test_startup_flag{{.name = "testStartupFlag", .summary = "Set at start.", .when = When::kStartup}, true};
Flag test_runtime_flag{{.name = "testRuntimeFlag", .summary = "Set later.", .when = When::kRuntime}};
Whole test_whole{{.name = "testWhole", .summary = "A number."}, {.initial = 60, .least = 1, .most = 5'000'000'000}};
Real test_real{{.name = "testReal", .summary = "A fraction."}, {.initial = 0.5, .least = 0, .most = 1}};

bson::Value of(std::int32_t v) { return bson::Value::of(v); }

TEST(Parameters, AreFoundByNameInOrder) {
  EXPECT_EQ(find("testWhole"), &test_whole);
  EXPECT_EQ(find("testWhol"), nullptr);
  EXPECT_EQ(find(""), nullptr);
  const auto names_less = [](const Parameter* a, const Parameter* b) { return a->about().name < b->about().name; };
  EXPECT_TRUE(std::is_sorted(all().begin(), all().end(), names_less));
  for (const Parameter* one : all()) EXPECT_FALSE(one->about().summary.empty()) << one->about().name;
}

TEST(Parameters, TakeNumbersOfEveryTypeWithoutLoss) {
  for (const bson::Value value : {of(70), bson::Value::of(std::int64_t{70}), bson::Value::of(70.0)}) {
    ASSERT_TRUE(test_whole.set(of(1)).ok());
    ASSERT_TRUE(set_at_runtime("testWhole", value).ok());
    EXPECT_EQ(test_whole.get(), 70);
  }
  EXPECT_EQ(test_whole.value().get().type(), bson::Type::kInt32);
  ASSERT_TRUE(set_at_startup("testWhole", "4000000000").ok());
  EXPECT_EQ(test_whole.value().get().type(), bson::Type::kInt64);
  EXPECT_EQ(test_whole.initial().get().as_int32(), 60);
}

TEST(Parameters, SayHowOftenCursorsAreLookedForAtAnyTime) {
  const std::string_view name = "clientCursorMonitorFrequencySecs";
  ASSERT_TRUE(set_at_runtime(name, of(9)).ok());
  EXPECT_EQ(find(name)->value().get().as_int32(), 9);
  EXPECT_EQ(set_at_runtime(name, of(0)).code(), Code::BadValue);
  ASSERT_TRUE(set_at_runtime(name, of(4)).ok());
}

TEST(Parameters, KeepTheirValueWhenOneIsRefused) {
  ASSERT_TRUE(test_whole.set(of(60)).ok());
  const Status low = set_at_runtime("testWhole", of(0));
  EXPECT_EQ(low.code(), Code::BadValue);
  EXPECT_EQ(low.message(), "Invalid value for parameter testWhole: 0 is not greater than or equal to 1");
  EXPECT_EQ(set_at_runtime("testWhole", bson::Value::of(std::int64_t{5'000'000'001})).message(),
            "Invalid value for parameter testWhole: 5000000001 is not less than or equal to 5000000000");
  EXPECT_FALSE(test_whole.set(bson::Value::of(5.5)).ok()) << "a fraction is not cut off";
  EXPECT_FALSE(test_whole.set(bson::Value::of(true)).ok());
  EXPECT_FALSE(test_whole.set(bson::Value::null()).ok());
  for (const char* text : {"", "x", "5x", " 5", "5.5", "99999999999999999999"})
    EXPECT_FALSE(test_whole.set_text(text).ok()) << text;
  EXPECT_EQ(test_whole.get(), 60);
}

TEST(Parameters, NameThemselvesOnceWhenTheyRefuse) {
  EXPECT_EQ(set_at_startup("enableAutoSplit", "maybe").message(),
            "Invalid value for parameter enableAutoSplit: it must be true or false");
  EXPECT_EQ(set_at_runtime("ttlMonitorSleepSecs", of(0)).message(),
            "Invalid value for parameter ttlMonitorSleepSecs: it must be a whole number from 1 to 2147483647");
  EXPECT_EQ(set_at_runtime("partitionSizeLimitBytes", of(5)).message(),
            "Invalid value for parameter partitionSizeLimitBytes: it must be a whole number, and at least 1024");
}

TEST(Parameters, KeepFractionsWithinTheirBounds) {
  ASSERT_TRUE(set_at_startup("testReal", "0.25").ok());
  EXPECT_EQ(test_real.get(), 0.25);
  ASSERT_TRUE(test_real.set(of(1)).ok());
  EXPECT_EQ(test_real.get(), 1.0);
  for (const char* text : {"1.01", "-0.01", "nan", "inf"}) EXPECT_FALSE(test_real.set_text(text).ok()) << text;
  EXPECT_EQ(test_real.get(), 1.0);
}

TEST(Parameters, ReadFlags) {
  for (const char* text : {"true", "1"}) {
    ASSERT_TRUE(test_flag.set(bson::Value::of(false)).ok());
    ASSERT_TRUE(test_flag.set_text(text).ok());
    EXPECT_TRUE(test_flag.get());
  }
  ASSERT_TRUE(test_flag.set(of(0)).ok());
  EXPECT_FALSE(test_flag.get());
  for (const char* text : {"", "yes", "TRUE", "2"}) EXPECT_FALSE(test_flag.set_text(text).ok()) << text;
  EXPECT_FALSE(test_flag.set(bson::Value::null()).ok());
}

TEST(Parameters, AreSetWhenTheyMay) {
  EXPECT_TRUE(set_at_startup("testStartupFlag", "false").ok());
  const Status late = set_at_runtime("testStartupFlag", bson::Value::of(true));
  EXPECT_EQ(late.message(), "not allowed to change [testStartupFlag] at runtime");
  EXPECT_FALSE(test_startup_flag.get());
  EXPECT_TRUE(set_at_runtime("testRuntimeFlag", bson::Value::of(true)).ok());
  EXPECT_FALSE(set_at_startup("testRuntimeFlag", "false").ok());
  EXPECT_TRUE(test_runtime_flag.get());
}

TEST(Parameters, AreRefusedByNameWhenUnknown) {
  EXPECT_EQ(set_at_startup("bogus", "1").message(), "Unknown --setParameter 'bogus'");
  EXPECT_EQ(set_at_runtime("bogus", of(1)).message(),
            "attempted to set unrecognized parameter [bogus], use help:true to see options ");
}

TEST(Parameters, SteerTheLog) {
  ASSERT_TRUE(set_at_runtime("logLevel", of(2)).ok());
  EXPECT_EQ(log::verbosity(log::Component::kDefault), 2);
  EXPECT_FALSE(set_at_runtime("logLevel", of(6)).ok());
  EXPECT_FALSE(set_at_startup("logLevel", "loud").ok());
  ASSERT_TRUE(set_at_startup("logLevel", "0").ok());
  EXPECT_EQ(find("logLevel")->value().get().as_int32(), 0);
  ASSERT_TRUE(set_at_runtime("quiet", bson::Value::of(true)).ok());
  EXPECT_TRUE(log::quiet());
  ASSERT_TRUE(set_at_startup("quiet", "false").ok());
  EXPECT_FALSE(log::quiet());
}

TEST(Parameters, SteerTheComponentsOfTheLogTogetherOrNotAtAll) {
  const std::string good = "{network: {verbosity: 2}, storage: {verbosity: 1, journal: {verbosity: 3}}}";
  ASSERT_TRUE(set_at_startup("logComponentVerbosity", good).ok());
  EXPECT_EQ(log::verbosity(log::Component::kNetwork), 2);
  EXPECT_EQ(log::verbosity(log::Component::kJournal), 3);
  const auto shown = find("logComponentVerbosity")->value();
  EXPECT_EQ(shown.get().as_document().at_path("storage.journal.verbosity").as_int32(), 3);
  EXPECT_EQ(shown.get().as_document().at_path("query.verbosity").as_int32(), -1);
  for (const char* bad : {"{network: {verbosity: 0}, bogus: {verbosity: 1}}", "{network: {verbosity: 0}, query: 3}",
                          "{network: {verbosity: 0}, query: {verbosity: 6}}", "3", "loud"})
    EXPECT_FALSE(set_at_startup("logComponentVerbosity", bad).ok()) << bad;
  EXPECT_EQ(log::verbosity(log::Component::kNetwork), 2) << "nothing of a refused document is applied";
  ASSERT_TRUE(set_at_startup("logComponentVerbosity",
                             "{network: {verbosity: -1}, storage: {verbosity: -1, journal: {verbosity: -1}}}")
                  .ok());
}

}  // namespace
}  // namespace partita::commands::parameters
