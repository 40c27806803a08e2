// SPDX-License-Identifier: GPL-3.0-or-later
// Collections and their indexes, as the shell's helpers make, list and drop them.

const keys = (name) => db[name].getIndexes().map(({ key }) => key);

test('createCollection, and again', () => {
  same(db.createCollection('a').ok, 1);
  same(db.getCollectionNames(), ['a']);
  const [info] = db.getCollectionInfos({ name: 'a' });
  same([info.name, info.type, info.options, info.info.readOnly], ['a', 'collection', {}, false]);
  isTrue(info.info.uuid instanceof UUID || info.info.uuid.sub_type === 4, 'a UUID');
});

test('names are checked', () => {
  refused(73, () => db.createCollection('a$b'));
  refused(73, () => db.createCollection(''));
});

test('renameCollection takes documents along', () => {
  db.a.insertOne({ _id: 1 });
  same(db.a.renameCollection('b').ok, 1);
  same(db.getCollectionNames(), ['b']);
  same(db.b.findOne(), { _id: 1 });
  refused(26, () => db.a.renameCollection('c'));
});

test('a new collection has the index of _id', () => {
  same(db.b.getIndexes(), [{ v: 2, key: { _id: 1 }, name: '_id_' }]);
});

test('createIndex answers the name it made', () => {
  same(db.b.createIndex({ town: 1, age: -1 }), 'town_1_age_-1');
  same(db.b.createIndex({ town: 1, age: -1 }), 'town_1_age_-1');
  same(keys('b'), [{ _id: 1 }, { town: 1, age: -1 }]);
});

test('the index is used, and can be asked for', () => {
  db.b.insertMany([{ _id: 2, town: 'Ulm', age: 5 }, { _id: 3, town: 'Ulm', age: 7 }]);
  same(db.b.find({ town: 'Ulm' }).hint('town_1_age_-1').toArray().map(({ _id }) => _id), [3, 2]);
  isTrue(JSON.stringify(db.b.find({ town: 'Ulm' }).explain()).includes('town_1_age_-1'), 'named in explain');
});

test('explain says how a query would be answered, and how that went', () => {
  const stats = (explained) => [explained.executionStats.nReturned, explained.executionStats.totalDocsExamined];
  same(db.b.find({ age: 5 }).explain().queryPlanner.winningPlan.stage, 'COLLSCAN');
  same(stats(db.b.explain('executionStats').find({ town: 'Ulm' }).finish()), [2, 2]);
  same(stats(db.b.explain('executionStats').aggregate([{ $match: { town: 'Ulm' } }])), [2, 2]);
  same(db.b.explain('executionStats').count({ town: 'Ulm' }).executionStats.executionSuccess, true);
  same(db.b.explain().update({ _id: 2 }, { $set: { age: 6 } }).queryPlanner.winningPlan.stage, 'UPDATE');
  same(db.b.findOne({ _id: 2 }).age, 5);
});

test('a unique index refuses a second one', () => {
  db.u.createIndex({ mail: 1 }, { unique: true });
  db.u.insertOne({ mail: 'a' });
  refused(11000, () => db.u.insertOne({ mail: 'a' }));
  refused(11000, () => db.b.createIndex({ town: 1 }, { unique: true, name: 'towns' }));
  same(keys('b').length, 2);
});

test('dropIndex, dropIndexes', () => {
  same(db.b.dropIndex('town_1_age_-1').ok, 1);
  same(keys('b'), [{ _id: 1 }]);
  refused(27, () => db.b.dropIndex('none'));
  refused(72, () => db.b.dropIndex('_id_'));
});

test('drop says whether there was something', () => {
  same(db.b.drop(), true);
  same(db.getCollectionNames(), ['u']);
  same(db.b.find().toArray(), []);
});

test('validate finds nothing wrong', () => {
  const reply = db.u.validate({ full: true });
  same([reply.valid, reply.errors, reply.ok], [true, [], 1]);
});

test('aggregate matches, groups and sorts', () => {
  db.g.insertMany([{ k: 'a', n: 1 }, { k: 'b', n: 2 }, { k: 'a', n: 3 }]);
  const rows = db.g.aggregate([
    { $match: { n: { $gt: 0 } } },
    { $group: { _id: '$k', sum: { $sum: '$n' }, mean: { $avg: '$n' }, most: { $max: '$n' } } },
    { $sort: { _id: 1 } },
  ]).toArray();
  same(rows, [{ _id: 'a', sum: 4, mean: 2, most: 3 }, { _id: 'b', sum: 2, mean: 2, most: 2 }]);
  same(db.g.aggregate([{ $count: 'all' }]).toArray(), [{ all: 3 }]);
});
