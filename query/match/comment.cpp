// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/match/operator.h"

namespace partita::query {
namespace {

Result<Clause> parse_comment(const OperatorArgs&) { return Clause{}; }

const RegisterEntry<FilterOperator> kComment{{
    .name = "$comment",
    .summary = "A remark for logs and profiles; matches everything.",
    .parse = parse_comment,
    .about = About::kAny,
    .examples = {{"{$comment: 'why', a: 1}", "{a: 1}", "true"}, {"{$comment: 1, a: 1}", "{a: 2}", "false"}},
}};

}  // namespace
}  // namespace partita::query
