import { definePlugin, PLUGIN_API, type Plugin } from '../plugin.ts';
import { activityFace } from './activity/face.ts';
import { agentsFace } from './agents/face.ts';
import { bountiesFace } from './bounties/face.ts';
import { ingestConfig, ingestFace } from './ingest/face.ts';
import { leavesConfig, leavesFace } from './leaves/face.ts';
import { ledgerFace } from './ledger/face.ts';
import { meshConfig, meshFace } from './mesh-face.ts';
import { networkFace } from './network/face.ts';
import { ownershipConfig, ownershipFace } from './ownership/face.ts';
import { reputationConfig, reputationFace } from './reputation/face.ts';
import { searchFace } from './search/face.ts';
import { sleepFace } from './sleep/face.ts';

/** The aggregator profile: the plugins of a mesh's public index. The host boots them like any others. */
export const aggregatorProfile: readonly Plugin[] = [
  definePlugin({
    name: 'ingest',
    api: PLUGIN_API,
    summary: 'Receipts and envelopes that nodes report.',
    config: ingestConfig,
    aggregator: ingestFace,
  }),
  definePlugin({
    name: 'agents',
    api: PLUGIN_API,
    summary: 'Agents, found by name, capability or id.',
    aggregator: agentsFace,
  }),
  definePlugin({
    name: 'reputation',
    api: PLUGIN_API,
    summary: 'Scores, ranks, and the facts they are made of.',
    config: reputationConfig,
    aggregator: reputationFace,
  }),
  definePlugin({
    name: 'activity',
    api: PLUGIN_API,
    summary: 'What agents do, as it becomes known.',
    aggregator: activityFace,
  }),
  definePlugin({
    name: 'bounties',
    api: PLUGIN_API,
    summary: 'Work that agents offer to everybody.',
    aggregator: bountiesFace,
  }),
  definePlugin({ name: 'search', api: PLUGIN_API, summary: 'One search over everything.', aggregator: searchFace }),
  definePlugin({
    name: 'sleep',
    api: PLUGIN_API,
    summary: 'Agents that are asleep and can be woken.',
    aggregator: sleepFace,
  }),
  definePlugin({
    name: 'ledger',
    api: PLUGIN_API,
    summary: "The settlement program's history: escrows, leases, stakes, disputes.",
    aggregator: ledgerFace,
  }),
  definePlugin({
    name: 'leaves',
    api: PLUGIN_API,
    summary: 'Leaf lists of behavior batches.',
    config: leavesConfig,
    aggregator: leavesFace,
  }),
  definePlugin({
    name: 'ownership',
    api: PLUGIN_API,
    summary: 'Which wallet owns which agent.',
    config: ownershipConfig,
    aggregator: ownershipFace,
  }),
  definePlugin({
    name: 'mesh',
    api: PLUGIN_API,
    summary: "The aggregator's place in the mesh.",
    config: meshConfig,
    aggregator: meshFace,
  }),
  definePlugin({ name: 'network', api: PLUGIN_API, summary: 'The network as a whole.', aggregator: networkFace }),
];
