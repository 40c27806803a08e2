// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/commands/in_process.h"
#include "tests/text/target.h"

namespace partita::test {
namespace {

class InProcessTarget : public Target {
 public:
  bson::Document run(std::string_view database, bson::View command) override {
    const bson::Document addressed = bson::Document::build([&](bson::Writer& body) {
      body.elements(command);
      body.add("$db", database);
    });
    return server_.client().reply(addressed.view(), {});
  }

 private:
  InProcess server_;
};

}  // namespace

std::unique_ptr<Target> make_in_process_target() { return std::make_unique<InProcessTarget>(); }

}  // namespace partita::test
