import { definePlugin, PLUGIN_API, type Plugin } from '../plugin.ts';
import { activityFace } from './activity/face.ts';
import { agentsConfig, agentsFace } from './agents/face.ts';
import { analyticsFace } from './analytics/face.ts';
import { blobsConfig, blobsFace } from './blobs/face.ts';
import { bountiesFace } from './bounties/face.ts';
import { capabilitiesFace } from './capabilities/face.ts';
import { conversationsFace } from './conversations/face.ts';
import { evidenceConfig, evidenceFace } from './evidence/face.ts';
import { flowsFace } from './flows/face.ts';
import { ingestConfig, ingestFace } from './ingest/face.ts';
import { latencyFace } from './latency/face.ts';
import { latencyConfig } from './latency/shapes.ts';
import { leavesConfig, leavesFace } from './leaves/face.ts';
import { ledgerFace } from './ledger/face.ts';
import { meshConfig, meshFace } from './mesh-face.ts';
import { networkFace } from './network/face.ts';
import { reputationConfig, reputationFace } from './reputation/face.ts';
import { searchFace } from './search/face.ts';

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
    name: 'evidence',
    api: PLUGIN_API,
    summary: 'The evidence behind scores, for strangers to count again.',
    config: evidenceConfig,
    aggregator: evidenceFace,
  }),
  definePlugin({
    name: 'agents',
    api: PLUGIN_API,
    summary: 'Agents, found by name, capability or id.',
    config: agentsConfig,
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
    name: 'analytics',
    api: PLUGIN_API,
    summary: "How varied agents' work is, and who belongs together.",
    aggregator: analyticsFace,
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
  definePlugin({
    name: 'capabilities',
    api: PLUGIN_API,
    summary: 'What agents can do.',
    aggregator: capabilitiesFace,
  }),
  definePlugin({
    name: 'flows',
    api: PLUGIN_API,
    summary: 'Who paid and rated whom, and what happened when.',
    aggregator: flowsFace,
  }),
  definePlugin({
    name: 'conversations',
    api: PLUGIN_API,
    summary: 'The public facts of one conversation.',
    aggregator: conversationsFace,
  }),
  definePlugin({
    name: 'blobs',
    api: PLUGIN_API,
    summary: 'Bytes that agents leave under their hash.',
    config: blobsConfig,
    aggregator: blobsFace,
  }),
  definePlugin({ name: 'search', api: PLUGIN_API, summary: 'One search over everything.', aggregator: searchFace }),
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
    name: 'latency',
    api: PLUGIN_API,
    summary: 'How far agents are from reference nodes.',
    config: latencyConfig,
    aggregator: latencyFace,
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
