// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/simulation/judge.h"

namespace partita::simulation {

using shards::LogId;
using shards::RecordHeader;
using shards::RecordKind;

Tally& Tally::operator+=(const Tally& more) {
  records += more.records;
  void_records += more.void_records;
  epochs += more.epochs;
  barriers += more.barriers;
  crashes += more.crashes;
  acknowledged += more.acknowledged;
  lost += more.lost;
  repeated += more.repeated;
  catalog_changes += more.catalog_changes;
  return *this;
}

void Judge::state(const char* node, LogId log, shards::Sequence sequence, std::uint64_t hash) {
  const auto [known, first] = states_.try_emplace({log, sequence}, hash);
  if (!first && known->second != hash) {
    fail(detail::join("two states at log ", static_cast<std::uint32_t>(log), " record ", sequence, ", one of them on ", node));
  }
}

void Judge::acknowledged(const shards::Position& position) {
  ++tally_.acknowledged;
  if (!acknowledged_.insert({position.log, position.epoch, position.sequence}).second) {
    fail(detail::join("record ", position.sequence, " has been acknowledged twice"));
  }
}

void Judge::fail(std::string what) {
  if (failure_.empty()) failure_ = std::move(what);
}

std::set<Judge::Identity> Judge::find_valid(const Topics& topics) {
  std::set<Identity> valid;
  for (const LogId log : {shards::kCatalogLog, shards::kDataLog}) {
    const shards::MemoryTopic& topic = topics[static_cast<std::size_t>(log)];
    shards::Epoch epoch = 0;
    shards::Sequence next = 1;
    for (shards::MemoryTopic::Offset at = 0; at < topic.end(); ++at) {
      const RecordHeader header = shards::read_header(topic.at(at)).value();
      const bool new_epoch = header.kind == RecordKind::kEpoch && header.epoch - epoch == 1;
      const bool goes_on = header.kind != RecordKind::kEpoch && header.epoch == epoch && header.sequence == next;
      ++tally_.records;
      tally_.epochs += new_epoch ? 1 : 0;
      tally_.void_records += new_epoch || goes_on ? 0 : 1;
      if (new_epoch) epoch = header.epoch;
      if (goes_on) valid.insert({log, epoch, next});
      if (new_epoch || goes_on) ++next;
    }
  }
  return valid;
}

void Judge::judge(const Topics& topics) {
  const std::set<Identity> valid = find_valid(topics);
  for (const Identity& one : acknowledged_) {
    if (!valid.contains(one)) {
      fail(detail::join("acknowledged, and void: log ", static_cast<std::uint32_t>(one.log), " epoch ", one.epoch, " record ",
                        one.sequence));
    }
  }
}

}  // namespace partita::simulation
