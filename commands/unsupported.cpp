// SPDX-License-Identifier: GPL-3.0-or-later
//
// Commands of MongoDB that are known and not there. A client gets a reason instead of "no such command"; whoever adds
// one of them takes it out here.
#include "commands/command.h"

namespace partita::commands {
namespace {

const RegisterUnsupported kUsers{{"saslStart", "saslContinue", "authenticate", "logout", "createUser", "updateUser",
                                  "dropUser", "usersInfo", "dropAllUsersFromDatabase", "createRole", "updateRole",
                                  "dropRole", "rolesInfo", "grantRolesToUser", "revokeRolesFromUser",
                                  "grantPrivilegesToRole", "revokePrivilegesFromRole", "grantRolesToRole",
                                  "revokeRolesFromRole", "dropAllRolesFromDatabase", "invalidateUserCache",
                                  "_mergeAuthzCollections", "rotateCertificates"},
                                 "there are no users and roles yet: everybody who can connect may do everything"};

const RegisterUnsupported kTransactions{{"coordinateCommitTransaction"},
                                        "there are no transactions of several statements yet"};

const RegisterUnsupported kSharding{
    {"clearJumboFlag", "configureCollectionBalancing", "repairShardedCollectionChunksHistory",
     "transitionToDedicatedConfigServer", "transitionFromDedicatedConfigServer", "resetPlacementHistory",
     "untrackUnshardedCollection", "shardDrainingStatus", "getTransitionToDedicatedConfigServerStatus"},
    "there is one shard, which keeps its own configuration and gives nothing away"};

const RegisterUnsupported kQueryAnalyzer{
    {"configureQueryAnalyzer"}, "queries are not sampled; partitionStats tells which keys are asked for most, without any set-up"};

const RegisterUnsupported kMergeAll{
    {"mergeAllChunksOnShard"}, "the server merges partitions that stay small; mergeChunks and mergePartitions do so by hand"};

const RegisterUnsupported kConvert{{"convertShardKeyToHashed"}, "$toHashedIndexKey tells the hash of a value"};

const RegisterUnsupported kSchema{{"setIndexCommitQuorum"}, "there is one member to vote for an index build"};

const RegisterUnsupported kMaintenance{
    {"compact", "reIndex", "autoCompact", "fsyncUnlock", "getDiagnosticData", "dbHash", "validateDBMetadata",
     "lockInfo", "dropConnections", "logApplicationMessage", "setUserWriteBlockMode", "dbCheck"},
    "the storage engine needs no such care, or offers no such view of itself yet"};

const RegisterUnsupported kPlans{{"planCacheClearFilters", "planCacheListFilters",
                                  "planCacheSetFilter", "setQuerySettings", "removeQuerySettings"},
                                 "which plan wins is for their trials to say, and for hints"};

const RegisterUnsupported kVersions{{"setFeatureCompatibilityVersion", "setDefaultRWConcern", "getClusterParameter",
                                     "setClusterParameter"},
                                    "this is fixed: see getParameter and getDefaultRWConcern"};

const RegisterUnsupported kReplication{
    {"applyOps", "appendOplogNote", "replSetInitiate", "replSetReconfig", "replSetStepDown", "replSetFreeze",
     "replSetGetConfig", "replSetMaintenance", "replSetResizeOplog", "replSetSyncFrom", "replSetAbortPrimaryCatchUp",
     "replSetGetRBID", "replSetHeartbeat", "replSetRequestVotes", "replSetStepUp", "replSetUpdatePosition"},
    "there is no replica set and no oplog behind this server"};

const RegisterUnsupported kScripts{{"mapReduce", "mapreduce"}, "there is no JavaScript engine; use aggregate"};

const RegisterUnsupported kFiles{{"filemd5"}, "drivers make the checksums of GridFS files themselves"};

const RegisterUnsupported kSearch{{"createSearchIndexes", "updateSearchIndex", "dropSearchIndex", "listSearchIndexes"},
                                  "search indexes are a service of Atlas, which this server is no part of"};

const RegisterUnsupported kEncryption{{"compactStructuredEncryptionData", "cleanupStructuredEncryptionData"},
                                      "there is no queryable encryption"};

const RegisterUnsupported kOld{{"availableQueryOptions", "driverOIDTest", "features", "getnonce", "getFreeMonitoringStatus",
                                "setFreeMonitoring", "getLastError", "getlasterror"},
                               "it is from the time of older servers"};

const RegisterUnsupported kRecording{{"startRecordingTraffic", "stopRecordingTraffic", "startTrafficRecording",
                                      "stopTrafficRecording", "setProfilingFilterGlobally"},
                                     "operations are neither recorded nor filtered; the log shows the slow ones"};

const RegisterUnsupported kWaiting{{"waitForFailPoint"}, "fail points count, and nobody waits for them"};

const RegisterUnsupported kByPattern{{"killAllSessionsByPattern"}, "sessions are killed by id or all at once"};

}  // namespace
}  // namespace partita::commands
