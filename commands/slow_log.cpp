// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/slow_log.h"

#include <random>
#include <vector>

#include "commands/client_connection.h"
#include "commands/finished_operation.h"
#include "commands/plan_summary.h"
#include "wire/log/log.h"

namespace partita::commands {
namespace parameters {

Whole slow_op_threshold_ms{{.name = "slowOpThresholdMs", .summary = "Operations that take longer are logged."},
                           {.initial = 100, .least = INT64_MIN}};
Real slow_op_sample_rate{{.name = "slowOpSampleRate", .summary = "The share of slow operations that is logged."},
                         {.initial = 1, .least = 0, .most = 1}};

}  // namespace parameters
namespace {

class Attributes {
 public:
  template <class T>
  void add(std::string_view name, const T& value) {
    list_.emplace_back(name, value);
  }
  /// Only what has happened is worth a place in the line.
  void add_count(std::string_view name, std::int64_t count) {
    if (count > 0) list_.emplace_back(name, count);
  }
  std::span<const log::Attribute> list() const { return list_; }

 private:
  std::vector<log::Attribute> list_;
};

}  // namespace

bool is_sampled() {
  const double rate = parameters::slow_op_sample_rate.get();
  if (rate >= 1) return true;
  thread_local std::minstd_rand engine(std::random_device{}());
  return std::uniform_real_distribution<double>()(engine) < rate;
}

void set_slow_operations(const Settings::SlowOperations& settings) {
  // Both have been checked where they were read, against the same bounds.
  (void)parameters::slow_op_threshold_ms.set(bson::Value::of(std::int64_t{settings.threshold_ms}));
  (void)parameters::slow_op_sample_rate.set(bson::Value::of(settings.sample_rate));
}

void log_slow(const FinishedOperation& finished) {
  if (!log::enabled(log::Component::kCommand, log::Severity::kInfo)) return;
  const Operation& operation = finished.operation;
  const Status& status = finished.status;
  const std::string ns = operation.shown_namespace();
  const std::string_view application = operation.client().application_name();
  const std::string code = code_name(status.code());
  const OperationStats& stats = operation.stats();
  Attributes line;
  line.add("type", std::string_view("command"));
  line.add("ns", ns);
  if (!application.empty()) line.add("appName", application);
  line.add("command", operation.body());
  if (!stats.plan_summary.empty()) {
    line.add("planSummary", stats.plan_summary);
    line.add("keysExamined", keys_examined(stats));
    line.add("docsExamined", stats.documents.docs_examined);
  }
  if (!operation.replan_reason().empty()) {
    line.add("replanned", true);
    line.add("replanReason", operation.replan_reason());
  }
  line.add_count("ninserted", stats.documents.inserted);
  line.add_count("nModified", stats.documents.updated);
  line.add_count("ndeleted", stats.documents.deleted);
  line.add_count("nreturned", stats.documents.returned);
  if (!status.ok()) {
    line.add("ok", std::int64_t{0});
    line.add("errMsg", status.message());
    line.add("errName", code);
    line.add("errCode", static_cast<std::int64_t>(status.code()));
  }
  line.add("reslen", static_cast<std::int64_t>(finished.reply.size()));
  line.add("remote", operation.client().peer().remote);
  line.add("protocol", std::string_view(operation.request().legacy ? "op_query" : "op_msg"));
  line.add("durationMillis", static_cast<std::int64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(finished.took).count()));
  log::line(log::Severity::kInfo, log::Component::kCommand, 51803, "Slow query", line.list());
}

}  // namespace partita::commands
