import type { SchemaTypes } from '../../../schemas/types.ts';
import { collection, expiring, type Ref } from '../../storage/declarations.ts';
import { VERIFIED_EPOCHS } from '../analytics/parameters.ts';

export type StoredVector = SchemaTypes['stored-entropy'];
export type StoredTally = SchemaTypes['stored-entropy-tally'];
export type StoredStanding = SchemaTypes['stored-entropy-standing'];
export type StoredState = SchemaTypes['stored-analytics-state'];
export type StoredOwnerCluster = SchemaTypes['stored-owner-cluster'];

/** Counts of epochs that are not closed, by agent and epoch. `open` finds those of old epochs first. */
export const tallies = collection<StoredTally, 'open'>('entropy-tallies', {
  schema: 'stored-entropy-tally',
  shared: true,
  indexes: { open: ({ epoch, agent_id }) => [epoch, agent_id] },
});

/** Closed epochs, by agent and epoch. */
export const vectors = collection<StoredVector>('entropy-vectors', { schema: 'stored-entropy' });

/** The id of an agent's epoch; those of an agent are in the order of the epochs. */
export function epochId(agentId: string, epoch: number): string {
  return `${agentId}/${String(epoch).padStart(12, '0')}`;
}

/**
 * The present vector of each agent, by id:
 *
 * | index       | keys                              | serves                              |
 * | ----------- | --------------------------------- | ----------------------------------- |
 * | `anomaly`   | anomaly downwards, of present ones | /leaderboard/anomaly               |
 * | `present`   | epoch of the vector                | vectors that have become too old   |
 * | `verifiers` | mean entropy of its verifiers      | /leaderboard/verifier-concentration |
 */
export const standings = collection<StoredStanding, 'anomaly' | 'present' | 'verifiers'>('entropy-standings', {
  schema: 'stored-entropy-standing',
  indexes: {
    anomaly: ({ counted, latest, agent_id }) => (counted && latest ? [-latest.anomaly, agent_id] : undefined),
    present: ({ counted, latest }) => (counted && latest ? [latest.epoch] : undefined),
    verifiers: ({ verified: { epochs, sum }, agent_id }) =>
      epochs < VERIFIED_EPOCHS ? undefined : [sum / epochs, agent_id],
  },
});

export function newStanding(agentId: string): StoredStanding {
  return {
    agent_id: agentId,
    latest: null,
    partners: [],
    counted: false,
    verified: { epochs: 0, sum: 0, below: 0, top: null },
  };
}

const states = collection<StoredState>('analytics-states', { schema: 'stored-analytics-state' });
export const stateRef: Ref<StoredState> = states.ref('counted');
export const NOTHING_READ: StoredState = { activity: 0, ledger: 0, closed: 0, clustered: 0, as_of: null };

const networkSums = collection<SchemaTypes['stored-analytics-sums']>('analytics-sums', {
  schema: 'stored-analytics-sums',
});
export const sumsRef = networkSums.ref('present');

/** Owners of more than one agent, by wallet; the largest first, then by wallet. */
export const ownerClusters = collection<StoredOwnerCluster, 'size'>('owner-clusters', {
  schema: 'stored-owner-cluster',
  indexes: { size: ({ agents, owner }) => [-agents.length, owner] },
});

const alike = collection<SchemaTypes['stored-behaviour-clusters']>('behaviour-clusters', {
  schema: 'stored-behaviour-clusters',
});
export const behaviourRef = alike.ref('present');

const counting = expiring<{ readonly by: string }>('analytics-lease', { ms: 30_000, schema: () => [] });
/** Which of several processes on one store counts. */
export const countingRef = counting.ref('who');
