// SPDX-License-Identifier: GPL-3.0-or-later
// Loaded last: a script that stopped half-way prints no tally, and the runner counts that as a failure.
db.dropDatabase();
print(`${tally.passed} passed, ${tally.failed} failed`);
