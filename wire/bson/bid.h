// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Debian builds Intel's library in eight calling conventions; bidgcc000 is the one that takes numbers by value and
// rounding mode and flags as arguments, and so has no global state to share between threads.
#define DECIMAL_CALL_BY_REFERENCE 0
#define DECIMAL_GLOBAL_ROUNDING 0
#define DECIMAL_GLOBAL_EXCEPTION_FLAGS 0
#include <bid_conf.h>
#include <bid_functions.h>

#include "wire/bson/types.h"

/// Intel's decimal numbers and ours, for the sources that calculate with them.
namespace partita::bson {

constexpr _IDEC_round kToNearestEven = 0;
constexpr _IDEC_round kTowardZero = 3;
constexpr int kDecimalExponentBias = 6176;
constexpr int kDecimalExponentShift = 49;  ///< Within the high word of the plain encoding: sign, 14 exponent bits, digits.

inline BID_UINT128 to_bid(Decimal128 value) {
  BID_UINT128 bid;
  bid.w[0] = value.low;
  bid.w[1] = value.high;
  return bid;
}

inline Decimal128 from_bid(BID_UINT128 bid) { return {bid.w[0], bid.w[1]}; }

}  // namespace partita::bson
