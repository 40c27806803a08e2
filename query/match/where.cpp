// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/match/operator.h"

namespace partita::query {
namespace {

/// As a mongod answers whose JavaScript is switched off.
Result<Clause> refuse_where(const OperatorArgs&) {
  return error(Code::BadValue, "no globalScriptEngine in $where parsing: this server does not run JavaScript, see $expr");
}

const RegisterEntry<FilterOperator> kWhere{{
    .name = "$where",
    .summary = "JavaScript, which this server does not run: always refused.",
    .parse = refuse_where,
    .examples = {{"{$where: 'true'}", "{}", "error 2"}},
}};

}  // namespace
}  // namespace partita::query
