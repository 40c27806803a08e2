// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>

namespace partita::test {

/// A real mongod of our own, started by tools/oracle and stopped with this object. Its data go with it.
class OracleProcess {
 public:
  /// `options` are tools/oracle's. nullptr where no mongod can be had: `why_not` then says what is missing.
  static std::unique_ptr<OracleProcess> start(const std::string& options, std::string& why_not);
  ~OracleProcess();
  OracleProcess(const OracleProcess&) = delete;
  OracleProcess& operator=(const OracleProcess&) = delete;

  const std::string& uri() const { return uri_; }

 private:
  explicit OracleProcess(std::string uri) : uri_(std::move(uri)) {}
  std::string uri_;
};

}  // namespace partita::test
