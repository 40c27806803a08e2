// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

/// Which MongoDB a client may take the server for. Drivers and tools branch on these numbers; what the server itself is
/// stands beside them in buildInfo's `partita`.
namespace partita::commands {

constexpr std::string_view kMongoVersion = "7.0.16";
constexpr std::array<std::int32_t, 4> kMongoVersionArray{7, 0, 16, 0};
constexpr std::string_view kFeatureVersion = "7.0";
constexpr std::int32_t kMinWireVersion = 0;
constexpr std::int32_t kMaxWireVersion = 21;

constexpr std::int32_t kMaxWriteBatchSize = 100000;

/// The one data node that there is as long as everything lives in one process: what `config.shards` lists.
constexpr std::string_view kNodeName = "node0";

}  // namespace partita::commands
