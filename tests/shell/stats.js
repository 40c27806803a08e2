// SPDX-License-Identifier: GPL-3.0-or-later
// What people and tools ask about a server: sizes, versions, health. The numbers are the server's; that they are there,
// of the right type and agree with the data is checked here.

db.s.insertMany(Array.from({ length: 100 }, (_, i) => ({ _id: i, text: 'x'.repeat(100) })));
db.s.createIndex({ text: 1 });

test('db.stats', () => {
  const stats = db.stats();
  same([stats.db, stats.collections, stats.views, stats.objects, stats.indexes, stats.ok],
    [db.getName(), 1, 0, 100, 2, 1]);
  isTrue(Number(stats.dataSize) >= 100 * 100, 'dataSize holds the documents');
  for (const field of ['avgObjSize', 'storageSize', 'indexSize', 'totalSize', 'fsUsedSize', 'fsTotalSize']) {
    isNumber(stats[field], field);
  }
});

test('db.stats takes a scale', () => {
  const stats = db.stats(1024);
  same(stats.scaleFactor, 1024);
  isTrue(Number(stats.dataSize) < 100, 'dataSize in KiB');
});

test('db.coll.stats', () => {
  const stats = db.s.stats();
  same([stats.ns, stats.count, stats.nindexes, stats.capped, stats.ok], [`${db.getName()}.s`, 100, 2, false, 1]);
  isTrue(stats.size >= 100 * 100, 'size holds the documents');
  isTrue(stats.avgObjSize >= 100, 'avgObjSize');
  same(Object.keys(stats.indexSizes).sort(), ['_id_', 'text_1']);
  for (const field of ['storageSize', 'totalIndexSize', 'totalSize']) isNumber(stats[field], field);
});

test('sizes one by one', () => {
  for (const size of ['dataSize', 'storageSize', 'totalIndexSize', 'totalSize']) isNumber(db.s[size](), size);
});

test('$collStats counts', () => {
  same(db.s.aggregate([{ $collStats: { count: {} } }]).next().count, 100);
});

test('serverStatus', () => {
  const status = db.serverStatus();
  for (const field of ['host', 'version', 'process', 'uptime', 'localTime', 'connections', 'opcounters', 'mem', 'network']) {
    isTrue(status[field] !== undefined, field);
  }
  isTrue(status.connections.current >= 1, 'we are connected');
});

test('who and what the server is', () => {
  const info = db.serverBuildInfo();
  same(info.version, db.version());
  same(info.versionArray.slice(0, 2).join('.'), db.version().split('.').slice(0, 2).join('.'));
  same(info.maxBsonObjectSize, 16777216);
  isTrue(db.hostInfo().system.numCores >= 1, 'numCores');
  const hello = db.hello();
  same([hello.isWritablePrimary, hello.maxWriteBatchSize, hello.ok], [true, 100000, 1]);
});

test('who is here and what is running', () => {
  same(db.runCommand({ ping: 1 }), { ok: 1 });
  same(db.runCommand({ connectionStatus: 1 }).authInfo.authenticatedUsers, []);
  isTrue(Array.isArray(db.currentOp().inprog), 'inprog');
  isTrue(Array.isArray(db.adminCommand({ getLog: 'global' }).log), 'log');
  isTrue(Array.isArray(db.adminCommand({ getCmdLineOpts: 1 }).argv), 'argv');
  isTrue(Object.keys(db.listCommands().value).length > 20, 'listCommands');
});

test('a command that does not exist', () => {
  refused(59, () => db.runCommand({ noSuchCommand: 1 }));
});
