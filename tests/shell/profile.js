// SPDX-License-Identifier: GPL-3.0-or-later
// The profiler, as people switch it on, read it and switch it off.

db.p.insertMany([{ _id: 1, a: 1 }, { _id: 2, a: 2 }]);

test('it is off', () => {
  const status = db.getProfilingStatus();
  same([status.was, status.slowms, status.sampleRate, status.ok], [0, 100, 1, 1]);
});

test('db.setProfilingLevel answers with what it was', () => {
  same(db.setProfilingLevel(2).was, 0);
  same(db.getProfilingStatus().was, 2);
});

test('db.system.profile has the operations in their order', () => {
  db.p.find({ a: 2 }).toArray();
  db.p.updateOne({ _id: 1 }, { $set: { b: 1 } });
  same(db.system.profile.find({ ns: `${db.getName()}.p` }).toArray().map(({ op, planSummary }) => [op, planSummary]),
    [['query', 'COLLSCAN'], ['update', 'IDHACK']]);
});

test('the last ones first', () => {
  isTrue(db.system.profile.find({ millis: { $gte: 0 } }).sort({ ts: -1 }).limit(5).toArray().length > 1, 'several');
});

test('db.setProfilingLevel takes options', () => {
  db.setProfilingLevel(1, { slowms: 20, sampleRate: 0.5 });
  const status = db.getProfilingStatus();
  same([status.was, status.slowms, status.sampleRate], [1, 20, 0.5]);
  db.setProfilingLevel(1, { filter: { 'command.comment': { $eq: 'this one' } } });
  same(db.getProfilingStatus().filter, { 'command.comment': { $eq: 'this one' } });
  db.p.find({ a: 1 }).comment('this one').toArray();
  db.p.find({ a: 1 }).comment('not this one').toArray();
  same(db.system.profile.countDocuments({ 'command.comment': /this one/ }), 1);
});

test('it is dropped when it is off', () => {
  refused(20, () => db.runCommand({ drop: 'system.profile' }));
  db.setProfilingLevel(0, { slowms: 100, sampleRate: 1, filter: 'unset' });
  same(db.system.profile.drop(), true);
  same(db.getCollectionNames(), ['p']);
});
