// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/distil.h"

#include <gmock/gmock.h>

namespace partita::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Distil, TakesWhatAddsMostAndLeavesWhatAddsNothing) {
  EXPECT_THAT(distil({{10, {1, 2}}, {10, {1, 2, 3, 4}}, {10, {5}}, {10, {4, 5}}}), ElementsAre(1, 2));
}

TEST(Distil, PrefersTheSmallerOfEquals) { EXPECT_THAT(distil({{900, {1, 2}}, {30, {1, 2}}}), ElementsAre(1)); }

TEST(Distil, KeepsToItsLimits) {
  EXPECT_THAT(distil({{1, {1}}, {1, {2}}, {1, {3}}}, {.inputs = 2, .bytes = 100}), ElementsAre(0, 1));
  EXPECT_THAT(distil({{60, {1, 2, 3}}, {60, {4, 5}}, {40, {6}}}, {.inputs = 9, .bytes = 100}), ElementsAre(0, 2));
}

TEST(Distil, OfNothingIsNothing) { EXPECT_THAT(distil({{5, {}}, {0, {}}}), IsEmpty()); }

}  // namespace
}  // namespace partita::test
