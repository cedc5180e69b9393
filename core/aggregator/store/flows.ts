import type { SchemaTypes } from '../../../schemas/types.ts';
import { appendLog, collection, expiring, type Ref } from '../../storage/declarations.ts';
import { FLOW_WINDOWS, type FlowWindow, flowIn, isFlow, isSettled, strengthOf } from '../flows/sums.ts';
import { flowAgentForm, flowForm } from './flow-form.ts';

export type StoredFlow = SchemaTypes['stored-flow'];
export type StoredFlowAgent = SchemaTypes['stored-flow-agent'];
export type StoredFlowLink = SchemaTypes['stored-flow-link'];
export type StoredFlowCluster = SchemaTypes['stored-flow-cluster'];
export type StoredSettlement = SchemaTypes['stored-settlement'];
export type StoredSeries = SchemaTypes['stored-series'];
export type StoredCursor = SchemaTypes['stored-digest-cursor'];

/** Payments of escrows, until the digest has read them. */
export const settlements = appendLog<StoredSettlement>('settlements', { schema: 'stored-settlement' });

/**
 * Money and ratings by ordered pair. In the lists settled flows come first, then by strength, and equal ones by their ids: `top`
 * of everybody, `from` and `to` of one agent. `due` finds those of which a bucket leaves a window.
 */
export const flows = collection<StoredFlow, 'top' | 'from' | 'to' | 'due'>('flows', {
  schema: 'stored-flow',
  shared: true,
  form: flowForm,
  indexes: {
    top: places,
    from: (flow) => places(flow).map((place) => [flow.from, ...place]),
    to: (flow) => places(flow).map((place) => [flow.to, ...place]),
    due: ({ due }) => (due === undefined ? undefined : [due]),
  },
});

/** Kinds as they are in index keys: settled flows come first. */
export const FLOW_KINDS = { settled: 0, feedback: 1 } as const;

/** Rows with one key are in the order of their ids, which begin with the payer: no key needs the agents behind its place. */
function places(flow: StoredFlow): [window: string, kind: number, place: number][] {
  return FLOW_WINDOWS.flatMap((window): [string, number, number][] => {
    const sum = flowIn(flow, window);
    const kind = FLOW_KINDS[isSettled(sum) ? 'settled' : 'feedback'];
    return isFlow(sum) ? [[window, kind, -strengthOf(sum)]] : [];
  });
}

export function flowRef(from: string, to: string): Ref<StoredFlow> {
  return flows.ref(`${from}>${to}`);
}

/** The sums that each agent gave and got in all. */
export const flowAgents = collection<StoredFlowAgent>('flow-agents', {
  schema: 'stored-flow-agent',
  shared: true,
  form: flowAgentForm,
});

/** Pairs between whom flows are mutual, the smaller id first; `strong` has the strongest of a window first. */
export const flowLinks = collection<StoredFlowLink, 'strong'>('flow-links', {
  schema: 'stored-flow-link',
  indexes: {
    strong: ({ windows }) => Object.entries(windows).map(([window, flow]) => [window, -(flow as number)]),
  },
});

export function flowLinkRef(one: string, other: string): Ref<StoredFlowLink> {
  return flowLinks.ref(one < other ? `${one}=${other}` : `${other}=${one}`);
}

export const flowClusters = collection<StoredFlowCluster, 'large'>('flow-clusters', {
  schema: 'stored-flow-cluster',
  shared: true,
  indexes: {
    large: ({ window, agent_count, flow, cluster_id }) => [window, -agent_count, -flow, cluster_id],
  },
});

export function flowClusterRef(window: FlowWindow, id: string): Ref<StoredFlowCluster> {
  return flowClusters.ref(`${window}/${id}`);
}

/** The cluster of an agent in a window. */
export const flowMembers = collection<{ readonly cluster_id: string }>('flow-members', { schema: () => [] });

export function flowMemberRef(window: FlowWindow, agentId: string): Ref<{ readonly cluster_id: string }> {
  return flowMembers.ref(`${window}/${agentId}`);
}

/** Counts of an hour or a day; ids are in the order of time. */
export const series = collection<StoredSeries>('series', { schema: 'stored-series', shared: true });

export function seriesId(unit: 'hour' | 'day', at: number): string {
  return `${unit}/${String(at).padStart(10, '0')}`;
}

const cursors = collection<StoredCursor>('digest-cursor', { schema: 'stored-digest-cursor' });
/** How far the digest has read. */
export const cursorRef = cursors.ref('digest');

/** How long a process that has stopped without a word keeps others from digesting. */
export const DIGEST_MS = 30_000;
const digesting = expiring<{ readonly by: string }>('digesting', { ms: DIGEST_MS, schema: () => [] });
export const digestingRef = digesting.ref('who');
