// SPDX-License-Identifier: GPL-3.0-or-later
// Dividing a collection and looking at what came of it: all of sh, with what it prints taken apart. A server that is no
// router has nothing to say here.

const name = db.getName();
const ns = `${name}.people`;
const routed = db.hello().msg === 'isdbgrid';
const routedTest = routed ? test : () => {};

routedTest('enableSharding and shardCollection', () => {
  same(sh.enableSharding(name).ok, 1);
  const reply = sh.shardCollection(ns, { 'address.zip': 'hashed' }, { numInitialChunks: 4 });
  same([reply.collectionsharded, reply.ok], [ns, 1]);
  for (let i = 0; i < 200; i++) db.people.insertOne({ _id: i, address: { zip: i % 10 }, text: 'x'.repeat(100) });
});

routedTest('shardCollection again changes nothing, another key is refused', () => {
  same(sh.shardCollection(ns, { 'address.zip': 'hashed' }).ok, 1);
  refused(23, () => sh.shardCollection(ns, { other: 1 }));
});

routedTest('sh.status tells all of it', () => {
  const status = sh.status().value;
  same(status.shards.map(({ _id, state }) => [_id, state]), [['node0', 1]]);
  same(status.balancer['Currently enabled'], 'yes');
  const mine = status.databases.find(({ database }) => database._id === name);
  const { shardKey, unique, balancing, chunkMetadata, chunks, tags } = mine.collections[ns];
  same([shardKey, unique, balancing, tags], [{ 'address.zip': 'hashed' }, false, true, []]);
  same(chunkMetadata, [{ shard: 'node0', nChunks: 4 }]);
  same(chunks.length, 4);
  same([chunks[0].min, chunks[3].max], [{ 'address.zip': MinKey() }, { 'address.zip': MaxKey() }]);
  for (let i = 1; i < 4; i++) same(EJSON.stringify(chunks[i - 1].max), EJSON.stringify(chunks[i].min));
  const spread = status.shardedDataDistribution.find((one) => one.ns === ns);
  same([spread.shards[0].numOwnedDocuments, spread.shards[0].numOrphanedDocs], [200, 0]);
});

routedTest('sh.status(true) and db.printShardingStatus', () => {
  isTrue(sh.status(true).value['active mongoses'].length === 1, 'one router');
  isTrue(db.printShardingStatus().value.databases.length >= 2, 'databases');
});

routedTest('getShardDistribution', () => {
  const spread = db.people.getShardDistribution().value;
  same([spread.Totals.docs, spread.Totals.chunks], [200, 4]);
  same(spread.Totals['Shard node0'].slice(0, 2), ['100 % data', '100 % docs in cluster']);
});

routedTest('getShardDistribution of what is not sharded', () => {
  db.plain.insertOne({ _id: 1 });
  refused('SHAPI-10001', () => db.plain.getShardDistribution());
});

routedTest('getShardVersion', () => {
  const version = db.people.getShardVersion();
  isTrue(version.version.t === 1 && version.versionEpoch !== undefined, 'version and epoch');
  refused(118, () => db.plain.getShardVersion());
});

routedTest('stats say that it is sharded', () => {
  const stats = db.people.stats();
  same([stats.sharded, stats.count, Object.keys(stats.shards)], [true, 200, ['node0']]);
  same(db.runCommand({ collStats: 'people' }).nchunks, 4);
});

routedTest('the balancer and the merger', () => {
  same([sh.getBalancerState(), sh.isAutoMergerEnabled()], [true, true]);
  same(sh.isBalancerRunning().mode, 'full');
  sh.stopBalancer();
  same([sh.getBalancerState(), sh.isBalancerRunning().mode], [false, 'off']);
  sh.startBalancer();
  same(sh.getBalancerState(), true);
  sh.stopAutoMerger();
  same(sh.isAutoMergerEnabled(), false);
  sh.startAutoMerger();
  same(sh.isAutoMergerEnabled(), true);
  same(sh.balancerCollectionStatus(ns).balancerCompliant, true);
  refused(118, () => sh.balancerCollectionStatus(`${name}.plain`));
});

routedTest('a collection can be taken out of balancing', () => {
  same(sh.disableBalancing(ns).modifiedCount, 1);
  const shown = () => sh.status().value.databases.find(({ database }) => database._id === name).collections[ns].balancing;
  isTrue(shown() !== true, 'not balanced');
  same(sh.enableBalancing(ns).modifiedCount, 1);
  same(shown(), true);
});

