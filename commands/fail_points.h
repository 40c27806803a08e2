// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <optional>

#include "commands/operation.h"
#include "shards/storage/fail_point.h"

/// The fail points of the dispatcher, by the names and with the data that drivers' test suites use. Storage has its own
/// where they bite: see shards/storage/fail_point.h.
namespace partita::commands {

extern shards::FailPoint fail_command;
extern shards::FailPoint max_time_always_times_out;
extern shards::FailPoint max_time_never_times_out;

/// What failCommand wants done to one operation, in this order: hold it for a while, drop the connection, fail, or let
/// it run and then claim that its write concern was not met.
class Fault {
 public:
  /// Asks failCommand about an operation that begins. Ask armed() first: this takes a lock.
  static std::optional<Fault> pick(const Operation& operation);

  /// Once: how long to hold the operation before anything else.
  std::optional<std::chrono::milliseconds> take_delay() { return std::exchange(delay_, std::nullopt); }
  bool closes_connection() const { return closes_; }
  /// OK when the operation shall run.
  const Status& failure() const { return failure_; }
  /// True when the labels of the reply are these and no others.
  bool has_labels() const { return data_["errorLabels"].is_array(); }
  bson::View labels() const { return data_["errorLabels"].as_document(); }
  /// Missing when there is none.
  bson::Value write_concern_error() const { return data_["writeConcernError"]; }

 private:
  explicit Fault(bson::View data) : data_(data) {}

  bson::Document data_;
  std::optional<std::chrono::milliseconds> delay_;
  bool closes_ = false;
  Status failure_;
};

}  // namespace partita::commands
