// SPDX-License-Identifier: GPL-3.0-or-later
// The helpers that everybody types: insert, find, update, delete, and what they answer.

const ids = (cursor) => cursor.map(({ _id }) => _id).toArray();
const fill = (count) => {
  db.n.drop();
  db.n.insertMany(Array.from({ length: count }, (_, i) => ({ _id: i, n: i % 10, town: i % 2 ? 'Ulm' : 'Bonn' })));
};

test('insertOne answers the id that was given, or a new ObjectId', () => {
  same(db.one.insertOne({ _id: 'a' }), { acknowledged: true, insertedId: 'a' });
  isTrue(db.one.insertOne({ n: 1 }).insertedId instanceof ObjectId, 'a new ObjectId');
  same(db.one.countDocuments(), 2);
});

test('a second document of the same id is refused and changes nothing', () => {
  refused(11000, () => db.one.insertOne({ _id: 'a', n: 2 }));
  same(db.one.findOne({ _id: 'a' }), { _id: 'a' });
});

test('insertMany in order stops at the first error, unordered it goes on', () => {
  refused(11000, () => db.many.insertMany([{ _id: 1 }, { _id: 1 }, { _id: 2 }]));
  same(ids(db.many.find()), [1]);
  refused(11000, () => db.many.insertMany([{ _id: 1 }, { _id: 3 }], { ordered: false }));
  same(ids(db.many.find().sort({ _id: 1 })), [1, 3]);
});

test('every type comes back as it went in', () => {
  const document = {
    _id: 1, double: 1.5, text: 'né', object: { a: { b: [] } }, array: [1, 'x', null], bytes: BinData(0, 'aGk='),
    id: ObjectId('65a000000000000000000001'), yes: true, date: ISODate('2024-02-29T12:00:00.123Z'), none: null,
    regex: /^a.*b$/i, int: Int32(7), long: Long('9007199254740993'), decimal: Decimal128('1.10'),
    timestamp: Timestamp({ t: 5, i: 6 }), min: MinKey(), max: MaxKey(), uuid: UUID('3b241101-e2bb-4255-8caf-4136c566a962'),
  };
  db.types.insertOne(document);
  same(db.types.findOne(), document);
});

test('find sorts, skips, limits and projects', () => {
  fill(30);
  same(ids(db.n.find({ n: { $gte: 8 } }).sort({ _id: -1 }).skip(1).limit(3)), [28, 19, 18]);
  same(db.n.find({ _id: 3 }, { town: 1 }).toArray(), [{ _id: 3, town: 'Ulm' }]);
  same(db.n.find({ _id: 3 }).projection({ _id: 0, n: 0 }).toArray(), [{ town: 'Ulm' }]);
  same(db.n.findOne({ _id: 99 }), null);
});

test('the query operators of every day', () => {
  same(ids(db.n.find({ $or: [{ _id: 1 }, { _id: { $in: [2, 5] } }] }).sort({ _id: 1 })), [1, 2, 5]);
  same(ids(db.n.find({ $and: [{ n: 3 }, { town: { $ne: 'Bonn' } }] }).sort({ _id: 1 })), [3, 13, 23]);
  same(db.n.countDocuments({ missing: { $exists: false } }), 30);
  same(db.n.countDocuments({ n: { $not: { $lt: 9 } } }), 3);
});

test('a cursor fetches batch after batch', () => {
  fill(250);
  same(db.n.find().batchSize(20).toArray().length, 250);
  let sum = 0;
  db.n.find().forEach(({ _id }) => { sum += _id; });
  same(sum, 31125);
  const cursor = db.n.find().sort({ _id: 1 }).batchSize(2);
  same([cursor.next()._id, cursor.next()._id, cursor.next()._id, cursor.hasNext()], [0, 1, 2, true]);
  cursor.close();
});

test('counts and distinct values', () => {
  same(db.n.countDocuments({ town: 'Ulm' }), 125);
  same(db.n.estimatedDocumentCount(), 250);
  same(db.n.distinct('town').sort(), ['Bonn', 'Ulm']);
  same(db.n.distinct('n', { town: 'Ulm' }).sort(), [1, 3, 5, 7, 9]);
});

test('updateOne and updateMany say what they found and changed', () => {
  const answer = ({ matchedCount, modifiedCount, upsertedCount }) => [matchedCount, modifiedCount, upsertedCount];
  same(answer(db.n.updateOne({ _id: 1 }, { $set: { n: 100 }, $inc: { hits: 1 } })), [1, 1, 0]);
  same(answer(db.n.updateOne({ _id: 1 }, { $set: { n: 100 } })), [1, 0, 0]);
  same(answer(db.n.updateMany({ town: 'Bonn' }, { $unset: { town: '' } })), [125, 125, 0]);
  same(answer(db.n.updateOne({ _id: -1 }, { $set: { n: 1 } })), [0, 0, 0]);
  same(db.n.findOne({ _id: 1 }), { _id: 1, n: 100, town: 'Ulm', hits: 1 });
});

test('an upsert makes the document that was not there', () => {
  const result = db.n.updateOne({ _id: 1000, town: 'Köln' }, { $inc: { n: 5 } }, { upsert: true });
  same([result.matchedCount, result.upsertedCount, result.insertedId], [0, 1, 1000]);
  same(db.n.findOne({ _id: 1000 }), { _id: 1000, town: 'Köln', n: 5 });
});

test('replaceOne keeps the id and nothing else', () => {
  same(db.n.replaceOne({ _id: 2 }, { fresh: true }).modifiedCount, 1);
  same(db.n.findOne({ _id: 2 }), { _id: 2, fresh: true });
  refused(66, () => db.n.updateOne({ _id: 2 }, { $set: { _id: 3 } }));
});

test('findOneAnd… answers the document before or after', () => {
  db.find.insertOne({ _id: 1, n: 1 });
  same(db.find.findOneAndUpdate({ _id: 1 }, { $inc: { n: 1 } }), { _id: 1, n: 1 });
  same(db.find.findOneAndUpdate({ _id: 1 }, { $inc: { n: 1 } }, { returnDocument: 'after' }), { _id: 1, n: 3 });
  same(db.find.findOneAndReplace({ _id: 1 }, { m: 1 }, { returnDocument: 'after' }), { _id: 1, m: 1 });
  same(db.find.findOneAndDelete({ _id: 1 }), { _id: 1, m: 1 });
  same(db.find.findOneAndDelete({ _id: 1 }), null);
});

test('deleteOne and deleteMany', () => {
  fill(20);
  same(db.n.deleteOne({ n: 3 }), { acknowledged: true, deletedCount: 1 });
  same(db.n.deleteMany({ town: 'Ulm' }).deletedCount, 9);
  same(db.n.deleteMany({}).deletedCount, 10);
  same(db.n.countDocuments(), 0);
});

test('bulkWrite does all kinds in order', () => {
  const result = db.bulk.bulkWrite([
    { insertOne: { document: { _id: 1 } } },
    { updateOne: { filter: { _id: 1 }, update: { $set: { n: 1 } } } },
    { replaceOne: { filter: { _id: 2 }, replacement: { n: 2 }, upsert: true } },
    { deleteOne: { filter: { _id: 1 } } },
  ]);
  same([result.insertedCount, result.modifiedCount, result.upsertedCount, result.deletedCount], [1, 1, 1, 1]);
  same(db.bulk.find().toArray(), [{ _id: 2, n: 2 }]);
});

test('an unknown operator is an error that names it', () => {
  refused(2, () => db.n.findOne({ n: { $bogus: 1 } }));
  refused(9, () => db.n.updateOne({}, { $bogus: { n: 1 } }));
});
