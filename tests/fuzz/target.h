// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tests/support/random.h"

/// A fuzz target is one file with this function, as libFuzzer knows it (so clang's own fuzzer can be linked instead of our
/// driver), and one line in CMakeLists.txt. What it finds wrong it tells by FUZZ_CHECK; the sanitizers tell the rest.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace partita::test {

/// What a target may say about its inputs, to be found faster. Defining neither is fine.
[[gnu::weak]] std::vector<std::vector<std::uint8_t>> fuzz_seeds(Random& random);  ///< Well-formed inputs to begin with.
[[gnu::weak]] std::vector<std::string_view> fuzz_dictionary();                    ///< Words that matter to the parser.

/// Prints what was expected and aborts; the driver then saves the input.
[[noreturn]] void fuzz_failed(const char* expectation, const char* file, int line);

}  // namespace partita::test

#define FUZZ_CHECK(...) \
  if (!(__VA_ARGS__)) ::partita::test::fuzz_failed(#__VA_ARGS__, __FILE__, __LINE__)
