// SPDX-License-Identifier: GPL-3.0-or-later
// What the scripts of this folder are written with. mongosh loads it first, into an empty database of the script's own.

db.dropDatabase();

const tally = { passed: 0, failed: 0 };

/** Runs one case; what it throws is its failure. */
function test(name, body) {
  try {
    body();
    tally.passed += 1;
    print(`ok      ${name}`);
  } catch (problem) {
    tally.failed += 1;
    print(`failed  ${name}: ${problem.message}`);
  }
}

/** Both values as the wire would carry them: types count (an int is not a double's equal), the order of fields too. */
function same(actual, expected) {
  const [got, want] = [actual, expected].map((value) => EJSON.stringify(value, { relaxed: false }));
  if (got !== want) throw new Error(`expected ${want}, got ${got}`);
}

function isTrue(value, what) {
  if (value !== true) throw new Error(`${what}: expected true, got ${EJSON.stringify(value)}`);
}

function isNumber(value, what) {
  const number = typeof value === 'number' ? value : Number(value);
  if (value === undefined || value === null || !Number.isFinite(number)) {
    throw new Error(`${what}: expected a number, got ${EJSON.stringify(value)}`);
  }
}

/** The body must throw the server's error of this code. */
function refused(code, body) {
  let thrown = null;
  try {
    body();
  } catch (problem) {
    thrown = problem;
  }
  if (thrown === null) throw new Error(`expected error ${code}, but it went well`);
  if (thrown.code !== code) throw new Error(`expected error ${code}, got ${thrown.code}: ${thrown.message}`);
}