routedTest('migrations can be forbidden', () => {
  same(sh.disableMigrations(ns).ok, 1);
  same(db.getSiblingDB('config').collections.findOne({ _id: ns }).allowMigrations, false);
  same(sh.enableMigrations(ns).ok, 1);
});

routedTest('listShards', () => {
  same(sh.listShards().map(({ _id }) => _id), ['node0']);
});

routedTest('zones and other shards are refused', () => {
  refused(20, () => sh.addShardToZone('node0', 'eu'));
  refused(70, () => sh.moveChunk(ns, { 'address.zip': 1 }, 'node7'));
  refused(96, () => sh.addShard('other:27017'));
});

routedTest('what is there may be moved to where it is', () => {
  same(sh.moveChunk(ns, { 'address.zip': 1 }, 'node0').ok, 1);
  same(sh.moveCollection(`${name}.plain`, 'node0').ok, 1);
  refused(70, () => sh.moveCollection(`${name}.plain`, 'node7'));
  refused(339, () => sh.abortMoveCollection(`${name}.plain`));
});

routedTest('analyzeShardKey', () => {
  const { keyCharacteristics } = db.people.analyzeShardKey({ 'address.zip': 1 });
  same([Number(keyCharacteristics.numDocsTotal), Number(keyCharacteristics.numDistinctValues)], [200, 10]);
  same(Number(keyCharacteristics.mostCommonValues[0].frequency), 20);
});

routedTest('checkMetadataConsistency finds nothing', () => {
  same(sh.checkMetadataConsistency().toArray(), []);
  same(db.checkMetadataConsistency().toArray(), []);
  same(db.people.checkMetadataConsistency().toArray(), []);
});

routedTest('convertShardKeyToHashed is where a value lies', () => {
  const config = db.getSiblingDB('config');
  const { uuid } = config.collections.findOne({ _id: ns });
  const isAtMost = (bound, hash) => bound instanceof MinKey || (!(bound instanceof MaxKey) && bound.lte(hash));
  const bound = (one) => one['address.zip'];
  for (const zip of [0, 7, 'a', null]) {
    const hash = convertShardKeyToHashed(zip);
    isTrue(hash instanceof Long, 'a long');
    const there = config.chunks.find({ uuid }, { promoteLongs: false }).toArray()
      .filter(({ min, max }) => isAtMost(bound(min), hash) && !isAtMost(bound(max), hash));
    same(there.length, 1);
    const asked = db.people.find({ 'address.zip': zip }).explain().queryPlanner.partitions.targeted;
    same(asked.map(Number), [Number(there[0].partition)]);
  }
});

routedTest('getShardLocation', () => {
  same(db.people.getShardLocation(), { shards: ['node0'], sharded: true });
  same(db.plain.getShardLocation(), { shards: ['node0'], sharded: false });
});

routedTest('getShardedDataDistribution', () => {
  const spread = sh.getShardedDataDistribution().toArray().find((one) => one.ns === ns);
  same(spread.shards.map(({ shardName, numOwnedDocuments }) => [shardName, Number(numOwnedDocuments)]), [['node0', 200]]);
});

routedTest('explain of an aggregate has the form of a router', () => {
  const told = db.people.explain('executionStats').aggregate([{ $group: { _id: '$address.zip', n: { $sum: 1 } } }]);
  same([told.mergeType, Object.keys(told.shards).length, told.splitPipeline.shardsPart.length], ['mongos', 4, 1]);
  const each = Object.values(told.shards);
  same(each.reduce((sum, one) => sum + one.stages[0].$cursor.executionStats.totalDocsExamined, 0), 200);
  same(told.executionStats.partitions.each.length, 4);
});

routedTest('the changelog tells of the sharding', () => {
  const events = db.getSiblingDB('config').changelog.find({ ns }).toArray();
  same(events.map(({ what }) => what), ['shardCollection.end']);
});

routedTest('partitionStats add up', () => {
  const partitions = db.people.aggregate([{ $partitionStats: {} }]).toArray();
  same(partitions.length, 4);
  same(partitions.reduce((sum, one) => sum + Number(one.documents), 0), 200);
  same(db.runCommand({ partitionStats: 'people' }).partitions.length, 4);
});
