// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "query/sort/run_file.h"

namespace partita::shards {

/// Files without a name in the folder _tmp of a data directory: the kernel removes them with whoever has them open, however
/// that ends. Thread-safe.
class TemporaryFiles final : public query::RunFiles {
 public:
  explicit TemporaryFiles(const std::string& data_directory);
  Result<std::unique_ptr<query::RunFile>> open() override;

 private:
  const std::string folder_;
};

}  // namespace partita::shards
