// SPDX-License-Identifier: GPL-3.0-or-later
// Databases come into being by writing and go by dropDatabase; `show` and `use` are functions to a script.

const names = () => db.getMongo().getDBNames();
const here = db.getName();

test('a database that was only named does not exist', () => {
  same(names().includes(here), false);
});

test('the first write makes it', () => {
  db.first.insertOne({ _id: 1 });
  isTrue(names().includes(here), 'listed');
});

test('show dbs lists it with its size', () => {
  const line = show('dbs').value.find(({ name }) => name === here);
  same(line.empty, false);
  isTrue(line.sizeOnDisk > 0, 'sizeOnDisk > 0');
});

test('listDatabases sums up the sizes', () => {
  const reply = db.adminCommand({ listDatabases: 1 });
  same(reply.ok, 1);
  isNumber(reply.totalSize, 'totalSize');
  isTrue(reply.databases.every(({ name, empty }) => typeof name === 'string' && typeof empty === 'boolean'), 'fields');
});

test('listDatabases takes a filter and nameOnly', () => {
  const reply = db.adminCommand({ listDatabases: 1, filter: { name: here }, nameOnly: true });
  same(reply.databases, [{ name: here }]);
});

test('show collections lists what is inside', () => {
  same(show('collections').value.map(({ name }) => name), ['first']);
});

test('use goes to another database and back', () => {
  use(`${here}_next`);
  same(db.getName(), `${here}_next`);
  same(db.first.findOne(), null);
  use(here);
  same(db.first.findOne(), { _id: 1 });
});

test('names are checked', () => {
  refused(73, () => db.getMongo().getDB('a$b').runCommand({ insert: '', documents: [{}] }));
});

test('dropDatabase takes it all away', () => {
  const reply = db.dropDatabase();
  same([reply.ok, reply.dropped], [1, here]);
  same(names().includes(here), false);
});
