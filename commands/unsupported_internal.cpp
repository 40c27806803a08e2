// SPDX-License-Identifier: GPL-3.0-or-later
//
// What MongoDB's servers say to one another in a cluster. No client has a use for it, but a tool that goes through
// listCommands may try, and learns why it gets no further.
#include "commands/command.h"

namespace partita::commands {
namespace {

const RegisterUnsupported kInternal{
    {
        "_addShard", "_configsvrAbortReshardCollection", "_configsvrAddShard", "_configsvrAddShardToZone",
        "_configsvrBalancerCollectionStatus", "_configsvrBalancerStart", "_configsvrBalancerStatus",
        "_configsvrBalancerStop", "_configsvrCleanupReshardCollection", "_configsvrClearJumboFlag",
        "_configsvrCollMod", "_configsvrCommitChunkMigration", "_configsvrCommitChunkSplit",
        "_configsvrCommitChunksMerge", "_configsvrCommitMovePrimary", "_configsvrCommitReshardCollection",
        "_configsvrConfigureCollectionBalancing", "_configsvrCreateDatabase",
        "_configsvrEnsureChunkVersionIsGreaterThan", "_configsvrMoveChunk", "_configsvrMoveRange",
        "_configsvrRefineCollectionShardKey", "_configsvrRemoveChunks", "_configsvrRemoveShard",
        "_configsvrRemoveShardFromZone", "_configsvrRemoveTags", "_configsvrRenameCollectionMetadata",
        "_configsvrRepairShardedCollectionChunksHistory", "_configsvrReshardCollection", "_configsvrRunRestore",
        "_configsvrSetAllowMigrations", "_configsvrSetClusterParameter", "_configsvrSetUserWriteBlockMode",
        "_configsvrUpdateZoneKeyRange", "_flushDatabaseCacheUpdates",
        "_flushDatabaseCacheUpdatesWithWriteConcern", "_flushReshardingStateChange",
        "_flushRoutingTableCacheUpdates", "_flushRoutingTableCacheUpdatesWithWriteConcern",
        "_getNextSessionMods", "_getUserCacheGeneration", "_isSelf", "_killOperations", "_migrateClone",
        "_recvChunkAbort", "_recvChunkCommit", "_recvChunkReleaseCritSec", "_recvChunkStart",
        "_recvChunkStatus", "_shardsvrAbortReshardCollection", "_shardsvrCleanupReshardCollection",
        "_shardsvrCloneCatalogData", "_shardsvrCollMod", "_shardsvrCollModParticipant",
        "_shardsvrCommitReshardCollection", "_shardsvrCompactStructuredEncryptionData",
        "_shardsvrCreateCollection", "_shardsvrCreateCollectionParticipant", "_shardsvrDropCollection",
        "_shardsvrDropCollectionIfUUIDNotMatching", "_shardsvrDropCollectionParticipant",
        "_shardsvrDropDatabase", "_shardsvrDropDatabaseParticipant", "_shardsvrDropIndexes",
        "_shardsvrGetStatsForBalancing", "_shardsvrJoinMigrations", "_shardsvrMovePrimary",
        "_shardsvrMoveRange", "_shardsvrParticipantBlock", "_shardsvrRefineCollectionShardKey",
        "_shardsvrRenameCollection", "_shardsvrRenameCollectionParticipant",
        "_shardsvrRenameCollectionParticipantUnblock", "_shardsvrReshardCollection",
        "_shardsvrReshardingOperationTime", "_shardsvrSetAllowMigrations", "_shardsvrSetClusterParameter",
        "_shardsvrSetUserWriteBlockMode", "_transferMods", "abortShardSplit", "autoSplitVector",
        "checkShardingIndex", "cleanupOrphaned", "clusterAbortTransaction", "clusterAggregate",
        "clusterCommitTransaction", "clusterDelete", "clusterFind", "clusterGetMore", "clusterInsert",
        "clusterUpdate", "commitShardSplit", "connPoolSync", "donorAbortMigration", "donorForgetMigration",
        "donorStartMigration", "forgetShardSplit", "getDatabaseVersion",
        "internalRenameIfOptionsAndIndexesMatch", "prepareTransaction", "recipientForgetMigration",
        "recipientSyncData", "recipientVoteImportedFiles", "setShardVersion", "shardingState", "splitChunk",
        "splitVector", "voteCommitIndexBuild"},
    "it is spoken between MongoDB's own servers only"};

}  // namespace
}  // namespace partita::commands
